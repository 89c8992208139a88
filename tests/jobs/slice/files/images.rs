//! Images, read back by another decoder, and what their manifest says of them.

use std::fs;
use std::path::Path;

use subsolid::slice::manifest::{Files, Manifest};
use subsolid::slice::output::{ImageOptions, Painter};
use subsolid::slice::{Bits, Flip, GrayCurve, ImageFile, ImageFormat, LayerSource, Sampling};
use tempfile::tempdir;
use zune_png::PngDecoder;
use zune_png::zune_core::bytestream::ZCursor;
use zune_png::zune_core::result::DecodingResult;

use super::cone::{Cone, manifest, open, options, setting, slice};

use crate::support::refused;

/// Size and levels of an image; white is 255 or 65535.
pub fn decode(bytes: &[u8]) -> ([usize; 2], Vec<u16>) {
    let mut decoder = PngDecoder::new(ZCursor::new(bytes));
    let levels = match decoder.decode().unwrap() {
        DecodingResult::U8(levels) => levels.into_iter().map(u16::from).collect(),
        DecodingResult::U16(levels) => levels,
        _ => panic!("neither 8 nor 16 bits"),
    };
    let (columns, rows) = decoder.dimensions().unwrap();
    ([columns, rows], levels)
}

/// Levels with row 0 the lowest, from an image that is not flipped.
fn read(path: &Path) -> Vec<u16> {
    let ([columns, _], levels) = decode(&fs::read(path).unwrap());
    levels.chunks(columns).rev().flatten().copied().collect()
}

#[test]
fn every_depth_is_read_back() {
    let size = [13, 7]; // no multiple of 8
    let levels: Vec<u16> = (0..91).map(|i| (i * 720) as u16).collect();
    for (bits, white) in [(Bits::One, 255), (Bits::Eight, 255), (Bits::Sixteen, 65535_u64)] {
        let format =
            ImageFormat { size, bits, flip: Flip::None, meters: [5e-5; 2], file: ImageFile::Png };
        let image = format.encode(&levels, 3).unwrap();
        let (found, read) = decode(&image.bytes);
        assert_eq!(found, size);
        let upward: Vec<u16> = read.chunks(13).rev().flatten().copied().collect();
        for (&level, &read) in levels.iter().zip(&upward) {
            let exact = f64::from(level) / 65535.0 * white as f64;
            match bits {
                Bits::One => assert!(read == 0 || read == 255),
                _ => assert!((f64::from(read) - exact).abs() <= 0.5, "{level}: {read}"),
            }
        }
        let sum: u64 = upward.iter().map(|&level| u64::from(level)).sum();
        assert_eq!(image.sum, sum * bits.white() / white);
    }
    assert!(
        ImageFormat {
            size,
            bits: Bits::One,
            flip: Flip::None,
            meters: [1e-5; 2],
            file: ImageFile::Png
        }
        .encode(&levels[1..], 0)
        .is_err()
    );
}

