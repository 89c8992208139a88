//! The limit volume in tricubic Bézier pieces.
//!
//! A regular leaf is one exact piece; layered and irregular ones are rings of exact
//! pieces toward the extraordinary edge or vertex, and a last one that interpolates
//! the limit, with its error. Unlike leaves, pieces all have the same form,
//! and a convex hull. Their Bézier points follow from the control points by fixed
//! weights, so pieces are set up once and serve control points that move.

mod convert;
pub mod extraction;
mod nest;
mod remainder;
mod rings;

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::basis::MissingLayers;
use crate::error::{Error, Result};
use crate::limit::{AxisPermutation, Leaf, LeafKind, Solid};
use crate::mesh::check_point_count;

use convert::tensor_points;
pub(crate) use convert::{net_values, to_bezier};
pub use extraction::Extraction;
pub(crate) use nest::{Nest, NestSibling, NestSplit};
use remainder::Remainders;
pub(crate) use remainder::interpolate;
pub(crate) use rings::{LocalBox, planar_parts, spatial_parts};

/// Maximum number of rings around an extraordinary edge or vertex.
pub const MAX_EXACT_RINGS: usize = 8;

/// Default number of rings of extraction operators.
pub const OPERATOR_RINGS: usize = 2;

/// Default number of rings of Bézier cells.
pub const CELL_RINGS: usize = 3;

/// Errors of fitted patches are estimated as this much above the largest at the samples.
pub(crate) const FIT_MARGIN: f64 = 1.5;

/// The Bézier pieces of a solid, for any control points.
#[derive(Debug)]
pub struct Pieces<'s> {
    solid: &'s Solid,
    rings: usize,
    // of planar and of each spatial structure, in its own parameters
    planar: Vec<LocalBox>,
    spatial: Vec<OnceLock<Vec<LocalBox>>>,
    remainders: Remainders,
}

/// A box in the parameters of an element on which the limit is (nearly) tricubic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The element; in a mesh of hexahedra alone, the cell.
    pub element: u32,
    /// Least corner of the box, in the element's parameters.
    pub origin: [f64; 3],
    /// Edge lengths of the box.
    pub size: [f64; 3],
    /// Whether the limit is a tricubic polynomial on it, up to rounding.
    pub exact: bool,
}

/// A piece that was made.
#[derive(Debug)]
pub(crate) struct MadePiece<'s> {
    /// Bézier points `[w][v][u][width]` along the element's axes.
    pub points: Vec<f64>,
    /// Where it only interpolates the limit: the net of the remainder that it stands for.
    pub rest: Option<Nest<'s>>,
}

impl MadePiece<'_> {
    /// Bézier points of positions.
    pub fn bezier_points(&self) -> [[f64; 3]; 64] {
        std::array::from_fn(|i| std::array::from_fn(|d| self.points[3 * i + d]))
    }
}

impl<'s> Pieces<'s> {
    /// Prepares the pieces of `solid` with 0 to [`MAX_EXACT_RINGS`] rings.
    ///
    /// # Errors
    /// [`Error::Request`] for more rings.
    pub fn new(solid: &'s Solid, rings: usize) -> Result<Self> {
        if rings > MAX_EXACT_RINGS {
            return Err(Error::request(format!("{rings} rings of Bézier pieces: out of range"))
                .with_help(format!("ask for 0 to {MAX_EXACT_RINGS} rings")));
        }
        let spatial = solid.spatial_structures().iter().map(|_| OnceLock::new()).collect();
        let remainders = Remainders::new(solid);
        Ok(Self { solid, rings, planar: planar_parts(rings), spatial, remainders })
    }

