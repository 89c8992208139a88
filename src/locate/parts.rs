//! A solid divided into parts, boxes of Bézier pieces so nearly affine that Newton's method
//! converges, in flat arrays: a GPU locates points in it.
//!
//! Exact pieces are halved until Newton's method converges on them; inexact ones, which surround
//! extraordinary edges and vertices, are exact again in some further rings. What is left over (next
//! to smooth edges of the boundary, where the map degenerates, and within the last ring) has no
//! Bézier points here, and belongs to the CPU. Parts are in the order of their pieces, and so of
//! their elements.

use std::array;
use std::ops::Range;

use rayon::prelude::*;

use super::Locator;
use super::frame::AffineFrame;
use super::hierarchy::diagonal;
use super::tricubic::{TricubicPoints, bounds, halves};
use crate::backend::operations::{NONE, SolidPart, SolidParts};
use crate::bezier::{MAX_EXACT_RINGS, MadePiece, Piece, Pieces};
use crate::error::Result;
use crate::numbers::bounds::Bounds;

/// How often a piece is halved at most: more made parts and decided hardly more points on any
/// model tried.
const MAX_HALVINGS: u32 = 6;
/// Rings in inexact pieces. Each divides what is left to the CPU at extraordinary edges by 4,
/// at vertices by 8.
const RINGS: usize = 2;
/// What rounding may do to a frame's y.
const FRAME_ROUNDING: f64 = 1e-9;
/// Length of a box that has none, as a fraction of its diagonal.
const MIN_LENGTH_FRACTION: f64 = 1e-9;

/// All parts of a solid.
#[derive(Debug, Default)]
pub(crate) struct LocatorParts {
    /// The parts, without a hierarchy.
    pub solid: SolidParts,
    /// Boxes that hold the parts, `[part]`.
    pub boxes: Vec<Bounds>,
}

/// What is halved: Bézier points of a piece, or of a part of it.
struct SubPiece {
    // the locator's piece
    piece: usize,
    points: TricubicPoints,
    origin: [f64; 3],
    size: [f64; 3],
    // how far the points may be from the limit; 0 where they are exact
    error: f64,
    exact: bool,
}

impl LocatorParts {
    /// Halves the pieces of a locator.
    ///
    /// # Errors
    /// As [`Pieces::new`].
    pub fn new(locator: &Locator<'_>) -> Result<Self> {
        let solid = locator.pieces.solid();
        let rings = (locator.pieces.rings() + RINGS).min(MAX_EXACT_RINGS);
        let further = Pieces::new(solid, rings)?;
        let of_leaf = |pieces: Range<usize>| {
            let mut own = Self::default();
            own.push_leaf(locator, &further, pieces);
            own
        };
        let by_leaf = locator.pieces.by_leaf().into_par_iter().map(of_leaf);
        let all = by_leaf.fold(Self::default, Self::joined).collect::<Vec<_>>();
        let mut all = all.into_iter().fold(Self::default(), Self::joined);
        all.solid.reach = locator.reach();
        Ok(all)
    }

    /// The parts of both, `self` first.
    fn joined(mut self, other: Self) -> Self {
        let first = self.solid.points.len() as u32;
        let moved = |part: SolidPart| SolidPart {
            points: if part.points == NONE { NONE } else { first + part.points },
            ..part
        };
        self.solid.parts.extend(other.solid.parts.into_iter().map(moved));
        self.solid.points.extend(other.solid.points);
        self.boxes.extend(other.boxes);
        self
    }

    /// Adds the pieces of one leaf, which has further rings.
    fn push_leaf(&mut self, locator: &Locator<'_>, further: &Pieces<'_>, pieces: Range<usize>) {
        let all = &locator.pieces;
        let mut inner: Option<Vec<SubPiece>> = None;
        for piece in pieces {
            let Piece { origin, size, exact, .. } = all.pieces[piece];
            if exact {
                let points = all.points[piece];
                let block = SubPiece { piece, points, origin, size, error: 0.0, exact };
                self.push(locator, block, all.frames[piece], MAX_HALVINGS);
                continue;
            }
            // sides of boxes are dyadic, so that these compare exactly
            let is_within = |block: &SubPiece| {
                (0..3).all(|d| {
                    block.origin[d] >= origin[d]
                        && block.origin[d] + block.size[d] <= origin[d] + size[d]
                })
            };
            let inner = inner.get_or_insert_with(|| blocks(locator, further, piece));
            for block in inner.iter().filter(|block| is_within(block)) {
                let block = SubPiece { piece, ..*block };
                let frame = AffineFrame::of(&block.points);
                self.push(locator, block, frame, MAX_HALVINGS);
            }
        }
    }

    fn push(
        &mut self,
        locator: &Locator<'_>,
        block: SubPiece,
        frame: Option<AffineFrame>,
        halvings: u32,
    ) {
        let converges = block.exact && frame.is_some_and(|frame| frame.converges);
        if block.exact && !converges && halvings > 0 {
            for half in halves(&block.points) {
                let frame = AffineFrame::of(&half.points);
                let half = SubPiece {
                    points: half.points,
                    origin: array::from_fn(|d| block.origin[d] + half.origin[d] * block.size[d]),
                    size: array::from_fn(|d| half.size[d] * block.size[d]),
                    ..block
                };
                self.push(locator, half, frame, halvings - 1);
            }
            return;
        }
        let SubPiece { piece, points, origin, size, error, .. } = block;
        let [low, high] = bounds(&points);
        let bounds = [low.map(|x| x - error), high.map(|x| x + error)];
        let frame = frame.unwrap_or_else(|| box_frame(&bounds));
        let (most, enough) = locator.nearness(piece);
        let around = frame.reach(most + error);
        self.solid.parts.push(SolidPart {
            inverse: frame.inverse,
            offset: frame.offset,
            low: array::from_fn(|d| frame.low[d] - around[d] - FRAME_ROUNDING),
            high: array::from_fn(|d| frame.high[d] + around[d] + FRAME_ROUNDING),
            enough: frame.reach(enough),
            most: frame.reach(most),
            origin,
            size,
            points: if converges { self.solid.points.len() as u32 } else { NONE },
            piece: piece as u32,
            element: locator.pieces.pieces[piece].element,
            padding: 0,
        });
        self.boxes.push(bounds);
        if converges {
            self.solid.points.push(points);
        }
    }
}

/// The leaf of a piece in further rings.
fn blocks(locator: &Locator<'_>, further: &Pieces<'_>, piece: usize) -> Vec<SubPiece> {
    let leaf = locator.pieces.leaf(piece);
    let made = further.made(leaf, locator.pieces.refined());
    let block = |(Piece { origin, size, exact, .. }, made): (Piece, MadePiece<'_>)| SubPiece {
        piece,
        points: made.bezier_points(),
        origin,
        size,
        error: further.error(&made),
        exact,
    };
    further.of(leaf).zip(made).map(block).collect()
}

/// The frame of a part that has none of its own: its box's.
fn box_frame(bounds: &Bounds) -> AffineFrame {
    let [low, high] = *bounds;
    let thin = (MIN_LENGTH_FRACTION * diagonal(bounds)).max(f64::MIN_POSITIVE);
    let scale: [f64; 3] = array::from_fn(|d| (high[d] - low[d]).max(thin).recip());
    let row = |d: usize| array::from_fn(|c| if c == d { scale[d] } else { 0.0 });
    AffineFrame {
        inverse: array::from_fn(row),
        offset: array::from_fn(|d| -scale[d] * low[d]),
        low: [0.0; 3],
        high: [1.0; 3],
        converges: false,
    }
}
