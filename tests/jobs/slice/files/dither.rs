//! Black and white pixels of gray levels, over pixels and layers.

use subsolid::slice::{Bits, Flip, ImageFile, ImageFormat};

use super::images::decode;

/// Whether each pixel of an image of one gray level is white, `[row][column]`.
pub fn whites(level: u16, size: [usize; 2], layer: usize) -> Vec<bool> {
    let format = ImageFormat {
        size,
        bits: Bits::One,
        flip: Flip::None,
        meters: [1e-4; 2],
        file: ImageFile::Png,
    };
    let image = format.encode(&vec![level; size[0] * size[1]], layer).unwrap();
    let rows: Vec<u16> = decode(&image.bytes).1;
    rows.chunks(size[0]).rev().flatten().map(|&level| level > 0).collect()
}

#[test]
fn levels_are_kept_on_the_average() {
    let share = |level: u16| f64::from(level) / 65535.0;
    for level in [0, 1, 300, 9_000, 32_768, 50_000, 65_534, 65_535] {
        for layer in [0, 77] {
            let found = whites(level, [200; 2], layer);
            let white = found.iter().filter(|&&white| white).count();
            let found = white as f64 / found.len() as f64;
            assert!((found - share(level)).abs() < 2e-3, "{level}: {found}");
        }
    }
    // along the layers as well
    for level in [300, 32_768, 50_000] {
        let white = (0..1000).filter(|&layer| whites(level, [6, 10], layer)[9 * 6 + 5]).count();
        assert!((white as f64 / 1e3 - share(level)).abs() < 5e-3, "{level}: {white}");
    }
}

/// Intervals of thresholds in cubes of 8³ pixels: within 0.4 of what independent random thresholds
/// leave, wherever the interval lies.
#[test]
fn intervals_are_kept_in_every_neighborhood() {
    let (n, side) = (64_usize, 8);
    for [from, to] in [[0.0, 0.25], [0.25, 0.5], [0.4, 0.5], [0.2, 0.7], [0.9, 1.0_f64]] {
        let [low, high] = [from, to].map(|x| (x * 65535.0).round() as u16);
        let mut counts = vec![0_u32; (n / side).pow(3)];
        for layer in 0..n {
            let [low, high] = [low, high].map(|level| whites(level, [n; 2], layer));
            for pixel in (0..n * n).filter(|&pixel| high[pixel] && !low[pixel]) {
                let [x, y, z] = [pixel % n, pixel / n, layer].map(|i| i / side);
                counts[x + n / side * (y + n / side * z)] += 1;
            }
        }
        let (pixels, share) = (side.pow(3) as f64, to - from);
        let squares = counts.iter().map(|&count| (f64::from(count) / pixels - share).powi(2));
        let error = (squares.sum::<f64>() / counts.len() as f64).sqrt();
        let random = (share * (1.0 - share) / pixels).sqrt();
        assert!(error < 0.4 * random, "{from} to {to}: {error} {random}");
    }
}