    /// The solid in pieces.
    pub fn solid(&self) -> &'s Solid {
        self.solid
    }

    /// The number of rings.
    pub(crate) fn rings_around(&self) -> usize {
        self.rings
    }

    /// The pieces of a leaf.
    pub fn of(&self, leaf: &Leaf) -> impl Iterator<Item = Piece> + use<'_, 's> {
        let scale = 0.5_f64.powi(leaf.depth.into());
        let origin = leaf.origin.map(|x| scale * f64::from(x));
        let (element, permutation) = (leaf.element, permutation(leaf));
        self.parts(leaf).iter().map(move |part| {
            let part = part.permuted(permutation).within(origin, scale);
            Piece { element, origin: part.origin, size: part.size, exact: part.exact }
        })
    }

    /// How many pieces a leaf has.
    pub fn count(&self, leaf: &Leaf) -> usize {
        self.parts(leaf).len()
    }

    /// Bézier points of the pieces of a leaf, `[piece][w][v][u][width]` along the
    /// element's axes, from `values` at the points of all levels
    /// ([`Solid::refined_points`]).
    pub fn points(&self, leaf: &Leaf, values: &[f64], width: usize) -> Vec<f64> {
        self.net_points(leaf, net_values(self.solid.net(leaf), values, width), width)
    }

    /// Weights of the Bézier points of the pieces of a leaf, over its net:
    /// `[piece][w][v][u][control]` along the element's axes. Weights of phantom layers
    /// are 0, the others of a row sum to 1.
    pub fn weights(&self, leaf: &Leaf) -> Vec<f64> {
        let count = self.solid.net(leaf).len();
        let mut identity = vec![0.0; count * count];
        identity.iter_mut().step_by(count + 1).for_each(|x| *x = 1.0);
        self.net_points(leaf, identity, count)
    }

    /// Bézier points from values `[control][width]` at the net.
    fn net_points(&self, leaf: &Leaf, net: Vec<f64>, width: usize) -> Vec<f64> {
        let mut points = Vec::new();
        self.visit(leaf, net, width, |made| points.extend(made.points));
        points
    }

    /// How far each piece of a leaf may be from the limit, in length units: 0 where
    /// it is exact up to rounding; else estimated from the largest distance at
    /// 8 × 8 × 8 samples. `points`: of all levels, `[point][3]`.
    pub fn errors(&self, leaf: &Leaf, points: &[f64]) -> Vec<f64> {
        let mut errors = Vec::new();
        let net = net_values(self.solid.net(leaf), points, 3);
        self.visit(leaf, net, 3, |made| errors.push(self.error(&made)));
        errors
    }

    /// The pieces of a leaf one by one, from positions at the points of all levels.
    pub(crate) fn made(&self, leaf: &Leaf, points: &[f64]) -> Vec<MadePiece<'s>> {
        let mut all = Vec::new();
        let net = net_values(self.solid.net(leaf), points, 3);
        self.visit(leaf, net, 3, |made| all.push(made));
        all
    }

    /// How far a piece made of positions may be from the limit; see [`Pieces::errors`].
    pub(crate) fn error(&self, made: &MadePiece<'s>) -> f64 {
        let error = |nest: &Nest<'s>| nest.error(&self.remainders.of(nest.structure()));
        FIT_MARGIN * made.rest.as_ref().map_or(0.0, error)
    }

    /// Calls `visit` with every piece of a leaf, made of values `[control][width]` at its
    /// net.
    fn visit(
        &self,
        leaf: &Leaf,
        net: Vec<f64>,
        width: usize,
        mut visit: impl FnMut(MadePiece<'s>),
    ) {
        let scale = 0.5_f64.powi(leaf.depth.into());
        let part = LocalBox::WHOLE.within(leaf.origin.map(|x| scale * f64::from(x)), scale);
        let nest = match leaf.kind {
            LeafKind::Regular(ends) => {
                return visit(MadePiece { points: tensor_points(net, width, ends), rest: None });
            }
            LeafKind::Layered(s, permutation, ends) => {
                let structure = &self.solid.planar_structures()[s as usize];
                Nest::along_edge(structure, net, width, permutation, ends, part)
            }
            LeafKind::Irregular(s, permutation) => {
                let structure = &self.solid.spatial_structures()[s as usize];
                Nest::at_point(structure, &net, width, permutation, part)
            }
        };
        self.visit_nest(nest, &mut visit);
    }

    /// Rings of pieces, then what remains.
    fn visit_nest(&self, mut nest: Nest<'s>, visit: &mut impl FnMut(MadePiece<'s>)) {
        for _ in 0..self.rings {
            let NestSplit { siblings, inner } = nest.split();
            for sibling in siblings {
                match sibling {
                    NestSibling::Piece(_, points) => visit(MadePiece { points, rest: None }),
                    NestSibling::Edge(edge) => self.visit_nest(edge, visit),
                }
            }
            nest = inner;
        }
        let points = nest.interpolation(&self.remainders.of(nest.structure()));
        visit(MadePiece { points, rest: Some(nest) });
    }

    /// [`Pieces::errors`] of all pieces of the solid, in the order of its leaves;
    /// `positions`: of the mesh's vertices.
    ///
    /// # Errors
    /// [`Error::Request`] if the positions are not one per vertex.
    pub fn error_bounds(&self, positions: &[[f64; 3]]) -> Result<Vec<f64>> {
        check_point_count(positions.len(), self.solid.topology().vertex_count())?;
        let points = self.solid.refined_points(positions.as_flattened(), 3);
        let leaves = self.solid.leaves().par_iter();
        Ok(leaves.flat_map_iter(|leaf| self.errors(leaf, &points)).collect())
    }

    /// The boxes of a leaf's pieces in its local parameters.
    fn parts(&self, leaf: &Leaf) -> &[LocalBox] {
        match leaf.kind {
            LeafKind::Regular(_) => &[LocalBox::WHOLE],
            LeafKind::Layered(..) => &self.planar,
            LeafKind::Irregular(s, _) => self.spatial[s as usize].get_or_init(|| {
                let structure = &self.solid.spatial_structures()[s as usize];
                spatial_parts(structure, self.rings, |_| self.rings)
            }),
        }
    }
}

