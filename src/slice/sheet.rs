//! The outer faces of leaves as bicubic Bézier patches.
//!
//! The boundary of the limit is bicubic but for rings of ever smaller squares around
//! an extraordinary vertex. So a face that is not bicubic as a whole is quartered
//! until its parts are, or are as near to it as asked: this finds the rings by itself,
//! needs points of the limit on the face only, and none of the volume behind it.

use super::bicubic::{Bicubic, Cubic, Point};
use super::frame::Axis;
use crate::basis::bspline::Order;
use crate::bezier::Pieces;
use crate::limit::boundary::{BoundaryFace, UNIT};
use crate::limit::{Leaf, LeafKind};

/// Errors are this much above the largest distance at the samples.
const MARGIN: f64 = 1.5;

/// Where fits are checked, along both directions: in between the nodes.
const CHECKS: [f64; 3] = [1.0 / 12.0, 0.5, 11.0 / 12.0];

/// Most halvings of an element's side.
const DEEPEST: u32 = 24;

/// The limit over control points, seen along an axis.
#[derive(Clone, Copy)]
pub struct Sheet<'a> {
    /// Without rings: for the regular leaves.
    pub pieces: &'a Pieces<'a>,
    /// Points of all levels, `[point][3]`.
    pub points: &'a [f64],
    /// The height's axis.
    pub axis: Axis,
    /// Heights are rounded to its multiples; errors below are rounding.
    pub grid: f64,
    /// How far patches may be from the limit, in length units.
    pub tolerance: f64,
}

/// A patch over a part of a boundary face.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// `[s0, t0, s1, t1]` in the parameters of the face.
    pub rectangle: [u32; 4],
    /// Its Bézier points.
    pub points: Bicubic,
    /// How far it may be from the limit, estimated from samples; 0 if it is exact.
    pub error: f64,
}

impl Sheet<'_> {
    /// Covers a boundary face.
    pub fn cover(&self, face: &BoundaryFace) -> Vec<Fit> {
        let mut fits = Vec::new();
        for leaf in self.pieces.solid().element_leaves(face.element as usize) {
            let scale = 0.5_f64.powi(leaf.depth.into());
            if !face.meets(&leaf.origin.map(|x| scale * f64::from(x)), &[scale; 3]) {
                continue;
            }
            let length = UNIT >> leaf.depth;
            let corner = face.along.map(|d| u32::from(leaf.origin[d]) * length);
            if matches!(leaf.kind, LeafKind::Regular(_)) {
                let [s, t] = corner;
                let rectangle = [s, t, s + length, t + length];
                fits.push(Fit { rectangle, points: self.regular(leaf, face), error: 0.0 });
            } else {
                self.quarter(&Place { leaf, face, corner, length }, corner, length, &mut fits);
            }
        }
        fits
    }

    fn quarter(&self, place: &Place, corner: [u32; 2], length: u32, fits: &mut Vec<Fit>) {
        let fit = self.fit(place, corner, length);
        if fit.error <= self.tolerance || length <= UNIT >> DEEPEST {
            fits.push(fit);
            return;
        }
        let half = length / 2;
        for [right, up] in [[0, 0], [1, 0], [0, 1], [1, 1]] {
            self.quarter(place, [corner[0] + right * half, corner[1] + up * half], half, fits);
        }
    }

    /// The patch through 4 × 4 limit points of a square, and its error.
    fn fit(&self, place: &Place, corner: [u32; 2], length: u32) -> Fit {
        let at = |x: [f64; 2]| self.limit(place, corner, length, x);
        let third = |k: usize| k as f64 / 3.0;
        let nodes: [Cubic; 4] =
            std::array::from_fn(|j| interpolate(std::array::from_fn(|i| at([third(i), third(j)]))));
        let across = Bicubic(nodes).transposed();
        let mut points = Bicubic(across.0.map(interpolate)).transposed();
        let mut error: f64 = 0.0;
        for t in CHECKS {
            for s in CHECKS {
                let [p, q] = [at([s, t]), points.at([s, t])[0]];
                error = error.max((0..3).map(|d| (p[d] - q[d]).powi(2)).sum::<f64>().sqrt());
            }
        }
        points.round_heights(self.grid);
        let error = if error <= self.grid { 0.0 } else { MARGIN * error };
        let [s, t] = corner;
        Fit { rectangle: [s, t, s + length, t + length], points, error }
    }

    /// The limit at a place of a square of a leaf's face.
    fn limit(&self, place: &Place, corner: [u32; 2], length: u32, x: [f64; 2]) -> Point {
        let (leaf, face) = (place.leaf, place.face);
        let mut p = [face.side as f64; 3];
        for d in 0..2 {
            let from = f64::from(corner[d] - place.corner[d]);
            p[face.along[d]] = (from + f64::from(length) * x[d]) / f64::from(place.length);
        }
        let solid = self.pieces.solid();
        let net = solid.net(leaf);
        let control = |v: u32| &self.points[3 * v as usize..3 * v as usize + 3];
        let origin = control(net[0]);
        let mut sum = [0.0; 3];
        // positions exist everywhere
        let weights = solid.weights(leaf, p, [Order::Value; 3]).unwrap_or_default();
        for (&v, w) in net.iter().zip(weights) {
            let point = control(v);
            (0..3).for_each(|d| sum[d] += w * (point[d] - origin[d]));
        }
        self.permutation([0, 1, 2].map(|d| origin[d] + sum[d]))
    }

    /// The patch of a regular leaf, from its Bézier points `[w][v][u][3]`.
    fn regular(&self, leaf: &Leaf, face: &BoundaryFace) -> Bicubic {
        let bezier = self.pieces.points(leaf, self.points, 3);
        let at = |t: usize, s: usize| {
            let [a, b] = face.along;
            let place = (3 * face.side) << (2 * face.axis) | s << (2 * a) | t << (2 * b);
            self.permutation([0, 1, 2].map(|d| bezier[3 * place + d]))
        };
        let mut points = Bicubic(std::array::from_fn(|t| std::array::from_fn(|s| at(t, s))));
        points.round_heights(self.grid);
        points
    }

    fn permutation(&self, p: [f64; 3]) -> Point {
        let [x, y] = self.axis.project(p);
        [x, y, p[self.axis.number()]]
    }
}

/// The outer face of a leaf.
struct Place<'a> {
    leaf: &'a Leaf,
    face: &'a BoundaryFace,
    // where it lies on the face, and how long its sides are
    corner: [u32; 2],
    length: u32,
}

/// Bézier points of the cubic through values at 0, 1/3, 2/3, 1.
fn interpolate(f: Cubic) -> Cubic {
    let combine =
        |w: [f64; 4]| std::array::from_fn(|d| (0..4).map(|i| w[i] * f[i][d]).sum::<f64>() / 6.0);
    [f[0], combine([-5.0, 18.0, -9.0, 2.0]), combine([2.0, -9.0, 18.0, -5.0]), f[3]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basis::bernstein;

    #[test]
    fn cubics_pass_through_their_values() {
        let f = [[1.0, 2.0, 3.0], [-1.0, 0.5, 3.0], [2.0, 0.0, 3.0], [4.0, 1.0, 3.0]];
        let bezier = interpolate(f);
        for (k, expected) in f.into_iter().enumerate() {
            let b = bernstein::cubic(k as f64 / 3.0);
            for d in 0..3 {
                let value: f64 = (0..4).map(|i| b[i] * bezier[i][d]).sum();
                assert!((value - expected[d]).abs() < 1e-14);
            }
        }
    }
}
