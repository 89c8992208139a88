//! The pieces that are searched for the closest place of a point outside.

use rayon::prelude::*;

use super::hierarchy::{Hierarchy, diagonal};
use super::parameters::in_element;
use super::pieces::LocatorPieces;
use super::sides::{ElementSides, patch_of};
use super::tricubic::{TricubicJet, jet};
use crate::bezier::Piece;
use crate::interrupt::stop_point;
use crate::limit::boundary::boundary_faces;
use crate::numbers::bounds::{self, Bounds};
use crate::topology::Orientation;

/// Samples along each axis of a piece that descents begin from, and where folds are looked for.
const STARTS: usize = 3;

/// No place is nearer than the one found by more than this part of the size of the control mesh.
const DISTANCE_TOLERANCE_FRACTION: f64 = 1e-12;

/// Pieces that may hold the closest place of a point outside.
#[derive(Debug)]
pub struct BoundaryPieces {
    // [item]
    pub items: Vec<BoundaryPart>,
    pub hierarchy: Hierarchy,
    // boxes of the items, as the leaves of the hierarchy list them
    pub boxes: Vec<Bounds>,
    // points of the solid in the items
    corners: Vec<[f64; 3]>,
    // [item + 1] first of its corners
    first_corners: Vec<u32>,
    // distances within this count as nearest, in length units
    pub slack: f64,
}

/// A part of a piece.
#[derive(Clone, Copy, Debug)]
pub enum BoundaryPart {
    /// Sides of a piece.
    Sides(u32, ElementSides),
    /// A piece that may be folded.
    Volume(u32),
}

impl BoundaryPieces {
    /// The pieces of all that a point may be nearest to, or of the boundary alone.
    pub fn new(pieces: &LocatorPieces<'_>, with_folds: bool) -> Self {
        let solid = pieces.solid();
        let mut of_element = vec![ElementSides::default(); solid.elements().len()];
        for face in boundary_faces(solid, &Orientation::default()) {
            of_element[face.element as usize].0 |= ElementSides::bit(face.axis, face.side);
        }
        let sides_of = |i: usize| {
            let Piece { element, origin, size, .. } = pieces.pieces[i];
            of_element[element as usize].of_box(origin, size)
        };
        let mut items = Vec::new();
        for i in 0..pieces.len() {
            let sides = sides_of(i);
            if sides != ElementSides::default() {
                items.push(BoundaryPart::Sides(i as u32, sides));
            }
        }
        if with_folds {
            items.extend(folded(pieces, sides_of).into_iter().map(BoundaryPart::Volume));
        }
        let bounds = |item: &BoundaryPart| match *item {
            BoundaryPart::Sides(i, sides) if pieces.core(i as usize).is_none() => {
                let points = &pieces.points[i as usize];
                let patches = sides.iter().map(|(axis, side)| patch_of(points, axis, side));
                bounds::around(patches.flatten().map(<[f64; 3]>::from))
            }
            BoundaryPart::Sides(i, _) | BoundaryPart::Volume(i) => pieces.boxes[i as usize],
        };
        let boxes: Vec<Bounds> = items.par_iter().inspect(|_| stop_point()).map(bounds).collect();
        let hierarchy = Hierarchy::new(&boxes);
        let boxes = hierarchy.items.iter().map(|&item| boxes[item as usize]).collect();
        let (mut corners, mut first_corners) = (Vec::new(), vec![0]);
        for item in &items {
            stop_point();
            match *item {
                BoundaryPart::Sides(i, sides) => match pieces.core(i as usize) {
                    None => {
                        let points = &pieces.points[i as usize];
                        let patches = sides.iter().map(|(axis, side)| patch_of(points, axis, side));
                        let ends = patches.flat_map(|p| [p[0], p[3], p[12], p[15]]);
                        corners.extend(ends.map(<[f64; 3]>::from));
                    }
                    Some(core) => corners.push(core.origin()),
                },
                BoundaryPart::Volume(_) => {}
            }
            first_corners.push(corners.len() as u32);
        }
        let size = if pieces.is_empty() { 0.0 } else { diagonal(pieces.control_box()) };
        Self {
            items,
            hierarchy,
            boxes,
            corners,
            first_corners,
            slack: DISTANCE_TOLERANCE_FRACTION * size,
        }
    }

    /// Points of the solid in an item: the closest place is no farther than any of them.
    pub fn corners_of(&self, item: u32) -> &[[f64; 3]] {
        let item = item as usize;
        &self.corners[self.first_corners[item] as usize..self.first_corners[item + 1] as usize]
    }
}

/// Pieces in which the Jacobian changes its sign between samples, or vanishes at one that is not on
/// these sides: a place inside is the closest only where it vanishes. Bézier points of an inexact
/// piece may be folded where the limit is not: there the limit decides, which is singular at the
/// extraordinary point.
fn folded(pieces: &LocatorPieces<'_>, sides_of: impl Fn(usize) -> ElementSides + Sync) -> Vec<u32> {
    let is_folded = |&i: &u32| {
        stop_point();
        let (header, points) = (&pieces.pieces[i as usize], &pieces.points[i as usize]);
        let [negative, positive, flat] = signs(sides_of(i as usize), |t| jet(points, t));
        if header.exact {
            return negative && positive || flat;
        }
        (negative && positive) && {
            let limit = pieces.limit(i as usize);
            let [negative, positive, _] =
                signs(ElementSides::default(), |t| limit.jet(in_element(header, t)));
            negative && positive
        }
    };
    (0..pieces.len() as u32).into_par_iter().filter(is_folded).collect()
}

/// Whether the Jacobian is negative at some sample of a piece, positive at some, and flat at some
/// that is not on these sides.
fn signs(sides: ElementSides, map: impl Fn([f64; 3]) -> TricubicJet) -> [bool; 3] {
    let mut signs = [false; 3];
    for t in samples() {
        let [a, b, c] = map(t).derivatives;
        let determinant = a.cross(&b).dot(&c);
        let rounding = 1e-9 * a.norm() * b.norm() * c.norm();
        let is_outer = || sides.iter().any(|(axis, side)| t[axis] == side as f64);
        signs[0] |= determinant < -rounding;
        signs[1] |= determinant > rounding;
        signs[2] |= determinant.abs() <= rounding && !is_outer();
    }
    signs
}

/// Parameters of samples of a piece.
pub fn samples() -> impl Iterator<Item = [f64; 3]> {
    (0..STARTS.pow(3)).map(|i| {
        let at = [i % STARTS, i / STARTS % STARTS, i / (STARTS * STARTS)];
        at.map(|i| i as f64 / (STARTS - 1) as f64)
    })
}
