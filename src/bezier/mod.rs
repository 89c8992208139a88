//! The limit volume in tricubic Bézier pieces.
//!
//! A regular leaf is one exact piece; layered and irregular ones are rings of exact
//! pieces towards the extraordinary edge or vertex, and a last one that interpolates
//! the limit, with the error that it makes. Pieces have what leaves lack: equal form,
//! and a convex hull. Their Bézier points follow from the control points by fixed
//! weights, so pieces are set up once and serve control points that move.

mod convert;
pub mod extraction;
mod rings;

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::limit::{Leaf, LeafKind, Solid, Turn};

use convert::{bezier_layers, net_values, product, tensor_points};
pub use extraction::Extraction;
use rings::Rings;
pub(crate) use rings::{Part, planar_parts};

/// Most rings around an extraordinary edge or vertex.
pub const MOST_RINGS: usize = 8;

/// Bounds are this much above the largest error at the samples.
const MARGIN: f64 = 1.5;

/// The Bézier pieces of a solid, for any control points.
#[derive(Debug)]
pub struct Pieces<'s> {
    solid: &'s Solid,
    rings: usize,
    planar: Vec<OnceLock<Rings>>,
    spatial: Vec<OnceLock<Rings>>,
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

impl<'s> Pieces<'s> {
    /// Prepares the pieces of `solid` with 0 to [`MOST_RINGS`] rings.
    ///
    /// # Errors
    /// [`Error::Request`] for more rings.
    pub fn new(solid: &'s Solid, rings: usize) -> Result<Self> {
        if rings > MOST_RINGS {
            return Err(Error::request(format!("{rings} rings of Bézier pieces"))
                .with_mend(format!("ask for 0 to {MOST_RINGS} rings")));
        }
        let locks = |count: usize| std::iter::repeat_with(OnceLock::new).take(count).collect();
        let (planar, spatial) = (solid.planar_structures().len(), solid.spatial_structures().len());
        Ok(Self { solid, rings, planar: locks(planar), spatial: locks(spatial) })
    }

