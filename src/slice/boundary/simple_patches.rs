//! Cutting patches until every plane crosses them simply.
//!
//! A patch is *simple* if its height rises or falls along u, or along v, all over:
//! then a plane's curve in it is a graph over the other parameter, a combinatorial
//! matter of where it crosses the sides, without loops. What remains around peaks,
//! pits, saddles and ridges is cut until it is *flat*: a plane's curve in it may be
//! replaced by chords, closer than the tolerance. Neither depends on the plane, so
//! this is done once.

use super::bicubic::{BicubicPatch, HEIGHT};
use crate::numbers::vector::distance;

/// How a plane crosses a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slope {
    /// +1 or -1 where the height rises or falls with u, else 0.
    pub along_u: i8,
    /// +1 or -1 where the height rises or falls with v, else 0.
    pub along_v: i8,
}

impl Slope {
    /// Whether curves in the patch are chords.
    pub fn is_flat(self) -> bool {
        self.along_u == 0 && self.along_v == 0
    }
}

/// What counts as flat.
#[derive(Clone, Copy, Debug)]
pub struct Flatness {
    /// Heights closer than this are one plane.
    pub height: f64,
    /// Distance from the nearest flat parallelogram, in length units.
    pub deviation: f64,
    /// Height differences below this are rounding.
    pub rounding: f64,
}

/// A part of a patch, `[s0, t0, s1, t1]` in the parameters of its face.
#[derive(Clone, Copy, Debug)]
pub struct SubPatch {
    pub rectangle: [u32; 4],
    pub points: BicubicPatch,
    pub slope: Slope,
}

/// Cuts `points` over `rectangle`, appending parts in a fixed order.
pub fn cut(
    points: &BicubicPatch,
    rectangle: [u32; 4],
    flatness: &Flatness,
    parts: &mut Vec<SubPatch>,
) {
    let slope = slope(points, flatness.rounding);
    let [s0, t0, s1, t1] = rectangle;
    // sides of corner elements lie on halves of edges, hence even places
    let can = [s1 - s0 >= 4, t1 - t0 >= 4];
    if !slope.is_flat() || is_flat(points, flatness) || can == [false; 2] {
        parts.push(SubPatch { rectangle, points: *points, slope });
        return;
    }
    let direction = match can {
        [true, true] => direction(points, flatness),
        [true, false] => 0,
        _ => 1,
    };
    let halves = points.halves(direction);
    let rectangles = if direction == 0 {
        let middle = s0 + (s1 - s0) / 2;
        [[s0, t0, middle, t1], [middle, t0, s1, t1]]
    } else {
        let middle = t0 + (t1 - t0) / 2;
        [[s0, t0, s1, middle], [s0, middle, s1, t1]]
    };
    for (half, rectangle) in halves.iter().zip(rectangles) {
        cut(half, rectangle, flatness, parts);
    }
}

fn slope(points: &BicubicPatch, rounding: f64) -> Slope {
    let b = &points.0;
    let z = |j: usize, i: usize| b[j][i][HEIGHT];
    let along_u = (0..12).map(|k| z(k / 3, k % 3 + 1) - z(k / 3, k % 3));
    let along_v = (0..12).map(|k| z(k / 4 + 1, k % 4) - z(k / 4, k % 4));
    Slope { along_u: sign(along_u, rounding), along_v: sign(along_v, rounding) }
}

/// +1 if no difference is negative and some are positive, up to rounding.
fn sign(differences: impl Iterator<Item = f64>, rounding: f64) -> i8 {
    let [low, high] = differences
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], d| [low.min(d), high.max(d)]);
    match (low < -rounding, high > rounding) {
        (false, true) => 1,
        (true, false) => -1,
        _ => 0,
    }
}

fn is_flat(points: &BicubicPatch, flatness: &Flatness) -> bool {
    let [low, high] = points.height_range();
    if high - low > flatness.height {
        return false;
    }
    // a plane that crosses a patch of one height does so by rounding
    high - low <= flatness.rounding || deviation(points) <= flatness.deviation
}

/// Largest distance of a Bézier point from its place in the parallelogram at the
/// first corner.
fn deviation(points: &BicubicPatch) -> f64 {
    let b = &points.0;
    let mut largest: f64 = 0.0;
    for j in 0..4 {
        for i in 0..4 {
            let [s, t] = [i, j].map(|k| k as f64 / 3.0);
            let distance = (0..3).map(|d| {
                let [a, u, v] = [b[0][0][d], b[0][3][d], b[3][0][d]];
                let expected = a + s * (u - a) + t * (v - a);
                (b[j][i][d] - expected).powi(2)
            });
            largest = largest.max(distance.sum());
        }
    }
    largest.sqrt()
}

/// The direction to halve a patch in, which is not flat: the only one that its height varies in, if
/// it does by too much, as on both sides of a level ridge; else that in which it is longer.
fn direction(points: &BicubicPatch, flatness: &Flatness) -> usize {
    let b = &points.0;
    let rise = |at: &dyn Fn(usize, usize) -> [f64; 3]| {
        let line = |k: usize| (0..3).map(move |i| at(k, i + 1)[HEIGHT] - at(k, i)[HEIGHT]);
        (0..4).flat_map(line).fold(0.0, |most: f64, rise| most.max(rise.abs()))
    };
    let [low, high] = points.height_range();
    let varies = [rise(&|k, i| b[k][i]), rise(&|k, i| b[i][k])].map(|r| r > flatness.rounding);
    match varies {
        [true, false] if high - low > flatness.height => 0,
        [false, true] if high - low > flatness.height => 1,
        _ => longer(points),
    }
}

/// The direction in which the patch is longer.
fn longer(points: &BicubicPatch) -> usize {
    let b = &points.0;
    let legs = |at: &dyn Fn(usize, usize) -> [f64; 3]| -> f64 {
        (0..4).map(|k| (0..3).map(|i| distance(at(k, i), at(k, i + 1))).sum::<f64>()).sum()
    };
    let (along_u, along_v) = (legs(&|k, i| b[k][i]), legs(&|k, i| b[i][k]));
    usize::from(along_v > along_u)
}
