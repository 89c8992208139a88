//! Materials that share the pixels, and the files of all layers in one.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use subsolid::slice::manifest::{Files, Images, Manifest};
use subsolid::slice::output::{
    Exposure, ImageArchive, ImageDirectory, ImageOptions, PrusaArchive, archive,
};
use subsolid::slice::{
    Bits, Channel, Flip, ImageFile, Job, Layer, LayerPixels, LayerSource, Materials, PixelGrid,
    PixelPlaces, Sampling,
};
use subsolid::{Error, Result};
use tempfile::tempdir;
use zune_png::PngDecoder;
use zune_png::zune_core::bytestream::ZCursor;
use zune_png::zune_core::result::DecodingResult;

use super::cone::{Cone, files, manifest, options, setting};

use crate::support::refused;

const COLORS: [[u8; 3]; 3] = [[200, 10, 30], [1, 2, 3], [0, 255, 128]];

/// The cone of three materials, whose fractions follow from x alone and sum to 1, or to 1.5 above
/// the height `bad`; the pixels of column i are of cell i.
struct Mixture {
    cone: Cone,
    channels: Vec<Channel>,
    bad: f64,
}

impl Mixture {
    fn new() -> Self {
        let channel =
            |name: &str| Channel { name: name.into(), attribute: name.into(), range: [0.0, 1.0] };
        let channels = ["steel", "copper", "glass / clear"].map(channel).into();
        Self { cone: Cone::new(), channels, bad: f64::INFINITY }
    }

    fn at(&self, x: f64, height: f64) -> [f64; 3] {
        let steel = (0.5 + 0.25 * x).clamp(0.0, 1.0);
        let more = if height > self.bad { 0.5 } else { 0.0 };
        [steel + more, 0.3 * (1.0 - steel), 0.7 * (1.0 - steel)]
    }

    fn options(&self) -> ImageOptions {
        let of = [0, 1, 2].map(|i| (i, Some(COLORS[i])));
        let materials = Some(Materials::fractions(&self.channels, &of).unwrap());
        ImageOptions { attributes: Vec::new(), materials, ..options() }
    }
}

impl LayerSource for Mixture {
    fn contours(&self, index: usize, height: f64) -> Result<Layer> {
        self.cone.contours(index, height)
    }