#[test]
fn flips_mirror_the_image() {
    let levels: Vec<u16> = (0..12).map(|i| i * 257).collect();
    let image = |flip| {
        let format = ImageFormat {
            size: [4, 3],
            bits: Bits::Eight,
            flip,
            meters: [1e-4; 2],
            file: ImageFile::Png,
        };
        decode(&format.encode(&levels, 0).unwrap().bytes).1
    };
    assert_eq!(image(Flip::None), [8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3]);
    assert_eq!(image(Flip::Horizontal), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(image(Flip::Vertical), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(image(Flip::Both), [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]);
    // black and white too, where a pixel keeps its threshold wherever it is drawn
    let gray: Vec<u16> = (0..12).map(|i| i * 5000).collect();
    let image = |flip| {
        let format = ImageFormat {
            size: [4, 3],
            bits: Bits::One,
            flip,
            meters: [1e-4; 2],
            file: ImageFile::Png,
        };
        decode(&format.encode(&gray, 5).unwrap().bytes).1
    };
    assert_eq!(image(Flip::Both), image(Flip::None).into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn images_too_large_are_refused() {
    for (size, words) in [
        ([0, 5], "images of 0 × 5 pixels"),
        ([1 << 20, 1 << 20], "more than 268435456 in all"),
        ([usize::MAX, 2], "more than 268435456 in all"),
        ([1 << 33, 1], "more than 268435456 in all"),
    ] {
        let format = ImageFormat {
            size,
            bits: Bits::Eight,
            flip: Flip::None,
            meters: [1e-4; 2],
            file: ImageFile::Png,
        };
        refused(format.check(), words);
    }
    let of = |attributes| ImageOptions { attributes, ..options() };
    for (options, words) in [
        (ImageOptions { antialias: Some(0), ..options() }, "0 planes per layer"),
        (ImageOptions { antialias: Some(65), ..options() }, "65 planes per layer"),
        (ImageOptions { curve: Some(GrayCurve::Gamma(11.0)), ..options() }, "to the power of 11"),
        (of(vec![(2, [0.0, 1.0])]), "no attribute has the number 2"),
        (of(vec![(1, [1.0, 1.0])]), "no grays between 1 and 1"),
        (of(vec![(1, [0.0, f64::NAN])]), "no grays between 0 and NaN"),
        (of(vec![(1, [0.0, 1.0]); 2]), "have no folder of their own"),
    ] {
        refused(Painter::check(&setting(), &options, Cone::new().channels()), words);
    }
}

/// Every level of 16 bits is rounded to the nearest of 8 bits.
#[test]
fn eight_bits_are_rounded() {
    let levels: Vec<u16> = (0..=u16::MAX).collect();
    let format = ImageFormat {
        size: [256, 256],
        bits: Bits::Eight,
        flip: Flip::Vertical,
        meters: [1e-4; 2],
        file: ImageFile::Png,
    };
    let found = decode(&format.encode(&levels, 0).unwrap().bytes).1;
    for (level, found) in levels.into_iter().zip(found) {
        let exact = f64::from(level) * 255.0 / 65535.0;
        assert_eq!(f64::from(found), exact.round(), "{level}");
    }
    let none = ImageFormat { size: [0, 0], ..format };
    assert!(none.encode(&[], 0).is_err() && none.encode_indexed(&[], &[], 0).is_err());
}

/// Pixels per meter stand in the header of a bitmap.
#[test]
fn bitmaps_have_their_resolution() {
    let format = ImageFormat {
        size: [3, 2],
        bits: Bits::Eight,
        flip: Flip::None,
        meters: [1e-4, 2e-4],
        file: ImageFile::Bmp,
    };
    let bytes = format.encode(&[0; 6], 0).unwrap().bytes;
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!([number(38), number(42)], [10_000, 5000]);
}

#[test]
fn curves_have_the_levels_of_their_definition() {
    assert!((GrayCurve::Gamma(2.0).at(0.5) - 0.25).abs() < 1e-15);
    assert_eq!(
        [0.0, 0.4999, 0.5, 1.0].map(|x| GrayCurve::Threshold(0.5).at(x)),
        [0.0, 0.0, 1.0, 1.0]
    );
    let table = GrayCurve::Table(vec![[0.2, 0.1], [0.6, 0.9]]);
    for (level, expected) in [(0.0, 0.1), (0.2, 0.1), (0.3, 0.3), (0.6, 0.9), (1.0, 0.9)] {
        assert!((table.at(level) - expected).abs() < 1e-15, "{level}");
    }
    for (curve, words) in [
        (GrayCurve::Gamma(0.0), "power of 0"),
        (GrayCurve::Gamma(f64::NAN), "power of NaN"),
        (GrayCurve::Threshold(0.0), "threshold of 0"),
        (GrayCurve::Threshold(1.1), "threshold of 1.1"),
        (GrayCurve::Table(vec![]), "without rows"),
        (GrayCurve::Table(vec![[0.0, 0.0], [0.0, 1.0]]), "row 2 of the table"),
        (GrayCurve::Table(vec![[0.0, 0.0], [0.5, 2.0]]), "row 2 of the table"),
    ] {
        refused(curve.check(), words);
    }
    GrayCurve::Table(vec![[0.0, 0.1], [1.0, 0.0]]).check().unwrap();
}

/// Of the coverage and of attributes. Sums are those of the levels before, so that they are volumes.
#[test]
fn gray_levels_follow_their_curve() {
    let of_curve = |curve: Option<GrayCurve>| {
        let directory = tempdir().unwrap();
        let options = ImageOptions { bits: Bits::Sixteen, curve, ..options() };
        slice(&Cone::new(), 3..4, open(directory.path(), options, false).unwrap());
        let manifest = manifest(directory.path());
        let levels: Vec<Vec<u16>> = manifest.layers[0]
            .files
            .iter()
            .map(|file| read(&directory.path().join(&file.path)))
            .collect();
        (levels, manifest)
    };
    let (plain, manifest) = of_curve(None);
    assert_eq!(plain.len(), 2);
    assert!(plain.iter().flatten().any(|&level| level != 0 && level != u16::MAX));
    let sums = |manifest: &Manifest| -> Vec<Option<u64>> {
        manifest.layers[0].files.iter().map(|file| file.level_sum).collect()
    };
    let volumes = sums(&manifest);
    for (sum, plain) in volumes.iter().zip(&plain) {
        assert_eq!(*sum, Some(plain.iter().map(|&level| u64::from(level)).sum()));
    }
    let Files::Png(images) = manifest.parameters.files else { panic!("images") };
    assert_eq!(images.curve, None);
    for curve in [
        GrayCurve::Gamma(2.2),
        GrayCurve::Threshold(0.25),
        GrayCurve::Table(vec![[0.0, 0.1], [0.5, 0.8], [1.0, 0.9]]),
    ] {
        let (written, manifest) = of_curve(Some(curve.clone()));
        for (written, plain) in written.iter().flatten().zip(plain.iter().flatten()) {
            let expected = 65535.0 * curve.at(f64::from(*plain) / 65535.0);
            assert!((f64::from(*written) - expected).abs() <= 0.5, "{curve:?}: {plain}, {written}");
        }
        assert_eq!(sums(&manifest), volumes);
        let Files::Png(images) = manifest.parameters.files else { panic!("images") };
        assert_eq!(images.curve, Some(curve));
    }
}

/// Σ level · pitch² · layer height is the volume; of an attribute, its integral.
#[test]
fn sums_of_the_manifest_are_volumes() {
    for bits in [Bits::One, Bits::Eight, Bits::Sixteen] {
        let directory = tempdir().unwrap();
        let options = ImageOptions { bits, attributes: vec![(0, [-1.75, 1.75])], ..options() };
        let cone = Cone::new();
        let count = setting().stack.count();
        slice(&cone, 0..count, open(directory.path(), options.clone(), false).unwrap());
        let manifest = manifest(directory.path());
        assert!(manifest.complete && manifest.layers.len() == count);
        let Files::Png(images) = &manifest.parameters.files else { panic!("images") };
        assert_eq!(images.stacks.len(), 2);
        assert_eq!(images.stacks[1].attribute.as_deref(), Some("x"));
        let mut sums = [0.0; 2];
        for layer in &manifest.layers {
            for (sum, file) in sums.iter_mut().zip(&layer.files) {
                let path = directory.path().join(&file.path);
                assert_eq!(fs::metadata(&path).unwrap().len(), file.bytes);
                let white = if bits == Bits::Sixteen { 65535 } else { 255 };
                let levels: u64 = read(&path).into_iter().map(u64::from).sum();
                assert_eq!(file.level_sum, Some(levels * bits.white() / white), "{}", file.path);
                *sum += levels as f64 / white as f64;
            }
        }
        let pixel = images.pitch[0] * images.pitch[1] * manifest.parameters.layer_height;
        let [volume, moment] = sums.map(|sum| sum * pixel / Cone::volume());
        // the cone is sampled in 8 × 8 points per pixel and 2 planes per layer: 5e-5
        assert!((volume - 1.0).abs() < 2e-4, "{bits:?}: {volume}");
        // x is 0 on the average, the middle of black and white
        assert!((moment - 0.5).abs() < 1e-4, "{bits:?}: {moment}");
    }
}

#[test]
fn an_attribute_is_shaded_by_its_range_and_the_coverage() {
    let directory = tempdir().unwrap();
    let options = ImageOptions {
        bits: Bits::Sixteen,
        attributes: vec![(1, [1.0, -0.5]), (0, [0.0, 1.0])], // the first from white to black
        ..options()
    };
    let cone = Cone::new();
    slice(&cone, 7..8, open(directory.path(), options.clone(), false).unwrap());
    let manifest = manifest(directory.path());
    let paths: Vec<_> = manifest.layers[0].files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        ["coverage/00007_z-0.1250.png", "heat___height/00007_z-0.1250.png", "x/00007_z-0.1250.png"]
    );
    let [coverage, height, x] = [0, 1, 2].map(|i| read(&directory.path().join(paths[i])));
    let stack = setting().stack;
    assert_eq!(
        coverage,
        cone.coverage(&stack.planes(7, 2), &options.grid, Sampling::Area).unwrap()
    );
    for (i, &covered) in coverage.iter().enumerate() {
        let [columns, _] = options.grid.size;
        let [at, _] = options.grid.center(i % columns, i / columns);
        let close = |level: u16, part: f64| {
            let exact = part.clamp(0.0, 1.0) * f64::from(covered);
            assert!((f64::from(level) - exact).abs() <= 0.5 + 1e-6, "{i}: {level} {exact}");
        };
        close(height[i], (1.0 + 0.125) / 1.5);
        close(x[i], at);
    }
}
