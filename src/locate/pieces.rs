//! The pieces of a solid at given control points, in flat arrays.

use std::ops::Range;

use rayon::prelude::*;

use super::frame::Frame;
use super::hierarchy::Box3;
use super::limit::LimitMap;
use super::tricubic::{Points, bounds};
use crate::bezier::{Piece, Pieces};
use crate::error::{Error, Result};
use crate::limit::{Leaf, LeafKind, Solid};
use crate::mesh::{Attribute, Controls};

/// Rings around extraordinary edges and vertices where memory does not matter.
const RINGS: usize = 4;
/// Halvings towards an extraordinary edge or vertex within which a point is looked for.
const SCALES: i32 = 40;
/// Pieces that always are few enough.
const FEW: usize = 1 << 18;

/// All pieces, in the order of their elements, every array `[piece]`.
#[derive(Debug)]
pub struct LocatorPieces<'s> {
    maker: Pieces<'s>,
    /// Which box of which element's parameters.
    pub pieces: Vec<Piece>,
    /// Bézier points, each `[w][v][u]`.
    pub points: Vec<Points>,
    /// How far a piece may be from the limit, in length units; 0 where it is exact.
    pub errors: Vec<f64>,
    /// Boxes that hold the limit on each piece.
    pub boxes: Vec<Box3>,
    // affine maps near the pieces, if they are not singular
    pub(crate) frames: Vec<Option<Frame>>,
    // which of the solid's leaves each belongs to
    leaves: Vec<u32>,
    // control points of all levels, [point][3]
    refined: Vec<f64>,
}

impl<'s> LocatorPieces<'s> {
    pub(super) fn new(
        solid: &'s Solid,
        controls: Controls<'_>,
        rings: Option<usize>,
    ) -> Result<Self> {
        let vertices = solid.topology().vertex_count();
        if controls.positions.len() != vertices {
            let count = controls.positions.len();
            return Err(Error::request(format!("{count} control points of {vertices} vertices")));
        }
        let infinite = |p: &[f64; 3]| !p.iter().all(|x| x.is_finite());
        if let Some(v) = controls.positions.iter().position(infinite) {
            return Err(Error::mesh(format!("vertex {v} has a coordinate that is not finite"))
                .with_mend("give every vertex three finite coordinates"));
        }
        let maker = Pieces::new(solid, rings.unwrap_or_else(|| default_rings(solid)))?;
        let refined = solid.refined_points(controls.positions.as_flattened(), 3);
        let leaves = solid.leaves();
        let ids = || 0..leaves.len() as u32;
        let counts: Vec<u32> =
            leaves.par_iter().map(|leaf| maker.of(leaf).count() as u32).collect();
        let leaf_ids = ids().zip(&counts).flat_map(|(leaf, &n)| (0..n).map(move |_| leaf));
        let points: Vec<Points> =
            leaves.par_iter().flat_map_iter(|leaf| points(&maker, leaf, &refined)).collect();
        let errors: Vec<f64> =
            leaves.par_iter().flat_map_iter(|leaf| maker.errors(leaf, &refined)).collect();
        let padded = |(points, &error): (&Points, &f64)| {
            let [low, high] = bounds(points);
            [low.map(|x| x - error), high.map(|x| x + error)]
        };
        let boxes = points.par_iter().zip(&errors).map(padded).collect();
        let frames = points.par_iter().map(Frame::of).collect();
        let pieces = leaves.iter().flat_map(|leaf| maker.of(leaf)).collect();
        let leaves = leaf_ids.collect();
        Ok(Self { maker, pieces, points, errors, boxes, frames, leaves, refined })
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Rings of exact pieces towards extraordinary edges and vertices.
    pub fn rings(&self) -> usize {
        self.maker.rings_around()
    }

    /// The pieces of each of the solid's leaves.
    pub(super) fn by_leaf(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let range = |own: &[u32]| {
            end += own.len();
            end - own.len()..end
        };
        self.leaves.chunk_by(|a, b| a == b).map(range).collect()
    }

    /// Control points of all levels, `[point][3]`.
    pub(super) fn refined(&self) -> &[f64] {
        &self.refined
    }

    /// The solid in pieces.
    pub fn solid(&self) -> &'s Solid {
        self.maker.solid()
    }

    /// Bézier points of an attribute, `[piece][w][v][u][width]`, and its values at the
    /// points of all levels, `[point][width]`.
    ///
    /// # Errors
    /// [`Error::Request`] if it does not have a value for every vertex.
    pub fn attribute(&self, attribute: &Attribute) -> Result<AttributePieces> {
        let (solid, width) = (self.solid(), attribute.width);
        let vertices = solid.topology().vertex_count();
        if width == 0 || attribute.values.len() != width * vertices {
            return Err(Error::request(format!(
                "attribute `{}` has {} values for {vertices} vertices of width {width}",
                attribute.name,
                attribute.values.len()
            )));
        }
        let refined = solid.refined_points(&attribute.values, width);
        let points = solid.leaves().par_iter();
        let points = points.flat_map_iter(|leaf| self.maker.points(leaf, &refined, width));
        Ok(AttributePieces { width, points: points.collect(), refined })
    }

