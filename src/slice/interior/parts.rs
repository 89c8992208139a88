//! The parts of Bézier pieces that a plane meets, each so nearly affine that
//! Newton's method decides which pixels are in it.

use rayon::prelude::*;

use super::Plane;
use crate::locate::{Frame, Locator, TricubicPoints as Points, bounds, most_bent_axis, restrict};

/// How often a piece is halved at most.
const HALVINGS: u32 = 9;

/// A part of a piece that the plane may meet.
pub struct Part {
    /// The piece among the locator's.
    pub piece: u32,
    /// How its pixels are found.
    pub kind: Kind,
    /// Pixel rows whose centres may be in it.
    pub rows: [u32; 2],
    /// Pixel columns, likewise.
    pub columns: [u32; 2],
}

/// How the pixels of a part are found.
pub enum Kind {
    /// By Newton's method in a frame that nearly is the part.
    Tame(Box<Tame>),
    /// One by one, by the locator.
    Wild,
}

/// A part that Newton's method decides.
pub struct Tame {
    /// Bézier points, `[w][v][u]`.
    pub points: Points,
    /// The nearly affine map.
    pub frame: Frame,
    /// Least corner of the part in the element's parameters.
    pub origin: [f64; 3],
    /// Edge lengths of the part in the element's parameters.
    pub size: [f64; 3],
    /// A point so near, in the part's own parameters, is in it for certain.
    pub enough: [f64; 3],
    /// A point farther away is not in it.
    pub most: [f64; 3],
}

/// All parts that meet a plane, in the order of their elements.
pub fn parts(locator: &Locator<'_>, plane: &Plane<'_>) -> Vec<Part> {
    let mut met = Vec::new();
    locator.hierarchy().across(plane.axis.number(), plane.height, locator.reach(), |piece| {
        met.push(piece);
    });
    met.sort_unstable();
    let of_piece = |&piece: &u32| {
        let mut parts = Vec::new();
        let pieces = locator.pieces();
        let i = piece as usize;
        let (most, _) = locator.nearness(i);
        if pieces.pieces[i].exact {
            let (origin, size) = (pieces.pieces[i].origin, pieces.pieces[i].size);
            let split = Split { locator, plane, piece, most };
            split.push(pieces.points[i], origin, size, pieces.frames[i], HALVINGS, &mut parts);
        } else if let Some([rows, columns]) = plane.pixels(&pieces.boxes[i], most) {
            parts.push(Part { piece, kind: Kind::Wild, rows, columns });
        }
        parts
    };
    met.par_iter().flat_map_iter(of_piece).collect()
}

struct Split<'a, 's> {
    locator: &'a Locator<'s>,
    plane: &'a Plane<'a>,
    piece: u32,
    most: f64,
}

impl Split<'_, '_> {
    fn push(
        &self,
        points: Points,
        origin: [f64; 3],
        size: [f64; 3],
        frame: Option<Frame>,
        halvings: u32,
        parts: &mut Vec<Part>,
    ) {
        let Some([rows, columns]) = self.plane.pixels(&bounds(&points), self.most) else { return };
        let part = |kind: Kind| Part { piece: self.piece, kind, rows, columns };
        match frame {
            Some(frame) if frame.tame => {
                let (most, enough) = self.locator.nearness(self.piece as usize);
                let (most, enough) = (frame.reach(most), frame.reach(enough));
                let tame = Tame { points, frame, origin, size, enough, most };
                parts.push(part(Kind::Tame(Box::new(tame))));
            }
            _ if halvings == 0 => parts.push(part(Kind::Wild)),
            _ => {
                let axis = most_bent_axis(&points);
                for side in 0..2 {
                    let (mut low, mut high) = ([0.0; 3], [1.0; 3]);
                    if side == 0 {
                        high[axis] = 0.5
                    } else {
                        low[axis] = 0.5
                    }
                    let half = restrict(&points, low, high);
                    let origin = std::array::from_fn(|d| origin[d] + low[d] * size[d]);
                    let size = std::array::from_fn(|d| (high[d] - low[d]) * size[d]);
                    self.push(half, origin, size, Frame::of(&half), halvings - 1, parts);
                }
            }
        }
    }
}
