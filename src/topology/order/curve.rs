//! Keys along the Hilbert curve.
//!
//! After Skilling, "Programming the Hilbert curve" (2004). Neighbors on this curve are always
//! neighbors in space, unlike on Morton's, so that runs of it are compact patches with short
//! boundaries. The price, some 60 bit operations per level of the curve, is small beside the sort.

use crate::numbers::bounds;

/// Bits of each coordinate: three of them fill 63 bits.
const BITS: u32 = 21;

/// The cube that the keys divide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    // halved, so that no difference overflows
    origin: [f64; 3],
    scale: f64,
}

impl Curve {
    /// The least cube around `points` that has the corner of least coordinates of their box.
    pub fn around(points: &[[f64; 3]]) -> Self {
        let around = bounds::around(points.iter().map(|p| p.map(|x| 0.5 * x)));
        let side = bounds::longest_side(around);
        Self { origin: around[0], scale: if side > 0.0 { side } else { 1.0 } }
    }

    /// Number of a point along the curve.
    pub fn key(&self, point: [f64; 3]) -> u64 {
        let last = f64::from((1u32 << BITS) - 1);
        let place = |d: usize| {
            let along = (0.5 * point[d] - self.origin[d]) / self.scale;
            (along * last) as u32 // saturates
        };
        key([0, 1, 2].map(|d| place(d).min((1 << BITS) - 1)), BITS)
    }
}

/// Index along the curve of a place in a grid of 2^`bits` places per side.
fn key(mut place: [u32; 3], bits: u32) -> u64 {
    for bit in (1..bits).rev() {
        let (above, below) = (1 << bit, (1 << bit) - 1);
        for d in 0..3 {
            if place[d] & above != 0 {
                place[0] ^= below;
            } else {
                let swapped = (place[0] ^ place[d]) & below;
                place[0] ^= swapped;
                place[d] ^= swapped;
            }
        }
    }
    place[1] ^= place[0];
    place[2] ^= place[1];
    let odd = (1..bits).filter(|bit| place[2] >> bit & 1 == 1);
    let flip = odd.fold(0, |flip, bit| flip ^ ((1 << bit) - 1));
    (0..bits).rev().fold(0, |key, bit| {
        place.iter().fold(key, |key, x| key << 1 | u64::from((x ^ flip) >> bit & 1))
    })
}
