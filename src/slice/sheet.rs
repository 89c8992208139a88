//! The outer faces of leaves of a solid as bicubic Bézier patches.
//!
//! The boundary of the limit is bicubic but at extraordinary vertices, where patches are
//! [fitted](super::fit) to points of the limit on the face; none of the volume behind it is
//! needed.

use super::bicubic::{Bicubic, Point};
use super::fit::{Fit, Fitter, Square};
use super::frame::Axis;
use crate::basis::bspline::Order;
use crate::bezier::Pieces;
use crate::limit::boundary::BoundaryFace;
use crate::limit::rim::UNIT;
use crate::limit::{Leaf, LeafKind};

/// The limit over control points, seen along an axis.
#[derive(Clone, Copy)]
pub struct Sheet<'a> {
    /// Without rings: for the regular leaves.
    pub pieces: &'a Pieces<'a>,
    /// Points of all levels, `[point][3]`.
    pub points: &'a [f64],
    /// The height's axis.
    pub axis: Axis,
    /// For the others.
    pub fitter: Fitter,
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
            let square = Square { corner, length };
            if matches!(leaf.kind, LeafKind::Regular(_)) {
                fits.push(Fit::exact(square, self.regular(leaf, face), self.fitter.grid));
            } else {
                let at = |part| square.places(part).map(|x| self.limit(leaf, face, x));
                self.fitter.cover(square, &at, &mut fits);
            }
        }
        fits
    }

    /// The limit at a place of a leaf's face, in the leaf's parameters from 0 to 1.
    fn limit(&self, leaf: &Leaf, face: &BoundaryFace, x: [f64; 2]) -> Point {
        let mut p = [face.side as f64; 3];
        (0..2).for_each(|d| p[face.along[d]] = x[d]);
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
        self.axis.seen([0, 1, 2].map(|d| origin[d] + sum[d]))
    }

    /// The patch of a regular leaf, from its Bézier points `[w][v][u][3]`.
    fn regular(&self, leaf: &Leaf, face: &BoundaryFace) -> Bicubic {
        let bezier = self.pieces.points(leaf, self.points, 3);
        let at = |t: usize, s: usize| {
            let [a, b] = face.along;
            let place = (3 * face.side) << (2 * face.axis) | s << (2 * a) | t << (2 * b);
            self.axis.seen([0, 1, 2].map(|d| bezier[3 * place + d]))
        };
        Bicubic(std::array::from_fn(|t| std::array::from_fn(|s| at(t, s))))
    }
}
