//! The pieces of a solid at given control points, in flat arrays.

use std::ops::Range;

use rayon::prelude::*;

use super::cores::Core;
use super::frame::AffineFrame;
use super::limit::LimitMap;
use super::tricubic::{TricubicPoints, bounds};
use crate::bezier::{Piece, Pieces};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::limit::{Leaf, LeafKind, Solid};
use crate::memory;
use crate::mesh::{Controls, check_coordinates, check_point_count};
use crate::numbers::Precision;
use crate::numbers::bounds::Bounds;
use crate::numbers::counted;
use crate::pages;

/// Rings around extraordinary edges and vertices where memory does not matter.
const RINGS: usize = 4;
/// Rings for the pixels of layers: each saves three of four pixels that are left to a search.
const LAYER_RINGS: usize = 7;
/// Leaves that are worked on at once.
pub(super) const TASK_LEAVES: usize = 64;
/// Bytes of a piece, at least.
const PIECE_BYTES: u128 = 1700;
/// Leaves whose pieces are there twice for a moment, by themselves and among all.
pub(super) const BATCH_LEAVES: usize = 1 << 15;
/// Pieces that always are few enough.
const ALWAYS_ALLOWED_PIECES: u64 = 1 << 18;
/// Pieces for layers that are worth their memory and setup.
const FEW_FOR_LAYERS: u64 = 1 << 14;

/// All pieces, in the order of their elements, every array `[piece]`.
#[derive(Debug)]
pub struct LocatorPieces<'s> {
    pub(super) maker: Pieces<'s>,
    /// Box of each piece in the parameters of its element.
    pub pieces: Vec<Piece>,
    /// Bézier points, each `[w][v][u]`.
    pub points: Vec<TricubicPoints>,
    /// Largest distance of each piece from the limit, in length units; 0 where it is exact.
    pub errors: Vec<f64>,
    /// Boxes that hold the limit on each piece.
    pub boxes: Vec<Bounds>,
    // affine maps near the pieces, if they are not singular
    pub(crate) frames: Vec<Option<AffineFrame>>,
    // what inexact pieces stand for
    cores: Vec<Option<Box<Core<'s>>>>,
    // which of the solid's leaves each belongs to
    leaves: Vec<u32>,
    // control points of all levels, [point][3]
    refined: Vec<f64>,
    // box of the mesh's control points
    control_box: Bounds,
}

impl<'s> LocatorPieces<'s> {
    pub(super) fn new(
        solid: &'s Solid,
        controls: Controls<'_>,
        rings: Option<usize>,
    ) -> Result<Self> {
        let vertices = solid.topology().vertex_count();
        check_point_count(controls.positions.len(), vertices)?;
        check_coordinates(controls.positions, Precision::F64)?;
        let maker = Pieces::new(solid, rings.unwrap_or_else(|| default_rings(solid)))?;
        let refined = solid.refined_points(controls.positions.as_flattened(), 3).into_owned();
        let leaves = solid.leaves();
        let ids = || 0..leaves.len() as u32;
        let counts: Vec<u32> =
            leaves.par_iter().map(|leaf| maker.of(leaf).count() as u32).collect();
        let count: usize = counts.iter().map(|&n| n as usize).sum();
        let what = format!("the pieces of {} need", counted(solid.elements().len(), "element"));
        memory::check(what, PIECE_BYTES * count as u128, |_| {
            "take a part of the mesh, or a machine with more memory".into()
        })?;
        let leaf_ids = ids().zip(&counts).flat_map(|(leaf, &n)| (0..n).map(move |_| leaf));
        let own = |leaves: &[Leaf]| PieceArrays::new(&maker, leaves, &refined);
        let mut all = PieceArrays::with_room(count);
        for leaves in leaves.chunks(BATCH_LEAVES) {
            let parts: Vec<PieceArrays<'s>> = leaves.par_chunks(TASK_LEAVES).map(own).collect();
            stop_point();
            parts.into_iter().for_each(|part| all.append(part));
        }
        let PieceArrays { points, errors, boxes, frames, cores } = all;
        let pieces: Vec<Piece> = leaves.iter().flat_map(|leaf| maker.of(leaf)).collect();
        let leaves = leaf_ids.collect();
        let control_box =
            bounds(solid.spanning(controls.positions.as_flattened(), 3).as_chunks().0);
        Ok(Self {
            maker,
            pieces,
            points,
            errors,
            boxes,
            frames,
            cores,
            leaves,
            refined,
            control_box,
        })
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Rings of exact pieces toward extraordinary edges and vertices.
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

    /// The box of the mesh's control points, which holds the limit.
    pub(super) fn control_box(&self) -> &Bounds {
        &self.control_box
    }

    /// The solid in pieces.
    pub fn solid(&self) -> &'s Solid {
        self.maker.solid()
    }