    /// The solid in pieces.
    pub fn solid(&self) -> &'s Solid {
        self.solid
    }

    /// The number of rings.
    pub fn rings_around(&self) -> usize {
        self.rings
    }

    /// The pieces of a leaf.
    pub fn of(&self, leaf: &Leaf) -> impl Iterator<Item = Piece> + use<'_, 's> {
        let scale = 0.5_f64.powi(leaf.depth.into());
        let origin = leaf.origin.map(|x| scale * f64::from(x));
        let (element, turn) = (leaf.element, turn(leaf));
        self.parts(leaf).iter().map(move |part| {
            let part = part.turned(turn).within(origin, scale);
            Piece { element, origin: part.origin, size: part.size, exact: part.exact }
        })
    }

    /// Bézier points of the pieces of a leaf, `[piece][w][v][u][width]` along the
    /// element's axes, from `values` at the points of all levels
    /// ([`Solid::refined_points`]).
    pub fn points(&self, leaf: &Leaf, values: &[f64], width: usize) -> Vec<f64> {
        self.net_points(leaf, net_values(self.solid.net(leaf), values, width), width)
    }

    /// Weights of the Bézier points of the pieces of a leaf, over its net:
    /// `[piece][w][v][u][control]` along the element's axes. Those of phantom layers
    /// are 0, the others of a row sum to 1.
    pub fn weights(&self, leaf: &Leaf) -> Vec<f64> {
        let count = self.solid.net(leaf).len();
        if let (LeafKind::Irregular(..), Some(rings)) = (leaf.kind, self.rings(leaf)) {
            return along_element(turn(leaf), &rings.nodes, count);
        }
        let mut identity = vec![0.0; count * count];
        identity.iter_mut().step_by(count + 1).for_each(|x| *x = 1.0);
        self.net_points(leaf, identity, count)
    }

    /// Bézier points from values `[control][width]` at the net.
    fn net_points(&self, leaf: &Leaf, net: Vec<f64>, width: usize) -> Vec<f64> {
        // [piece][local axes, 0 fastest][width]
        let local = match (leaf.kind, self.rings(leaf)) {
            (LeafKind::Layered(_, _, ends), Some(rings)) => {
                let layers = bezier_layers(net, width, ends);
                let lines = layers.len() / 4;
                let part = |part: usize| {
                    let rows = &rings.nodes[part * 16 * (lines / width)..][..16 * (lines / width)];
                    layers.chunks_exact(lines).flat_map(move |layer| product(rows, layer, width))
                };
                (0..rings.parts.len()).flat_map(part).collect()
            }
            (LeafKind::Irregular(..), Some(rings)) => product(&rings.nodes, &net, width),
            (LeafKind::Regular(ends), _) => return tensor_points(net, width, ends),
            _ => Vec::new(),
        };
        along_element(turn(leaf), &local, width)
    }

    /// How far each piece of a leaf may be from the limit, in length units: 0 where
    /// it is exact up to rounding; else estimated from the largest distance at
    /// 8 × 8 × 8 samples. `points` are those of all levels, `[point][3]`.
    pub fn errors(&self, leaf: &Leaf, points: &[f64]) -> Vec<f64> {
        let Some(rings) = self.rings(leaf) else { return vec![0.0] };
        let net = net_values(self.solid.net(leaf), points, 3);
        let layers = match leaf.kind {
            LeafKind::Layered(_, _, ends) => bezier_layers(net, 3, ends),
            _ => net,
        };
        // the error of a layered piece is a Bézier curve along the layers: it stays
        // below its largest control value
        let layer_len = match leaf.kind {
            LeafKind::Layered(..) => layers.len() / 4,
            _ => layers.len(),
        };
        let controls = layer_len / 3;
        let largest = |rows: &std::ops::Range<usize>| {
            let rows = &rings.errors[rows.start * controls..rows.end * controls];
            let errors = layers.chunks_exact(layer_len).flat_map(|layer| product(rows, layer, 3));
            let errors: Vec<f64> = errors.collect();
            let lengths = errors.chunks_exact(3).map(|e| e.iter().map(|x| x * x).sum::<f64>());
            MARGIN * lengths.fold(0.0, f64::max).sqrt()
        };
        rings.error_rows.iter().map(largest).collect()
    }

    /// [`Pieces::errors`] of all pieces of the solid, in the order of its leaves;
    /// `positions` are those of the mesh's vertices.
    ///
    /// # Panics
    /// If the positions are not one a vertex.
    pub fn error_bounds(&self, positions: &[[f64; 3]]) -> Vec<f64> {
        let points = self.solid.refined_points(positions.as_flattened(), 3);
        let leaves = self.solid.leaves().par_iter();
        leaves.flat_map_iter(|leaf| self.errors(leaf, &points)).collect()
    }

    /// Rings of a leaf's structure; none if it is regular.
    fn rings(&self, leaf: &Leaf) -> Option<&Rings> {
        match leaf.kind {
            LeafKind::Regular(_) => None,
            LeafKind::Layered(s, ..) => {
                let structure = &self.solid.planar_structures()[s as usize];
                Some(self.planar[s as usize].get_or_init(|| Rings::new(structure, 2, self.rings)))
            }
            LeafKind::Irregular(s, _) => {
                let structure = &self.solid.spatial_structures()[s as usize];
                Some(self.spatial[s as usize].get_or_init(|| Rings::new(structure, 3, self.rings)))
            }
        }
    }

    fn parts(&self, leaf: &Leaf) -> &[Part] {
        self.rings(leaf).map_or(&[Part::WHOLE], |rings| &rings.parts)
    }
}

fn turn(leaf: &Leaf) -> Turn {
    match leaf.kind {
        LeafKind::Regular(_) => Turn::IDENTITY,
        LeafKind::Layered(_, turn, _) | LeafKind::Irregular(_, turn) => turn,
    }
}

/// Rows `[piece][local axes, 0 fastest][width]` along the element's axes.
fn along_element(turn: Turn, local: &[f64], width: usize) -> Vec<f64> {
    let mut turned = Vec::with_capacity(local.len());
    for piece in local.chunks_exact(64 * width) {
        for place in 0..64 {
            turned.extend_from_slice(&piece[local_place(turn, place) * width..][..width]);
        }
    }
    turned
}

/// Places in a net of `count` points that hold no control point, because their layer
/// is missing at the boundary.
fn phantoms(kind: LeafKind, count: usize) -> Vec<usize> {
    let missing =
        |ends: u8, layer: usize| (ends & 1 == 1 && layer == 0) || (ends & 2 == 2 && layer == 3);
    let is_phantom = |place: &usize| match kind {
        LeafKind::Regular(ends) => (0..3).any(|d| missing(ends >> (2 * d), place >> (2 * d) & 3)),
        LeafKind::Layered(_, _, ends) => missing(ends, 4 * place / count),
        LeafKind::Irregular(..) => false,
    };
    (0..count).filter(is_phantom).collect()
}

/// Place among the 64 points along local axes of the one at `place` along the
/// element's.
fn local_place(turn: Turn, place: usize) -> usize {
    let at = [place % 4, place / 4 % 4, place / 16];
    (0..3)
        .map(|d| {
            let i = at[turn.axes[d] as usize];
            (if turn.flips[d] { 3 - i } else { i }) << (2 * d)
        })
        .sum()
}