    /// An attribute (of width [`AttributePieces::width`]) at an element's parameters
    /// `p` in a piece, written to `values`.
    pub fn attribute_at(
        &self,
        attribute: &AttributePieces,
        piece: usize,
        p: [f64; 3],
        values: &mut [f64],
    ) {
        let width = attribute.width;
        values.fill(0.0);
        if self.pieces[piece].exact {
            let points = &attribute.points[piece * 64 * width..][..64 * width];
            let [u, v, w] = in_piece(&self.pieces[piece], p).map(|t| super::tricubic::basis(t)[0]);
            for (place, point) in points.chunks_exact(width).enumerate() {
                let weight = u[place % 4] * (v[place / 4 % 4] * w[place / 16]);
                values.iter_mut().zip(point).for_each(|(value, x)| *value += weight * x);
            }
            return;
        }
        let (solid, leaf) = (self.solid(), self.leaf(piece));
        let orders = [crate::basis::bspline::Order::Value; 3];
        let weights = solid.weights(leaf, leaf.local(p), orders).unwrap_or_default();
        for (&v, weight) in solid.net(leaf).iter().zip(weights) {
            let point = &attribute.refined[v as usize * width..][..width];
            values.iter_mut().zip(point).for_each(|(value, x)| *value += weight * x);
        }
    }

    /// The leaf that a piece is part of.
    pub fn leaf(&self, piece: usize) -> &'s Leaf {
        &self.solid().leaves()[self.leaves[piece] as usize]
    }

    /// The limit around a piece.
    pub(super) fn limit(&self, piece: usize) -> LimitMap<'_> {
        LimitMap::new(self.solid(), self.leaf(piece), &self.refined)
    }

    /// Places around the extraordinary edge or vertex of a piece's leaf at all scales,
    /// in the element's parameters; along an edge all are where `p` is.
    pub(super) fn around_extraordinary(&self, piece: usize, p: [f64; 3]) -> Vec<[f64; 3]> {
        let leaf = self.leaf(piece);
        let (turn, axes) = match leaf.kind {
            LeafKind::Regular(_) => return vec![p],
            LeafKind::Layered(_, turn, _) => (turn, 2),
            LeafKind::Irregular(_, turn) => (turn, 3),
        };
        let size = 0.5_f64.powi(leaf.depth.into());
        let place = |scale: f64, corner: usize| {
            let mut moved = p;
            for d in 0..axes {
                let axis = turn.axes[d as usize] as usize;
                let t = 0.5 * scale * (corner / 3_usize.pow(d) % 3) as f64;
                let t = if turn.flips[d as usize] { 1.0 - t } else { t };
                moved[axis] = size * (f64::from(leaf.origin[axis]) + t);
            }
            moved
        };
        let scales = (0..SCALES).map(|k| 0.5_f64.powi(k));
        scales.flat_map(|scale| (1..3_usize.pow(axes)).map(move |c| place(scale, c))).collect()
    }
}

/// An attribute in Bézier form.
#[derive(Debug)]
pub struct AttributePieces {
    /// Values a point.
    pub width: usize,
    /// Bézier points, `[piece][w][v][u][width]`.
    pub points: Vec<f64>,
    // at the points of all levels, [point][width]
    refined: Vec<f64>,
}

/// The element's parameters of a piece's own, each in [0, 1].
pub fn in_element(piece: &Piece, t: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|d| (piece.origin[d] + piece.size[d] * t[d]).clamp(0.0, 1.0))
}

/// A piece's own parameters of the element's.
pub fn in_piece(piece: &Piece, p: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|d| (p[d] - piece.origin[d]) / piece.size[d])
}

/// Rings of pieces that a [`super::Locator`] makes unless told otherwise: 4, or fewer
/// if that would be more than 2¹⁸ pieces and more than four a leaf.
pub fn default_rings(solid: &Solid) -> usize {
    let fits = |&rings: &usize| {
        let layered = 3 * rings + 1;
        let spatial = |s: usize| {
            let structure = &solid.spatial_structures()[s];
            let is_layered = |child: &usize| structure.sibling_turn(*child).is_some();
            let layered_siblings = (1..8).filter(is_layered).count();
            rings * (7 - layered_siblings + layered_siblings * layered) + 1
        };
        let by_structure: Vec<usize> = (0..solid.spatial_structures().len()).map(spatial).collect();
        let of = |leaf: &Leaf| match leaf.kind {
            LeafKind::Regular(_) => 1,
            LeafKind::Layered(..) => layered,
            LeafKind::Irregular(s, _) => by_structure[s as usize],
        };
        let all: usize = solid.leaves().par_iter().map(of).sum();
        all <= FEW.max(4 * solid.leaves().len())
    };
    (1..=RINGS).rev().find(fits).unwrap_or(0)
}

/// Bézier points of the pieces of a leaf.
pub fn points(maker: &Pieces<'_>, leaf: &Leaf, refined: &[f64]) -> Vec<Points> {
    let points = maker.points(leaf, refined, 3);
    let (points, _) = points.as_chunks::<3>();
    points.as_chunks::<64>().0.to_vec()
}
