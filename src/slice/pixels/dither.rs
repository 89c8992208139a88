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
