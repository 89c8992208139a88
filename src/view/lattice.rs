//! Control points of patches as 16-bit numbers.
//!
//! A patch's coordinates are multiples of a power of two, its step, at least 2⁻¹⁶ of its extent.
//! Patches of one step round a shared point alike, so that they stay watertight.

use super::scene::{Blob, Scene};
use crate::numbers::bounds;

/// Least step of the boundary, over the size of the model: multiples fit in 32 bits, and a close
/// view of a small patch is smooth.
pub const FINE: f64 = 1.0 / (1 << 28) as f64;
/// Least step of the inside, over the size of the model.
pub const COARSE: f64 = 1.0 / (1 << 18) as f64;

/// Bézier points of patches, added one by one.
#[derive(Debug)]
pub struct Lattice {
    least: f64,
    exponents: Vec<i8>,
    bases: Vec<i32>,
    numbers: Vec<u16>,
}

impl Lattice {
    /// No patches; steps are `least` times the size of the model or more.
    pub fn new(least: f64) -> Self {
        Self { least, exponents: Vec::new(), bases: Vec::new(), numbers: Vec::new() }
    }

    /// Adds a patch of points relative to the scene's center and size.
    pub fn push(&mut self, scene: &Scene, points: impl Iterator<Item = [f64; 3]> + Clone) {
        let local = |p: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|d| (p[d] - scene.center[d]) / scene.size)
        };
        let around = bounds::around(points.clone().map(local));
        let extent = bounds::longest_side(around);
        // one number to spare at each end, for rounding
        let exponent = (extent / f64::from(u16::MAX - 2)).max(self.least).log2().ceil();
        let step = exponent.exp2();
        let base = around[0].map(|x| (x / step).floor() as i32);
        self.exponents.push(exponent as i8);
        self.bases.extend(base);
        let number = |x: f64, d: usize| {
            ((x / step).round() - f64::from(base[d])).clamp(0.0, f64::from(u16::MAX)) as i32
        };
        let numbers: Vec<[i32; 3]> =
            points.map(local).map(|p| std::array::from_fn(|d| number(p[d], d))).collect();
        for (place, own) in numbers.iter().enumerate() {
            let predicted = predicted(&numbers, place);
            self.numbers.extend((0..3).map(|d| zigzag(own[d] - predicted[d])));
        }
    }

    /// Appends what another holds.
    pub fn append(&mut self, other: Self) {
        self.exponents.extend(other.exponents);
        self.bases.extend(other.bases);
        self.numbers.extend(other.numbers);
    }

    /// Writes the sections: `exponent` of the step (of 2), `base` in steps, `points` in steps above
    /// the base; times the size, plus the center. Points but the corners are stored as differences
    /// from [`predicted`] values, which are small and compress well: [`zigzag`].
    pub fn write(&self, blob: &mut Blob) {
        blob.push("exponent", &self.exponents);
        blob.push("base", &self.bases);
        blob.push_split("points", &self.numbers);
    }
}

/// What the points on the border of its edge, face or box predict for a point, rounded down: their
/// transfinite interpolation (Gordon and Hall 1973, Boolean sum of linear projectors). 0 for the
/// corners.
fn predicted(numbers: &[[i32; 3]], place: usize) -> [i32; 3] {
    let dimensions = if numbers.len() == 16 { 2 } else { 3 };
    let free = free(place, dimensions);
    if free == 0 {
        return [0; 3];
    }
    let mut sum = [0; 3];
    // every set of the free directions, in which ends take the place of the point
    for set in (1..1_u32 << dimensions).filter(|set| set & !free == 0) {
        let count = set.count_ones();
        let sign = if count % 2 == 1 { 1 } else { -1 };
        let scale = sign * 3_i32.pow(dimensions - count);
        for ends in (0..1_u32 << dimensions).filter(|ends| ends & !set == 0) {
            let (mut weight, mut at) = (scale, place);
            for d in (0..dimensions).filter(|d| set >> d & 1 == 1) {
                let (along, high) = (place >> (2 * d) & 3, ends >> d & 1 == 1);
                weight *= (if high { along } else { 3 - along }) as i32;
                at = at & !(3 << (2 * d)) | if high { 3 << (2 * d) } else { 0 };
            }
            (0..3).for_each(|d| sum[d] += weight * numbers[at][d]);
        }
    }
    sum.map(|x| x.div_euclid(3_i32.pow(dimensions)))
}

/// Directions in which a point is at no end, as bits.
fn free(place: usize, dimensions: u32) -> u32 {
    (0..dimensions).filter(|d| !matches!(place >> (2 * d) & 3, 0 | 3)).map(|d| 1 << d).sum()
}

/// A difference modulo 2¹⁶, with small numbers of either sign as small ones.
fn zigzag(difference: i32) -> u16 {
    let wrapped = difference as i16;
    (wrapped << 1 ^ wrapped >> 15) as u16
}