fn permutation(leaf: &Leaf) -> AxisPermutation {
    match leaf.kind {
        LeafKind::Regular(_) => AxisPermutation::IDENTITY,
        LeafKind::Layered(_, permutation, _) | LeafKind::Irregular(_, permutation) => permutation,
    }
}

/// Rows `[piece][local axes, 0 fastest][width]` along the element's axes.
fn along_element(permutation: AxisPermutation, local: &[f64], width: usize) -> Vec<f64> {
    let mut permuted = Vec::with_capacity(local.len());
    for piece in local.chunks_exact(64 * width) {
        for place in 0..64 {
            permuted.extend_from_slice(&piece[local_place(permutation, place) * width..][..width]);
        }
    }
    permuted
}

/// Places in a net of `count` points that hold no control point, because their layer
/// is missing at the boundary.
fn phantoms(kind: LeafKind, count: usize) -> Vec<usize> {
    let missing = |ends: MissingLayers, layer: usize| {
        (ends.low() && layer == 0) || (ends.high() && layer == 3)
    };
    let is_phantom = |place: &usize| match kind {
        LeafKind::Regular(ends) => (0..3).any(|d| missing(ends.axis(d), place >> (2 * d) & 3)),
        LeafKind::Layered(_, _, ends) => missing(ends, 4 * place / count),
        LeafKind::Irregular(..) => false,
    };
    (0..count).filter(is_phantom).collect()
}

/// Place among the 64 points along local axes of the one at `place` along the
/// element's.
fn local_place(permutation: AxisPermutation, place: usize) -> usize {
    let at = [place % 4, place / 4 % 4, place / 16];
    (0..3)
        .map(|d| {
            let i = at[permutation.axes[d] as usize];
            (if permutation.flips[d] { 3 - i } else { i }) << (2 * d)
        })
        .sum()
}
