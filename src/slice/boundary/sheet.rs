//! The outer faces of leaves of a solid as bicubic Bézier patches.
//!
//! The boundary of the limit is bicubic but at extraordinary vertices, where patches are
//! [fitted](super::patch_fit) to points of the limit on the face; none of the volume behind it is
//! needed.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::bicubic::{BicubicPatch, PlanePoint};
use super::covered_face::Face;
use super::patch_fit::{Fit, Fitter, Square};
use super::tables::{SquareTable, SquareTables};
use crate::basis::bspline::Order;
use crate::bezier::Pieces;
use crate::error::Result;
use crate::limit::boundary::{BoundaryFace, RimNames, boundary_faces};
use crate::limit::rim::UNIT;
use crate::limit::{Leaf, LeafKind, Solid};
use crate::numbers::vector::net_sum;
use crate::slice::frame::Axis;
use crate::topology::Orientation;

/// What the weights on a square of a leaf's face depend on.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SheetSquare {
    kind: LeafKind,
    // axis of the face, and its end
    side: [usize; 2],
    corner: [u32; 2],
    length: u32,
}

/// The boundary over control points, seen along an axis.
pub struct Sheet<'a> {
    // without rings: for the regular leaves
    pieces: Pieces<'a>,
    // of all levels, `[point][3]`
    points: Cow<'a, [f64]>,
    axis: Axis,
    // for the others
    fitter: Fitter,
    tables: SquareTables<SheetSquare>,
    /// The boundary, as the corners of its cells are listed.
    pub boundary: Vec<BoundaryFace>,
}

impl<'a> Sheet<'a> {
    /// The boundary of `solid` over its control points.
    ///
    /// # Errors
    /// As [`Pieces::new`].
    pub fn new(
        solid: &'a Solid,
        points: &'a [[f64; 3]],
        axis: Axis,
        fitter: Fitter,
    ) -> Result<Self> {
        let points = solid.refined_points(points.as_flattened(), 3);
        let boundary = boundary_faces(solid, &Orientation::default());
        let (pieces, tables) = (Pieces::new(solid, 0)?, SquareTables::default());
        Ok(Self { pieces, points, axis, fitter, tables, boundary })
    }

    /// Some faces of the boundary, seen from outside.
    pub fn faces(&self, range: Range<usize>, orientation: &Orientation) -> Vec<Face> {
        let solid = self.pieces.solid();
        let names = RimNames(solid);
        let face = |face: &BoundaryFace| {
            let cell = solid.elements()[face.element as usize].cell;
            let (number, rim) = (names.number(face), names.rim(face));
            let own = Face { number, rim, fits: self.cover(face) };
            own.turned(orientation.is_mirrored(cell))
        };
        self.boundary[range].par_iter().map(face).collect()
    }

    /// Covers a boundary face.
    fn cover(&self, face: &BoundaryFace) -> Vec<Fit> {
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
                let at = |part| {
                    let table = self.table(leaf, face, square.enlarged(part));
                    table.each(|_, weights| self.sum(leaf, weights))
                };
                self.fitter.cover(square, &at, &mut fits);
            }
        }
        fits.shrink_to_fit();
        fits
    }

    /// Weights over a leaf's net at the places of a square in its face.
    fn table(&self, leaf: &Leaf, face: &BoundaryFace, square: Square) -> Arc<SquareTable> {
        let key = SheetSquare {
            kind: leaf.kind,
            side: [face.axis, face.side],
            corner: square.corner,
            length: square.length,
        };
        self.tables.find(key, || {
            let places = Square::FACE.places(square);
            SquareTable::new(|k| {
                let mut p = [face.side as f64; 3];
                (0..2).for_each(|d| p[face.along[d]] = places[k][d]);
                // positions exist everywhere
                let weights = self.pieces.solid().weights(leaf, p, [Order::Value; 3]);
                (0, weights.unwrap_or_default())
            })
        })
    }

    /// A weighted sum of the points of a leaf's net.
    fn sum(&self, leaf: &Leaf, weights: &[f64]) -> PlanePoint {
        let net = self.pieces.solid().net(leaf);
        let points = self.points.as_chunks::<3>().0;
        let (origin, sum) = (points[net[0] as usize], net_sum(points, net, weights));
        self.axis.seen([0, 1, 2].map(|d| origin[d] + sum[d]))
    }

    /// The patch of a regular leaf, from its Bézier points `[w][v][u][3]`.
    fn regular(&self, leaf: &Leaf, face: &BoundaryFace) -> BicubicPatch {
        let bezier = self.pieces.points(leaf, &self.points, 3);
        let at = |t: usize, s: usize| {
            let [a, b] = face.along;
            let place = (3 * face.side) << (2 * face.axis) | s << (2 * a) | t << (2 * b);
            self.axis.seen([0, 1, 2].map(|d| bezier[3 * place + d]))
        };
        BicubicPatch(std::array::from_fn(|t| std::array::from_fn(|s| at(t, s))))
    }
}
