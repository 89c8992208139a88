//! Grey levels as black and white, by an ordered dither.
//!
//! A pixel is white where its level is above a threshold that depends on its column,
//! row and layer alone, so that any part of an image or of a stack comes out like the
//! whole. The thresholds are a Kronecker sequence: multiples of the powers of 1/g modulo
//! 1, with g⁴ = g + 1 (the generalised golden ratio of three dimensions), which spread evenly
//! in every layer and from layer to layer: droplets do not pile up in columns.

/// g⁻¹, g⁻² and g⁻³ in 32-bit fractions.
const STEPS: [u32; 3] = [3_518_319_155, 2_882_110_345, 2_360_945_575];

/// Whether a pixel of level 0 to 65535 is white.
pub fn is_white(level: u16, column: usize, row: usize, layer: usize) -> bool {
    // numbers modulo 2³²: the sequence goes on from there
    let at = [column, row, layer].map(|i| i as u32);
    let threshold = (0..3).fold(1 << 31, |t: u32, d| t.wrapping_add(at[d].wrapping_mul(STEPS[d])));
    u64::from(level) << 32 > u64::from(threshold) * 65535
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
        for (d, step) in STEPS.into_iter().enumerate() {
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
}
