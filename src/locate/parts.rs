//! A solid in parts so nearly affine that Newton's method decides, in flat arrays: what a
//! GPU looks points up in.
//!
//! Exact pieces are halved until they are tame. What is left over (next to smooth edges of the
//! boundary, where the map degenerates, and next to extraordinary edges and vertices, where
//! pieces only come near the limit) has no Bézier points here, and belongs to the CPU. Parts
//! are in the order of their pieces, and so of their elements.

use rayon::prelude::*;

use super::frame::Frame;
use super::hierarchy::Box3;
use super::tricubic::{Half, Points, bounds, halves};
use super::{Locator, diagonal};
use crate::backend::cuda::parts::{NONE, Node, Part, SolidParts};

/// How often a piece is halved at most: more made parts and decided hardly more points on any
/// model tried.
const HALVINGS: u32 = 6;
/// Length of a box that has none, as a part of its diagonal.
const THIN: f64 = 1e-9;

/// All parts of a solid.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// The parts; those with Bézier points say which.
    pub parts: Vec<Part>,
    /// Bézier points, `[w][v][u]`, of the parts that have some, in their order.
    pub points: Vec<Points>,
    /// Boxes that hold the parts, `[part]`.
    pub boxes: Vec<Box3>,
}

impl Parts {
    /// Halves the pieces of a locator.
    pub fn new(locator: &Locator<'_>) -> Self {
        let of_piece = |piece: usize| {
            let mut own = Self::default();
            own.push_piece(locator, piece);
            own
        };
        let by_piece = (0..locator.pieces.len()).into_par_iter().map(of_piece);
        let mut all = by_piece.fold(Self::default, Self::joined).collect::<Vec<_>>();
        all.drain(..).fold(Self::default(), Self::joined)
    }

    /// These, then others.
    fn joined(mut self, other: Self) -> Self {
        let first = self.points.len() as u32;
        let moved = |part: Part| Part {
            points: if part.points == NONE { NONE } else { first + part.points },
            ..part
        };
        self.parts.extend(other.parts.into_iter().map(moved));
        self.points.extend(other.points);
        self.boxes.extend(other.boxes);
        self
    }

    fn push_piece(&mut self, locator: &Locator<'_>, i: usize) {
        let pieces = &locator.pieces;
        let whole = Half { points: pieces.points[i], origin: [0.0; 3], size: [1.0; 3] };
        let (frame, exact) = (pieces.frames[i], pieces.pieces[i].exact);
        self.push(locator, i, whole, frame, if exact { HALVINGS } else { 0 });
    }

    fn push(
        &mut self,
        locator: &Locator<'_>,
        piece: usize,
        part: Half,
        frame: Option<Frame>,
        halvings: u32,
    ) {
        let header = &locator.pieces.pieces[piece];
        let tame = header.exact && frame.is_some_and(|frame| frame.tame);
        if !tame && halvings > 0 {
            for half in halves(&part.points) {
                let frame = Frame::of(&half.points);
                self.push(locator, piece, half.within(&part), frame, halvings - 1);
            }
            return;
        }
        let error = locator.pieces.errors[piece];
        let [low, high] = bounds(&part.points);
        let bounds = [low.map(|x| x - error), high.map(|x| x + error)];
        let frame = frame.unwrap_or_else(|| box_frame(&bounds));
        let (most, enough) = locator.nearness(piece);
        let (reach, around) = (frame.reach(most), frame.reach(most + error));
        let points = if tame { self.points.len() as u32 } else { NONE };
        self.parts.push(Part {
            inverse: frame.inverse,
            offset: frame.offset,
            low: std::array::from_fn(|d| frame.low[d] - around[d] - SLACK),
            high: std::array::from_fn(|d| frame.high[d] + around[d] + SLACK),
            enough: frame.reach(enough),
            most: reach,
            origin: std::array::from_fn(|d| header.origin[d] + part.origin[d] * header.size[d]),
            size: std::array::from_fn(|d| part.size[d] * header.size[d]),
            points,
            piece: piece as u32,
            element: header.element,
            padding: 0,
        });
        self.boxes.push(bounds);
        if tame {
            self.points.push(part.points);
        }
    }

    /// All arrays, with a hierarchy of the boxes.
    pub fn arrays<'a>(&'a self, nodes: &'a [Node], items: &'a [u32], reach: f64) -> SolidParts<'a> {
        SolidParts { parts: &self.parts, points: &self.points, nodes, items, reach }
    }
}

/// What rounding may do to a frame's y.
const SLACK: f64 = 1e-9;

/// The frame of a part that has none of its own: that of its box.
fn box_frame(bounds: &Box3) -> Frame {
    let [low, high] = *bounds;
    let thin = (THIN * diagonal(bounds)).max(f64::MIN_POSITIVE);
    let scale: [f64; 3] = std::array::from_fn(|d| (high[d] - low[d]).max(thin).recip());
    let row = |d: usize| std::array::from_fn(|c| if c == d { scale[d] } else { 0.0 });
    Frame {
        inverse: std::array::from_fn(row),
        offset: std::array::from_fn(|d| -scale[d] * low[d]),
        low: [0.0; 3],
        high: [1.0; 3],
        tame: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Solid;

    /// Parts with points are tame, and those of an exact piece fill its box of parameters.
    #[test]
    fn parts_fill_their_pieces() {
        let mesh = crate::read("models/bracket.vtk").unwrap();
        let solid = Solid::new(&mesh).unwrap();
        let locator = Locator::new(&solid, mesh.controls()).unwrap();
        let parts = Parts::new(&locator);
        assert!(parts.parts.is_sorted_by_key(|part| part.piece));
        let mut volumes = vec![0.0; locator.pieces().len()];
        let mut count = 0;
        for part in &parts.parts {
            volumes[part.piece as usize] += part.size.iter().product::<f64>();
            if part.points != NONE {
                assert_eq!(part.points, count);
                assert!(Frame::of(&parts.points[count as usize]).unwrap().tame);
                count += 1;
            }
        }
        assert_eq!(count as usize, parts.points.len());
        for (volume, piece) in volumes.iter().zip(&locator.pieces().pieces) {
            assert_eq!(*volume, piece.size.iter().product::<f64>());
        }
    }
}
