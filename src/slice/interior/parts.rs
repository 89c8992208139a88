//! The parts of Bézier pieces that a plane meets, each so nearly affine that
//! Newton's method decides which pixels are in it.
//!
//! Inexact pieces, around extraordinary edges and vertices, come in rings of exact pieces that end
//! where what is left has few pixels: these are looked up one by one.

use rayon::prelude::*;

use super::PixelPlane;
use super::newton::NewtonPart;
use super::polynomial::RegionFit;
use super::trapezoid_fit::{PlaneRegion, regions};
use crate::bezier::Piece;
use crate::locate::{
    AffineFrame, AttributePieces, CoreCut, CorePart, HalfPiece, Locator, bounds, halves,
};

/// Number of times that a piece is halved at most.
const MAX_HALVINGS: u32 = 15;
/// Halvings after which parts of few pixels are left to the locator.
const HALVINGS_BEFORE_LOCATOR: u32 = 9;
/// Fewer pixels than these are few.
const FEW_PIXELS: u32 = 256;
/// How far, in pixels, what is left around extraordinary edges and vertices may be from these.
const CORE_PIXELS: f64 = 1.0;

/// A part of a piece that the plane may meet.
pub struct PlanePart {
    /// The piece among the locator's.
    pub piece: u32,
    /// How its pixels are found.
    pub kind: PlanePartKind,
    /// Pixel rows whose centers may be in it.
    pub rows: [u32; 2],
    /// Pixel columns, likewise.
    pub columns: [u32; 2],
}

/// How the pixels of a part are found.
pub enum PlanePartKind {
    /// By Newton's method in a frame that nearly is the part, or region by region.
    Newton(Box<NewtonPart>, Option<Vec<PlaneRegion>>),
    /// Pixels are decided one by one, by the locator.
    Wild,
}

/// All parts that meet a plane, in the order of their elements; with polynomials for attributes,
/// if there are some.
pub fn parts(
    locator: &Locator<'_>,
    plane: &PixelPlane<'_>,
    attributes: Option<&[AttributePieces]>,
) -> Vec<PlanePart> {
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
        let Piece { origin, size, exact, .. } = pieces.pieces[i];
        let split = PiecePlaneSplit { locator, plane, attributes, piece, most };
        if exact {
            let whole = HalfPiece { points: pieces.points[i], origin, size };
            split.push(whole, [[true; 2]; 3], &|| pieces.frames[i], MAX_HALVINGS, &mut parts);
            return parts;
        }
        let [narrow, wide] = plane.grid.pitch;
        let radius = CORE_PIXELS * narrow.min(wide);
        let cut = CoreCut { axis: plane.axis.number(), height: plane.height, most, radius };
        locator.cut_piece(i, &cut, &mut |part| match part {
            CorePart::Exact(part, frame) => {
                let outer = [0, 1, 2].map(|d| {
                    let ends = |origin: [f64; 3], size: [f64; 3]| [origin[d], origin[d] + size[d]];
                    let (own, all) = (ends(part.origin, part.size), ends(origin, size));
                    [own[0] == all[0], own[1] == all[1]]
                });
                split.push(*part, outer, &|| frame, MAX_HALVINGS, &mut parts);
            }
            CorePart::Rest(bounds) => {
                let pixels = plane.pixels(&bounds, most);
                parts.extend(pixels.map(|[rows, columns]| PlanePart {
                    piece,
                    kind: PlanePartKind::Wild,
                    rows,
                    columns,
                }));
            }
        });
        parts
    };
    let mut parts: Vec<PlanePart> = met.par_iter().flat_map_iter(of_piece).collect();
    let fits = parts.iter_mut().flat_map(PlanePart::fits_mut);
    fits.zip(0..).for_each(|(fit, number)| fit.number = number);
    parts
}

impl PlanePart {
    /// Polynomials of its regions.
    pub fn fits(&self) -> impl Iterator<Item = &RegionFit> {
        let regions = match &self.kind {
            PlanePartKind::Newton(_, Some(regions)) => &regions[..],
            _ => &[],
        };
        regions.iter().filter_map(|region| region.fit.as_ref())
    }

    fn fits_mut(&mut self) -> impl Iterator<Item = &mut RegionFit> {
        let regions = match &mut self.kind {
            PlanePartKind::Newton(_, Some(regions)) => &mut regions[..],
            _ => &mut [],
        };
        regions.iter_mut().filter_map(|region| region.fit.as_mut())
    }
}

struct PiecePlaneSplit<'a, 's> {
    locator: &'a Locator<'s>,
    plane: &'a PixelPlane<'a>,
    attributes: Option<&'a [AttributePieces]>,
    piece: u32,
    most: f64,
}

impl PiecePlaneSplit<'_, '_> {
    fn push(
        &self,
        part: HalfPiece,
        outer: [[bool; 2]; 3],
        frame: &dyn Fn() -> Option<AffineFrame>,
        halvings: u32,
        parts: &mut Vec<PlanePart>,
    ) {
        let pixels = self.plane.pixels(&bounds(&part.points), self.most);
        let Some([rows, columns]) = pixels else { return };
        let has_few = (rows[1] - rows[0]) * (columns[1] - columns[0]) < FEW_PIXELS;
        let is_last =
            halvings == 0 || has_few && halvings <= MAX_HALVINGS - HALVINGS_BEFORE_LOCATOR;
        let found = |kind: PlanePartKind| PlanePart { piece: self.piece, kind, rows, columns };
        match frame() {
            Some(frame) if frame.converges => {
                let (most, enough) = self.locator.nearness(self.piece as usize);
                let (most, enough) = (frame.reach(most), frame.reach(enough));
                let HalfPiece { points, origin, size } = part;
                let newton = NewtonPart { points, frame, origin, size, enough, most, outer };
                let regions = self.attributes.map(|attributes| {
                    let (pieces, piece) = (self.locator.pieces(), self.piece as usize);
                    regions(pieces, self.plane, piece, &newton, attributes, [columns, rows])
                });
                parts.push(found(PlanePartKind::Newton(Box::new(newton), regions)));
            }
            _ if is_last => parts.push(found(PlanePartKind::Wild)),
            _ => {
                for half in halves(&part.points) {
                    let frame = || AffineFrame::of(&half.points);
                    let [low, high] =
                        [half.origin, [0, 1, 2].map(|d| half.origin[d] + half.size[d])];
                    let outer = [0, 1, 2]
                        .map(|d| [outer[d][0] && low[d] == 0.0, outer[d][1] && high[d] == 1.0]);
                    self.push(half.within(&part), outer, &frame, halvings - 1, parts);
                }
            }
        }
    }
}
