//! The lowest point of patches.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::bicubic::BicubicPatch;
use crate::basis::bernstein;

/// Heights of the Bézier points `[v][u]` of a part of a patch, or other coordinates of theirs.
pub type Heights = [[f64; 4]; 4];

/// Halvings after which the tolerance doubles: more are needed only where surfaces are flat but
/// for rounding.
const HALVINGS_PER_TOLERANCE: usize = 1 << 16;

/// Height of the lowest point of all patches, from the lowest corner of all and the patches that
/// may be lower by more than `tolerance`, in the order of all; and how much too high it is, at
/// most.
///
/// A part lies above its lowest Bézier point and reaches down to its corners. The part with the
/// lowest Bézier point is halved until no part may be lower than the lowest corner.
pub fn lowest(
    mut least: f64,
    lower: impl Iterator<Item = Heights>,
    mut tolerance: f64,
) -> [f64; 2] {
    let mut parts: BinaryHeap<Candidate> = lower.map(Candidate::new).collect();
    let mut halvings = 0_usize;
    while let Some(part) = parts.pop().filter(|part| part.bound < least - tolerance) {
        halvings += 1;
        if halvings.is_multiple_of(HALVINGS_PER_TOLERANCE) {
            tolerance *= 2.0;
        }
        for half in halves(&part.heights) {
            least = least.min(lowest_corner(&half));
            let half = Candidate::new(half);
            if half.bound < least - tolerance {
                parts.push(half);
            }
        }
    }
    [least, tolerance]
}

/// Coordinates of a patch along an axis, the other way round if the sign is −1.
pub fn along(patch: &BicubicPatch, (axis, sign): (usize, f64)) -> Heights {
    patch.0.map(|row| row.map(|point| sign * point[axis]))
}

struct Candidate {
    bound: f64,
    heights: Heights,
}

impl Candidate {
    fn new(heights: Heights) -> Self {
        Self { bound: bound(&heights), heights }
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    /// The lowest bound is the greatest: a heap gives it first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound)
    }
}

/// Nothing of a patch is lower.
pub fn bound(heights: &Heights) -> f64 {
    heights.as_flattened().iter().copied().fold(f64::INFINITY, f64::min)
}

/// The lowest corner of a patch.
pub fn lowest_corner(heights: &Heights) -> f64 {
    let [first, .., last] = heights;
    first[0].min(first[3]).min(last[0]).min(last[3])
}

/// Halves along the parameter that the patch bends by more: a valley is halved across.
fn halves(heights: &Heights) -> [Heights; 2] {
    let columns = transposed(heights);
    let bend = |rows: &Heights| {
        let bends = rows.iter().flat_map(|row| row.windows(3));
        bends.map(|w| (w[0] - 2.0 * w[1] + w[2]).abs()).fold(0.0, f64::max)
    };
    if bend(heights) >= bend(&columns) {
        let rows = heights.map(halves_of_row);
        [0, 1].map(|half| rows.map(|row| row[half]))
    } else {
        let rows = columns.map(halves_of_row);
        [0, 1].map(|half| transposed(&rows.map(|row| row[half])))
    }
}

fn transposed(heights: &Heights) -> Heights {
    std::array::from_fn(|i| std::array::from_fn(|j| heights[j][i]))
}

fn halves_of_row(row: [f64; 4]) -> [[f64; 4]; 2] {
    bernstein::halves(row, |x, y| 0.5 * (x + y))
}
