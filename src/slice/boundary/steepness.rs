//! How level the boundary is at each height, for layers as high as its slope allows.
//!
//! # Practice
//! The stairs of layers of height h stand off a surface with the unit normal n by h·|n_z| at most, the
//! cusp height (Dolenc and Mäkelä 1994). N = ∂u × ∂v of a bicubic patch has Bézier points N_ij of
//! degree 5 in u and v, so that for a unit vector d in the plane N·d ≥ r |N_z| for r = min N_ij·d /
//! |N_ij,z|, and |n_z| ≤ 1/√(1 + r²): a bound, not a sample. A patch is halved until its bound is
//! near a value that it has, or it lies at few heights.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::bicubic::{BicubicPatch, HEIGHT};
use super::surface::Surface;
use crate::numbers::vector::norm;

/// How much a bound may be above a value of the patch.
const SLACK: f64 = 0.01;

/// How often a patch is halved in both directions at most.
const HALVINGS: u32 = 7;

/// Part of the longest normal of a patch below which one is rounding.
const ROUNDING: f64 = 1e-12;

/// The largest |n_z| of a boundary between equidistant heights.
#[derive(Clone, Debug, PartialEq)]
pub struct Steepness {
    low: f64,
    step: f64,
    // from low + k · step to low + (k + 1) · step
    level: Vec<f64>,
}

impl Steepness {
    /// Bounds of a surface from `low` to `high` in `count` steps.
    pub fn of(surface: &Surface, [low, high]: [f64; 2], count: usize) -> Self {
        let step = (high - low) / count.max(1) as f64;
        let empty = || Self { low, step, level: vec![0.0; count.max(1)] };
        let patches = surface.patches.par_chunks(1 << 10);
        let of_some = |mut own: Self, patches: &[_]| {
            let each = patches.iter().map(|patch: &super::surface::Patch| &patch.points);
            each.for_each(|patch| own.add(patch, HALVINGS));
            own
        };
        let both = |mut a: Self, b: Self| {
            a.level.iter_mut().zip(b.level).for_each(|(a, b)| *a = a.max(b));
            a
        };
        // a list of steps for each task: few tasks
        let tasks = 4 * rayon::current_num_threads();
        let length = surface.patches.len().div_ceil(1 << 10).div_ceil(tasks).max(1);
        patches.with_min_len(length).fold(empty, of_some).reduce(empty, both)
    }

    /// The same of a surface whose heights are multiplied by `factor`, and |n_z| by `leveling` at most.
    pub fn scaled(mut self, factor: f64, leveling: f64) -> Self {
        (self.low, self.step) = (factor * self.low, factor * self.step);
        self.level.iter_mut().for_each(|level| *level = (leveling * *level).min(1.0));
        self
    }

    /// The greatest height from `least` to `most` of a layer with its bottom at `bottom`, such that
    /// no cusp is above `cusp`; `least` where none is.
    pub fn height(&self, bottom: f64, [least, most]: [f64; 2], cusp: f64) -> f64 {
        let mut largest = 0.0_f64;
        for (k, &level) in self.level.iter().enumerate().skip(self.place(bottom)) {
            let start = self.low + self.step * k as f64 - bottom;
            if start >= most {
                break;
            }
            largest = largest.max(level);
            if cusp / largest < start + self.step {
                return (cusp / largest).max(start).clamp(least, most);
            }
        }
        // a layer may end above the model
        (cusp / largest).clamp(least, most)
    }

    /// The largest cusp of a layer between two heights.
    pub fn cusp(&self, [bottom, top]: [f64; 2]) -> f64 {
        let last = self.level.len() - 1;
        let steps = self.place(bottom)..=self.place(top).min(last);
        // a step that begins at the top is none of the layer
        let inside = steps.filter(|&k| self.low + self.step * (k as f64) < top - 1e-9 * self.step);
        let largest = inside.map(|k| self.level[k]).fold(0.0, f64::max);
        (top - bottom) * largest
    }