    fn coverage(&self, heights: &[f64], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>> {
        self.cone.coverage(heights, grid, sampling)
    }

    fn attributes(&self, pixels: &LayerPixels<'_>, coverage: &[u16]) -> Result<Vec<f64>> {
        let LayerPixels { grid, height, .. } = *pixels;
        let pixels = (0..coverage.len()).filter(|&i| coverage[i] > 0);
        let x = |i: usize| grid.center(i % grid.size[0], i / grid.size[0])[0];
        Ok(pixels.flat_map(|i| self.at(x(i), height)).collect())
    }

    fn places(&self, height: f64, grid: &PixelGrid) -> Result<PixelPlaces> {
        let coverage = self.coverage(&[height], grid, Sampling::Center)?;
        let covered = |&i: &u32| coverage[i as usize] > 0;
        let pixels: Vec<u32> = (0..coverage.len() as u32).filter(covered).collect();
        let cells = pixels.iter().map(|i| i % grid.size[0] as u32).collect();
        Ok(PixelPlaces { pixels, cells, ..PixelPlaces::default() })
    }

    fn attributes_at(&self, _points: &[[f64; 3]], _inward: &[[f64; 3]]) -> Result<Vec<f64>> {
        Err(Error::request("no attributes at points"))
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }
}

fn run(source: &Mixture, output: impl subsolid::slice::output::Output) -> Result<()> {
    let stack = setting().stack;
    let layers = 0..stack.count();
    let job = Job { source, stack, layers, outputs: vec![Box::new(output)] };
    job.run(|_| std::ops::ControlFlow::Continue(())).map(drop)
}

fn directory(at: &Path, options: ImageOptions) -> Result<Manifest> {
    let source = Mixture::new();
    let output = ImageDirectory::open(at, &setting(), options, &source.channels, false)?;
    run(&source, output)?;
    Ok(manifest(at))
}

fn images(manifest: &Manifest) -> &Images {
    match &manifest.parameters.files {
        Files::Png(images) | Files::Bmp(images) => images,
        Files::Svg { .. } => panic!("drawings"),
    }
}

/// Samples of an image, `[pixel][sample]` from the top, and samples per pixel.
fn decode(bytes: &[u8]) -> (usize, Vec<u8>) {
    let mut decoder = PngDecoder::new(ZCursor::new(bytes));
    let DecodingResult::U8(samples) = decoder.decode().unwrap() else { panic!("16 bits") };
    (decoder.colorspace().unwrap().num_components(), samples)
}

/// Numbers of the materials of an image, by the colors.
fn numbers(bytes: &[u8]) -> Vec<u8> {
    let (width, samples) = decode(bytes);
    let number = |color: &[u8]| match COLORS.iter().position(|known| color[..3] == *known) {
        Some(place) => place as u8 + 1,
        None => {
            assert_eq!(color[..3], [0; 3]);
            0
        }
    };
    samples.chunks_exact(width).map(number).collect()
}

/// Every pixel has one material or none; all materials together are the dithered coverage; the
/// manifest counts them; fractions are kept, over all layers and where x is about the same.
#[test]
fn materials_share_the_coverage() {
    let at = tempdir().unwrap();
    let mixture = Mixture::new();
    let [indexed, dithered, separate] =
        ["indexed", "dithered", "separate"].map(|n| at.path().join(n));
    let found = directory(&indexed, mixture.options()).unwrap();
    let plain = ImageOptions { bits: Bits::One, materials: None, ..mixture.options() };
    let coverage = directory(&dithered, plain).unwrap();
    let alone = ImageOptions { separate: true, ..mixture.options() };
    let each = directory(&separate, alone).unwrap();

    let listed = &images(&found).materials;
    assert_eq!(listed.iter().map(|m| m.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((listed[0].color.as_str(), listed[2].name.as_str()), ("#c80a1e", "glass / clear"));
    assert!(listed.iter().all(|m| m.folder == "materials" && m.id.is_none()));
    assert!(images(&found).stacks.is_empty());
    let folders: Vec<&str> = images(&each).materials.iter().map(|m| m.folder.as_str()).collect();
    assert_eq!(folders, ["steel", "copper", "glass___clear"]);

    let columns = images(&found).resolution[0];
    // [bin of columns][material]: pixels and what they should be
    let mut counts = vec![[[0.0; 2]; 3]; 4];
    let layers = found.layers.iter().zip(&coverage.layers).zip(&each.layers);
    for ((indexed_layer, coverage_layer), each_layer) in layers {
        let read = |folder: &Path, path: &str| std::fs::read(folder.join(path)).unwrap();
        let painted = numbers(&read(&indexed, &indexed_layer.files[0].path));
        let (_, white) = decode(&read(&dithered, &coverage_layer.files[0].path));
        let bits: Vec<Vec<u8>> =
            each_layer.files.iter().map(|file| decode(&read(&separate, &file.path)).1).collect();
        assert_eq!((each_layer.files.len(), indexed_layer.files.len()), (3, 1));
        for (pixel, (&number, &white)) in painted.iter().zip(&white).enumerate() {
            assert_eq!(number > 0, white > 0, "{pixel}");
            for (own, image) in (1..).zip(&bits) {
                assert_eq!(image[pixel] > 0, own == number, "{pixel}");
            }
            let grid = mixture.options().grid;
            let x = grid.center(pixel % columns, 0)[0];
            let bin = &mut counts[4 * (pixel % columns) / columns];
            for (place, fraction) in mixture.at(x, 0.0).into_iter().enumerate() {
                bin[place][0] += f64::from(u8::from(usize::from(number) == place + 1));
                bin[place][1] += fraction * f64::from(u8::from(white > 0));
            }
        }
        let pixels = |own: u8| painted.iter().filter(|&&number| number == own).count() as u64;
        assert_eq!(indexed_layer.files[0].pixels, [1, 2, 3].map(pixels));
        assert_eq!(indexed_layer.files[0].level_sum, None);
        let sums: Vec<u64> = each_layer.files.iter().filter_map(|file| file.level_sum).collect();
        assert_eq!(sums, [1, 2, 3].map(pixels));
    }
    for bin in &counts {
        let all: f64 = bin.iter().map(|material| material[1]).sum();
        for [found, expected] in bin {
            assert!((found - expected).abs() < 5e-3 * all, "{counts:?}");
        }
    }
}

#[test]
fn what_has_no_material_is_refused_with_its_place() {
    let at = tempdir().unwrap();
    let mut mixture = Mixture::new();
    mixture.bad = 0.31; // layers are 0.05 high from -0.5
    let path = at.path().join("layers");
    let channels = mixture.channels.clone();
    let output =
        ImageDirectory::open(&path, &setting(), mixture.options(), &channels, false).unwrap();
    let error = run(&mixture, output).unwrap_err().to_string();
    assert!(error.starts_with("layer 16: the pixel of column "), "{error}");
    assert!(error.contains("has fractions that sum to 1.5"), "{error}");
    // the first pixel is on the border; one inside names its cell
    let inside = ImageOptions { antialias: None, ..mixture.options() };
    let output =
        ImageDirectory::open(at.path().join("more"), &setting(), inside, &channels, false).unwrap();
    let error = run(&mixture, output).unwrap_err().to_string();
    let number = |before: &str| -> u32 {
        let rest = error.split_once(before).unwrap_or_else(|| panic!("{error}")).1;
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    assert_eq!(number("column "), number("in cell "));
}

/// The files of a zip.
fn unzip(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let count = zip.len();
    let read = |i| {
        let mut file = zip.by_index(i).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        (file.name().unwrap().into_owned(), bytes)
    };
    (0..count).map(read).collect()
}

#[test]
fn a_zip_needs_no_directory() {
    let at = tempdir().unwrap();
    let mixture = Mixture::new();
    let path = |name: &str| at.path().join(name);
    let options = ImageOptions { attributes: vec![(0, [0.0, 1.0])], ..mixture.options() };
    directory(&path("layers"), options.clone()).unwrap();
    archive(path("packed.zip"), path("layers")).unwrap();
    let output =
        ImageArchive::create(path("alone.zip"), &setting(), options, &mixture.channels).unwrap();
    run(&mixture, output).unwrap();
    let [packed, alone] =
        ["packed.zip", "alone.zip"].map(|name| std::fs::read(path(name)).unwrap());
    assert!(packed == alone);
    assert!(unzip(&path("alone.zip")) == files(&path("layers")));
    assert_eq!(files(at.path()).keys().filter(|name| !name.contains('/')).count(), 2);
}

#[test]
fn bitmaps_have_the_pixels_of_images() {
    let at = tempdir().unwrap();
    let options = Mixture::new().options();
    let of = |name: &str, file, bits, materials: bool| {
        let materials = options.materials.clone().filter(|_| materials);
        let path = at.path().join(name);
        let manifest =
            directory(&path, ImageOptions { file, bits, materials, ..options.clone() }).unwrap();
        std::fs::read(path.join(&manifest.layers[4].files[0].path)).unwrap()
    };
    for (name, bits, materials) in
        [("indexed", Bits::Eight, true), ("gray", Bits::Eight, false), ("bits", Bits::One, false)]
    {
        let png = of(&format!("{name} png"), ImageFile::Png, bits, materials);
        let bmp = of(&format!("{name} bmp"), ImageFile::Bmp, bits, materials);
        let number = |at: usize| u32::from_le_bytes(bmp[at..at + 4].try_into().unwrap()) as usize;
        let [columns, rows, start] = [18, 22, 10].map(number);
        assert_eq!((bmp.len(), [columns, rows]), (number(2), options.grid.size));
        let depth = usize::from(bmp[28]);
        let stride = (columns * depth).div_ceil(32) * 4;
        let (width, samples) = decode(&png);
        for (i, color) in samples.chunks_exact(width).enumerate() {
            let (row, column) = (rows - 1 - i / columns, i % columns);
            let byte = bmp[start + row * stride + column * depth / 8];
            let index = if depth == 1 { byte >> (7 - column % 8) & 1 } else { byte };
            let [blue, green, red] = [0, 1, 2].map(|d| bmp[54 + 4 * usize::from(index) + d]);
            let rgb = if width == 1 { [color[0]; 3] } else { [color[0], color[1], color[2]] };
            assert_eq!([red, green, blue], rgb, "{name} {i}");
        }
    }
    let sixteen = ImageOptions {
        file: ImageFile::Bmp,
        bits: Bits::Sixteen,
        materials: None,
        ..options.clone()
    };
    refused(directory(&at.path().join("sixteen"), sixteen), "bitmaps of 16 bits per pixel");
}

#[test]
fn an_archive_of_prusa_has_gray_layers_and_their_exposure() {
    let at = tempdir().unwrap();
    let mixture = Mixture::new();
    let path = at.path().join("my cone.sl1");
    let options = ImageOptions { flip: Flip::Horizontal, ..mixture.options() };
    let exposure = Exposure { seconds: 6.5, first: 35.0, faded: 10 };
    let output =
        PrusaArchive::create(&path, &setting(), options.clone(), exposure, &mixture.channels);
    run(&mixture, output.unwrap()).unwrap();
    let found = unzip(&path);
    let gray = ImageOptions { materials: None, ..options.clone() };
    directory(&at.path().join("gray"), gray).unwrap();
    for (layer, bytes) in files(&at.path().join("gray/coverage")).into_values().enumerate() {
        assert!(found[&format!("my_cone{layer:05}.png")] == bytes, "{layer}");
    }
    assert_eq!(found.len(), setting().stack.count() + 2);
    let values = |name: &str| -> BTreeMap<String, String> {
        let text = String::from_utf8(found[name].clone()).unwrap();
        let pair = |line: &str| line.split_once(" = ").map(|(a, b)| (a.into(), b.into()));
        text.lines().map(|line| pair(line).unwrap()).collect()
    };
    let config = values("config.ini");
    for (key, value) in [
        ("action", "print"),
        ("jobDir", "my_cone"),
        ("expTime", "6.5"),
        ("expTimeFirst", "35"),
        ("layerHeight", "0.05"),
        ("numFade", "10"),
    ] {
        assert_eq!(config[key], value, "{key}");
    }
    let number = |key: &str| config[key].parse::<f64>().unwrap();
    assert_eq!(number("numSlow") + number("numFast"), setting().stack.count() as f64);
    assert!((number("usedMaterial") / (Cone::volume() / 1e3) - 1.0).abs() < 1e-4); // 3e-5
    // the first, nine in between, and the rest
    let time = 35.0 + (1..10).map(|k| 35.0 - 2.85 * f64::from(k)).sum::<f64>() + 20.0 * 6.5;
    assert!((number("printTime") - time).abs() < 1e-9, "{} {time}", number("printTime"));
    let printer = values("prusaslicer.ini");
    let size = options.grid.size;
    assert_eq!(printer["display_pixels_x"], size[0].to_string());
    let width: f64 = printer["display_width"].parse().unwrap();
    assert!((width - 0.03 * size[0] as f64).abs() < 1e-12);
    assert_eq!((&*printer["display_mirror_x"], &*printer["display_mirror_y"]), ("1", "0"));
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(
            Exposure { seconds, ..exposure }.check(),
            &format!("an exposure of {seconds} seconds"),
        );
    }
}
