//! Gray levels as black and white, and shares as materials, by an ordered dither.
//!
//! A pixel is white where its gray level is above a threshold that depends on its column,
//! row and layer alone, so that any part of an image or of a stack comes out like the
//! whole. The thresholds are a Kronecker sequence: multiples of the powers of 1/g modulo
//! 1, with g⁴ = g + 1 (the generalized golden ratio of three dimensions), which spread evenly
//! in every layer and from layer to layer: droplets do not pile up in columns.
//!
//! Several materials share the threshold: each has an interval of the thresholds, one after the
//! other, as long as its share. Intervals do not meet, so a pixel has one material or none, and
//! the pixels of all materials are those that are white by the sum of the shares. A Kronecker
//! sequence moved by a constant is the same sequence from another place, so the pixels of an
//! interval are spread as evenly wherever it lies: no material is better off for its place in the
//! list. (Masks of blue noise are made for intervals that begin at 0.)

/// g⁻¹, g⁻² and g⁻³ in 32-bit fractions.
const SEQUENCE_STEPS: [u32; 3] = [3_518_319_155, 2_882_110_345, 2_360_945_575];

/// The threshold of a pixel as a 32-bit fraction.
pub fn threshold(column: usize, row: usize, layer: usize) -> u32 {
    // numbers modulo 2³²: the sequence goes on from there
    let at = [column, row, layer].map(|i| i as u32);
    (0..3).fold(1 << 31, |t: u32, d| t.wrapping_add(at[d].wrapping_mul(SEQUENCE_STEPS[d])))
}

/// Whether a gray level of 0 to 65535 is above a threshold.
pub fn is_above(level: u16, threshold: u32) -> bool {
    u64::from(level) << 32 > u64::from(threshold) * 65535
}

/// Whether a pixel of gray level 0 to 65535 is white.
pub fn is_white(level: u16, column: usize, row: usize, layer: usize) -> bool {
    is_above(level, threshold(column, row, layer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_powers_of_the_ratio() {
        let mut g = 1.2_f64;
        for _ in 0..60 {
            g -= (g.powi(4) - g - 1.0) / (4.0 * g.powi(3) - 1.0);
        }
        for (d, step) in SEQUENCE_STEPS.into_iter().enumerate() {
            let exact = (32.0_f64).exp2() * g.powi(-(d as i32) - 1);
            assert!((exact - f64::from(step)).abs() <= 0.5, "{d}: {exact} {step}");
        }
    }

    #[test]
    fn levels_are_kept_on_the_average() {
        for level in [0, 1, 300, 9_000, 32_768, 50_000, 65_534, 65_535] {
            let n = 200;
            for layer in [0, 77] {
                let white = (0..n * n).filter(|i| is_white(level, i % n, i / n, layer)).count();
                let share = white as f64 / (n * n) as f64;
                assert!((share - f64::from(level) / 65535.0).abs() < 2e-3, "{level}: {share}");
            }
            // along the layers as well
            let white = (0..1000).filter(|&k| is_white(level, 5, 9, k)).count();
            assert!((white as f64 / 1e3 - f64::from(level) / 65535.0).abs() < 5e-3, "{level}");
        }
    }

    /// Intervals of thresholds in cubes of 8³ pixels: within 0.4 of what independent random
    /// thresholds leave, wherever the interval lies.
    #[test]
    fn intervals_are_kept_in_every_neighborhood() {
        let (n, size) = (64_usize, 8);
        for [from, to] in [[0.0, 0.25], [0.25, 0.5], [0.4, 0.5], [0.2, 0.7], [0.9, 1.0_f64]] {
            let [low, high] = [from, to].map(|x| (x * 65535.0).round() as u16);
            let mut counts = vec![0_u32; (n / size).pow(3)];
            for i in 0..n * n * n {
                let at = [i % n, i / n % n, i / n / n];
                let threshold = threshold(at[0], at[1], at[2]);
                let [x, y, z] = at.map(|k| k / size);
                let cube = x + n / size * (y + n / size * z);
                counts[cube] += u32::from(is_above(high, threshold) && !is_above(low, threshold));
            }
            let (pixels, share) = ((size * size * size) as f64, to - from);
            let squares = counts.iter().map(|&c| (f64::from(c) / pixels - share).powi(2));
            let error = (squares.sum::<f64>() / counts.len() as f64).sqrt();
            let random = (share * (1.0 - share) / pixels).sqrt();
            assert!(error < 0.4 * random, "{from} to {to}: {error} {random}");
        }
    }
}