    /// The leaf that a piece is part of.
    pub fn leaf(&self, piece: usize) -> &'s Leaf {
        &self.solid().leaves()[self.leaves[piece] as usize]
    }

    /// What an inexact piece stands for.
    pub(super) fn core(&self, piece: usize) -> Option<&Core<'s>> {
        self.cores[piece].as_deref()
    }

    /// The limit around a piece.
    pub(super) fn limit(&self, piece: usize) -> LimitMap<'_> {
        LimitMap::new(self.solid(), self.leaf(piece), &self.refined)
    }
}

/// Pieces of some leaves, every array `[piece]`.
#[derive(Default)]
struct PieceArrays<'s> {
    points: Vec<TricubicPoints>,
    errors: Vec<f64>,
    boxes: Vec<Bounds>,
    frames: Vec<Option<AffineFrame>>,
    cores: Vec<Option<Box<Core<'s>>>>,
}

impl<'s> PieceArrays<'s> {
    fn new(maker: &Pieces<'s>, leaves: &[Leaf], refined: &[f64]) -> Self {
        let mut own = Self::default();
        for made in leaves.iter().flat_map(|leaf| maker.made(leaf, refined)) {
            stop_point();
            let error = maker.error(&made);
            let points = made.bezier_points();
            let [low, high] = bounds(&points);
            let around = [low.map(|x| x - error), high.map(|x| x + error)];
            own.boxes.push(made.rest.as_ref().map_or(around, |nest| both(around, nest.bounds())));
            own.frames.push(AffineFrame::of(&points));
            own.points.push(points);
            own.errors.push(error);
            own.cores.push(made.rest.map(|nest| Box::new(Core::new(nest))));
        }
        own
    }

    fn with_room(count: usize) -> Self {
        Self {
            points: pages::room(count),
            errors: pages::room(count),
            boxes: pages::room(count),
            frames: pages::room(count),
            cores: pages::room(count),
        }
    }

    fn append(&mut self, next: Self) {
        self.points.extend(next.points);
        self.errors.extend(next.errors);
        self.boxes.extend(next.boxes);
        self.frames.extend(next.frames);
        self.cores.extend(next.cores);
    }
}

/// The box that two boxes have in common.
fn both(a: Bounds, b: Bounds) -> Bounds {
    [std::array::from_fn(|d| a[0][d].max(b[0][d])), std::array::from_fn(|d| a[1][d].min(b[1][d]))]
}

/// Rings of pieces that a [`super::Locator`] makes by default: 4, or fewer if that would be more
/// than 2¹⁸ pieces and more than four per leaf.
pub fn default_rings(solid: &Solid) -> usize {
    most_rings(solid, RINGS, ALWAYS_ALLOWED_PIECES.max(4 * solid.leaves().len() as u64))
}

/// Rings for the pixels of layers, at least [`default_rings`].
pub(crate) fn layer_rings(solid: &Solid) -> usize {
    most_rings(solid, LAYER_RINGS, FEW_FOR_LAYERS).max(default_rings(solid))
}

/// The most of `rings` rings that make no more than `pieces` pieces.
fn most_rings(solid: &Solid, rings: usize, pieces: u64) -> usize {
    (1..=rings).rev().find(|&rings| piece_count(solid, rings as u64) <= pieces).unwrap_or(0)
}

/// How many pieces a solid would have by `rings` rings.
fn piece_count(solid: &Solid, rings: u64) -> u64 {
    let layered = 3 * rings + 1;
    let by_structure = solid.spatial_structures().iter().map(|structure| {
        let is_layered = |child: &usize| structure.sibling_permutation(*child).is_some();
        let layered_siblings = (1..8).filter(is_layered).count() as u64;
        rings * (7 - layered_siblings + layered_siblings * layered) + 1
    });
    let by_structure: Vec<u64> = by_structure.collect();
    let of = |leaf: &Leaf| match leaf.kind {
        LeafKind::Regular(_) => 1,
        LeafKind::Layered(..) => layered,
        LeafKind::Irregular(s, _) => by_structure[s as usize],
    };
    solid.leaves().par_iter().map(of).sum()
}