    /// Number of the step that a height lies in.
    fn place(&self, height: f64) -> usize {
        let place = ((height - self.low) / self.step + 1e-9).floor().max(0.0) as usize;
        place.min(self.level.len() - 1)
    }

    fn add(&mut self, patch: &BicubicPatch, halvings: u32) {
        let [low, high] = patch.height_range();
        // an end that is at a border to rounding belongs to both sides
        let at =
            |height: f64, by: f64| ((height - self.low) / self.step + by).floor().max(0.0) as usize;
        let last = self.level.len() - 1;
        let (first, end) = (at(low, -1e-9).min(last), at(high, 1e-9).min(last));
        if self.level[first..=end].iter().all(|&level| level == 1.0) {
            return;
        }
        let bound = largest_level(patch);
        let is_flat = end - first < 2 || halvings == 0;
        if is_flat || bound <= some_level(patch) + SLACK {
            self.level[first..=end].iter_mut().for_each(|level| *level = level.max(bound));
        } else {
            let halves = patch.halves(0).into_iter().flat_map(|half| half.halves(1));
            halves.for_each(|part| self.add(&part, halvings - 1));
        }
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    Vector3::from(a).cross(&Vector3::from(b)).into()
}

/// A value of |n_z| of a patch: the largest of its middle and its corners.
fn some_level(patch: &BicubicPatch) -> f64 {
    let places = [[0.5, 0.5], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    let level = |place: [f64; 2]| {
        let [_, along_u, along_v] = patch.at(place);
        let normal = cross(along_u, along_v);
        if norm(normal) > 0.0 { normal[HEIGHT].abs() / norm(normal) } else { 0.0 }
    };
    places.into_iter().map(level).fold(0.0, f64::max)
}

/// A bound of |n_z| of a patch.
fn largest_level(patch: &BicubicPatch) -> f64 {
    let normals = normals(patch);
    let longest = normals.iter().map(|&n| norm(n)).fold(0.0, f64::max);
    let sum = |d: usize| normals.iter().map(|n| n[d]).sum::<f64>();
    let [x, y] = [sum(0), sum(1)];
    let length = x.hypot(y);
    if length <= ROUNDING * longest {
        return 1.0;
    }
    let (x, y) = (x / length, y / length);
    let counted = normals.iter().filter(|&&n| norm(n) > ROUNDING * longest);
    // above 0 for all, or a normal may be upright
    let ratio = counted
        .map(|n| (n[0] * x + n[1] * y) / n[HEIGHT].abs())
        .fold(f64::INFINITY, |least, ratio| if ratio < least { ratio } else { least });
    if ratio > 0.0 { 1.0 / 1.0_f64.hypot(ratio) } else { 1.0 }
}

/// Bézier points of ∂u × ∂v, of degree 5 in both, `[v][u]` in one list; without a factor of 9.
fn normals(patch: &BicubicPatch) -> [[f64; 3]; 36] {
    const QUADRATIC: [f64; 3] = [1.0, 2.0, 1.0];
    const CUBIC: [f64; 4] = [1.0, 3.0, 3.0, 1.0];
    const QUINTIC: [f64; 6] = [1.0, 5.0, 10.0, 10.0, 5.0, 1.0];
    let b = &patch.0;
    let minus = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|d| p[d] - q[d]);
    let mut sums = [[0.0; 3]; 36];
    for (j, i) in (0..4).flat_map(|j| (0..3).map(move |i| (j, i))) {
        let along_u = minus(b[j][i + 1], b[j][i]);
        for (l, k) in (0..3).flat_map(|l| (0..4).map(move |k| (l, k))) {
            let along_v = minus(b[l + 1][k], b[l][k]);
            let weight = QUADRATIC[i] * CUBIC[j] * CUBIC[k] * QUADRATIC[l]
                / (QUINTIC[i + k] * QUINTIC[j + l]);
            let own = cross(along_u, along_v);
            let sum = &mut sums[6 * (j + l) + i + k];
            (0..3).for_each(|d| sum[d] += weight * own[d]);
        }
    }
    sums
}
