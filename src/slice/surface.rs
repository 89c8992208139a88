//! The boundary of the limit as a watertight complex of bicubic Bézier patches.
//!
//! # Practice
//! Every boundary face of an element is covered by patches, those of a solid's
//! [sheet](super::sheet) or of a surface's [skin](super::skin), cut until they are
//! [simple](super::simple). Patches of different sizes
//! meet: the corner of a small one lies on the side of a large one. So an *edge* is
//! what lies between two neighboring corners on a line, and a side of a patch is a
//! chain of edges. An edge has its own curve, shared bit by bit by the patches on
//! both sides: where a plane crosses it is computed from the edge alone, and both
//! find the same. Corners shared by edges are equal bit by bit too. Hence contours
//! close whatever the rounding.
//!
//! Heights are rounded to a grid of about 2⁻³⁴ of the size, planes likewise, so that a flat
//! face at the very height of a plane is flat in spite of rounding.
//!
//! All arrays are flat, patches refer to edges by number, and nothing refers back.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::bicubic::{self, Bicubic, Cubic, HEIGHT, PlanePoint, range, round_to};
use super::closed::ClosedSurface;
use super::face::Face;
use super::frame::Axis;
use super::patch_fit::{Fit, Fitter};
use super::sheet::Sheet;
use super::shell::Shells;
use super::simple::{Flatness, Slope, SubPatch, cut};
use super::skin::Skin;
use super::tables::MAX_TABLE_BYTES;
use crate::error::{Error, Result, option_name};
use crate::limit::Solid;
use crate::limit::rim::{Rim, RimKey, Stretch};
use crate::memory::physical_memory;
use crate::message;
use crate::numbers::bounds::{self, Bounds};
use crate::topology::Orientation;

/// Part of the tolerance that patches may differ from the limit by.
const ERROR_PART: f64 = 1.0 / 8.0;

/// Part of the tolerance that flat patches may rise and bend by.
const FLAT_PART: f64 = 1.0 / 8.0;

/// Bytes of a patch while the complex is made, with its edges and what they are found by.
const PATCH_BYTES: u64 = 2400;

/// The complex; see the module's introduction.
#[derive(Debug)]
pub struct Surface {
    /// Patches in the order of the elements.
    pub patches: Vec<Patch>,
    /// Chains of edges along the sides of all patches, see [`Patch::links`].
    pub links: Vec<SideLink>,
    /// Curves of the edges, each along its line.
    pub edges: Vec<Cubic>,
    /// What a height is rounded to.
    pub grid: f64,
    /// Largest distance of the patches from the limit, in length units.
    pub error: f64,
}

/// A patch: u × v points outward.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Bézier points `[v][u]`.
    pub points: Bicubic,
    /// How planes cross the patch.
    pub slope: Slope,
    // first link of each side against the clock, from (0, 0); and the end of the last
    links: [u32; 5],
}

impl Patch {
    /// Links of a side, along it: 0 below, 1 right, 2 above, 3 left.
    pub fn links(&self, side: usize) -> std::ops::Range<usize> {
        self.links[side] as usize..self.links[side + 1] as usize
    }

    /// First link of each side, and the end of the last.
    pub fn starts(&self) -> [u32; 5] {
        self.links
    }

    /// A patch with so many links on each side, which come after `first` others.
    pub fn new(points: Bicubic, slope: Slope, first: u32, counts: [u32; 4]) -> Self {
        let mut links = [first; 5];
        (0..4).for_each(|side| links[side + 1] = links[side] + counts[side]);
        Self { points, slope, links }
    }

    /// Links of all sides, against the clock.
    pub fn all_links(&self) -> std::ops::Range<usize> {
        self.links[0] as usize..self.links[4] as usize
    }
}

/// An edge in the side of a patch.
#[derive(Clone, Copy, Debug)]
pub struct SideLink {
    /// The edge.
    pub edge: u32,
    /// Whether the side runs against it.
    pub backwards: bool,
    /// Where it starts on the side, which runs from 0 to 1.
    pub start: f32,
    /// Length along the side, as a fraction of the side.
    pub length: f32,
}

/// A part of a face, before edges are known.
struct Piece {
    // among the sides of all
    face: u32,
    exact: bool,
    part: SubPatch,
}

/// A surface, and what its edges are called.
#[derive(Debug)]
pub struct NamedSurface {
    pub surface: Surface,
    /// Place at which each edge starts.
    pub edges: Vec<RimKey>,
    /// Patches of the faces up to each.
    pub ends: Vec<u32>,
}

impl Surface {
    /// The boundary of `solid` over its control points, seen along `axis`.
    ///
    /// # Errors
    /// Those of [`Sheet::new`] and [`Orientation::new`].
    pub fn new(solid: &Solid, points: &[[f64; 3]], axis: Axis, tolerance: f64) -> Result<Self> {
        let grid = height_grid(points);
        let sheet = Sheet::new(solid, points, axis, fitter(grid, tolerance))?;
        let orientation = Orientation::new(solid.topology(), points)?;
        let faces = sheet.faces(|cell| cell);
        let faces = faces.map(|(cell, face)| face.turned(orientation.is_mirrored(cell)));
        Ok(Self::of_faces(faces, grid, tolerance)?.surface)
    }

    /// A closed surface over its control points, seen along `axis`; and its shells, turned so
    /// that the volume inside is positive.
    ///
    /// # Errors
    /// Those of [`Skin::new`] and [`Shells::new`].
    pub fn of_closed(
        surface: &ClosedSurface,
        points: &[[f64; 3]],
        axis: Axis,
        tolerance: f64,
    ) -> Result<(Self, Shells)> {
        let grid = height_grid(points);
        let skin = Skin::new(surface, points, axis, fitter(grid, tolerance))?;
        let parts = skin.parts();
        let fits: Vec<Vec<Fit>> =
            (0..parts.len()).into_par_iter().map(|part| skin.cover(part)).collect();
        let shells = Shells::new(surface, parts, &fits, grid)?;
        let faces = fits.into_par_iter().enumerate().map(|(part, fits)| {
            let face = Face { number: part as u64, rim: skin.rim(parts[part]), fits };
            face.turned(shells.reversed)
        });
        Ok((Self::of_faces(faces, grid, tolerance)?.surface, shells))
    }

    /// The surface of these faces, which have ascending numbers.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for more patches than fit into memory.
    pub fn of_faces(
        faces: impl IndexedParallelIterator<Item = Face>,
        grid: f64,
        tolerance: f64,
    ) -> Result<NamedSurface> {
        // no cut makes a patch flatter than rounding, of which the grid is 64 steps at least
        let flat = (FLAT_PART * tolerance).max(grid / 8.0);
        let flatness = Flatness { height: flat, deviation: flat, rounding: grid / 16.0 };
        let room = physical_memory().unwrap_or(u64::MAX).saturating_sub(MAX_TABLE_BYTES);
        let (most, made) = (room / PATCH_BYTES, AtomicU64::new(0));
        let cut = faces.enumerate().map(|(index, face)| {
            let (parts, error) = face_parts(index as u32, &face.fits, &flatness);
            let count = parts.len() as u64;
            if made.fetch_add(count, Ordering::Relaxed) + count > most {
                return Err(too_many_patches(most));
            }
            Ok((Sides { face: face.number, rim: face.rim }, parts, error))
        });
        let cut: Vec<(Sides, Vec<Piece>, f64)> = cut.collect::<Result<_>>()?;
        let error = cut.iter().fold(0.0, |error: f64, (_, _, e)| error.max(*e));
        let (mut sides, mut ends) = (Vec::new(), Vec::new());
        let mut parts = Vec::with_capacity(cut.iter().map(|(_, parts, _)| parts.len()).sum());
        for (rim, own, _) in cut {
            sides.push(rim);
            parts.extend(own);
            ends.push(parts.len() as u32);
        }
        let (surface, edges) = assemble(&sides, &parts, grid, error);
        Ok(NamedSurface { surface, edges, ends })
    }

    /// Keeps a run of the patches, and all edges.
    pub fn keep(&mut self, run: std::ops::Range<usize>) {
        self.patches.truncate(run.end);
        self.patches.drain(..run.start);
        let links = match (self.patches.first(), self.patches.last()) {
            (Some(first), Some(last)) => first.links[0]..last.links[4],
            _ => 0..0,
        };
        self.links.truncate(links.end as usize);
        self.links.drain(..links.start as usize);
        self.patches.iter_mut().flat_map(|p| &mut p.links).for_each(|at| *at -= links.start);
    }

    /// A height on the grid of heights.
    pub fn round(&self, height: f64) -> f64 {
        round_to(height, self.grid)
    }

    /// Box in the plane of the layers that holds all patches.
    pub fn plane_box(&self) -> Bounds<2> {
        let points = self.patches.iter().flat_map(|patch| patch.points.0.as_flattened());
        let found = bounds::around(points.map(|&[x, y, _]| [x, y]));
        found.map(|corner| corner.map(|x| x + 0.0)) // no negative zero
    }

    /// Lowest and highest point of a patch and its edges.
    pub fn height_range(&self, patch: &Patch) -> [f64; 2] {
        let own = patch.points.height_range();
        self.links[patch.all_links()].iter().fold(own, |[low, high], link| {
            let [a, b] = range(&self.edges[link.edge as usize]);
            [low.min(a), high.max(b)]
        })
    }
}

fn too_many_patches(most: u64) -> Error {
    Error::request(format!("a boundary of more than {most} patches, which do not fit into memory"))
        .with_help(message!(
            "give a larger ",
            option_name("tolerance"),
            ", take fewer ",
            option_name("levels"),
            ", or share the job between programs (",
            option_name("mpi"),
            ")"
        ))
}

/// How patches are fitted for a tolerance.
pub fn fitter(grid: f64, tolerance: f64) -> Fitter {
    Fitter { grid, tolerance: ERROR_PART * tolerance }
}

/// A power of two near 2⁻³⁴ of the extent, or near 2⁻⁴⁶ of the largest coordinate where
/// the solid is so far from the origin that rounding is larger.
pub fn height_grid(points: &[[f64; 3]]) -> f64 {
    let step = (longest_side(points) * 2.0_f64.powi(-34)).max(farthest(points) * 2.0_f64.powi(-46));
    2.0_f64.powi(step.max(f64::MIN_POSITIVE).log2().ceil() as i32)
}

/// The largest coordinate, by its size.
pub fn farthest(points: &[[f64; 3]]) -> f64 {
    points.as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// The longest side of the box around points.
pub fn longest_side(points: &[[f64; 3]]) -> f64 {
    bounds::longest_side(bounds::around(points.iter().copied()))
}

/// The lines around a face.
struct Sides {
    face: u64,
    rim: Rim,
}

/// Simple parts of one face, and their error.
fn face_parts(face: u32, fits: &[Fit], flatness: &Flatness) -> (Vec<Piece>, f64) {
    let (mut parts, mut is_exact, mut error) = (Vec::new(), Vec::new(), 0.0_f64);
    for fit in fits {
        error = error.max(fit.error);
        cut(&fit.points, fit.rectangle, flatness, &mut parts);
        is_exact.resize(parts.len(), fit.error == 0.0);
    }
    // what is kept has its own size, what has grown goes
    let mut pieces = Vec::with_capacity(parts.len());
    pieces.extend(parts.iter().zip(is_exact).map(|(&part, exact)| Piece { face, exact, part }));
    (pieces, error)
}

/// Finds the edges between the corners of all parts, and their names.
fn assemble(sides: &[Sides], parts: &[Piece], grid: f64, error: f64) -> (Surface, Vec<RimKey>) {
    let mut found = FoundEdges::new(Corners::new(sides, parts));
    let mut links = Vec::with_capacity(4 * parts.len());
    let mut patches = Vec::with_capacity(parts.len());
    for piece in parts {
        let mut starts = [links.len() as u32; 5];
        for side in 0..4 {
            found.push_side(piece, side, &mut links);
            starts[side + 1] = links.len() as u32;
        }
        let (points, slope) = (piece.part.points, piece.part.slope);
        patches.push(Patch { points, slope, links: starts });
    }
    let stops = &found.corners.stops;
    let mut numbers = vec![0_u32; stops.len()];
    let mut edges = Vec::with_capacity(2 * parts.len());
    let mut names = Vec::with_capacity(2 * parts.len());
    for (stop, curve) in found.curves.iter().enumerate() {
        if let Some((_, [_, b, c, _])) = *curve {
            numbers[stop] = edges.len() as u32;
            edges.push([found.positions[stop], b, c, found.positions[stop + 1]]);
            names.push(stops[stop]);
        }
    }
    links.iter_mut().for_each(|link| link.edge = numbers[link.edge as usize]);
    debug_assert!(edges.iter().all(|e| e[0][HEIGHT].is_finite()));
    (Surface { patches, links, edges, grid, error }, names)
}

/// The corners of all parts, each under two names.
struct Corners<'a> {
    sides: &'a [Sides],
    parts: &'a [Piece],
    // as places on their lines, ascending
    stops: Vec<RimKey>,
    // as nodes, ascending, and the first corner there, 4 · part + corner
    nodes: Vec<(RimKey, u32)>,
}

impl<'a> Corners<'a> {
    fn new(sides: &'a [Sides], parts: &'a [Piece]) -> Self {
        let mut stops: Vec<RimKey> = parts
            .par_iter()
            .flat_map_iter(|piece| {
                (0..4).flat_map(move |side| {
                    let s = stretch(sides, piece, side);
                    [s.key(s.from), s.key(s.to)]
                })
            })
            .collect();
        stops.par_sort_unstable();
        stops.dedup();
        let mut nodes: Vec<(RimKey, u32)> = parts
            .par_iter()
            .enumerate()
            .flat_map_iter(|(i, piece)| {
                (0..4).map(move |k| (node(sides, piece, k), (4 * i + k) as u32))
            })
            .collect();
        nodes.par_sort_unstable();
        nodes.dedup_by_key(|(key, _)| *key);
        Self { sides, parts, stops, nodes }
    }

    /// Where corner `k` of a part lies: where the first patch at its node says.
    fn point(&self, piece: &Piece, k: usize) -> PlanePoint {
        let key = node(self.sides, piece, k);
        let at = self.nodes.partition_point(|(k, _)| *k < key);
        let first = self.nodes[at].1 as usize;
        self.parts[first / 4].part.points.side(first % 4)[0]
    }
}

fn stretch(sides: &[Sides], piece: &Piece, side: usize) -> Stretch {
    let Sides { face, rim } = &sides[piece.face as usize];
    rim.stretch(*face, piece.part.rectangle, side)
}

fn node(sides: &[Sides], piece: &Piece, k: usize) -> RimKey {
    let [s0, t0, s1, t1] = piece.part.rectangle;
    let at = [[s0, t0], [s1, t0], [s1, t1], [s0, t1]][k];
    let Sides { face, rim } = &sides[piece.face as usize];
    rim.node(*face, at)
}

/// The edges found so far.
struct FoundEdges<'a> {
    corners: Corners<'a>,
    // [stop]: the edge from it to the next stop, if any side runs there, and how good it is
    curves: Vec<Option<(u8, Cubic)>>,
    // [stop]
    positions: Vec<PlanePoint>,
}

impl<'a> FoundEdges<'a> {
    fn new(corners: Corners<'a>) -> Self {
        let count = corners.stops.len();
        Self { corners, curves: vec![None; count], positions: vec![[0.0; 3]; count] }
    }

    /// Takes the edges along a side of a part, and appends the links to them, whose edges are stops.
    fn push_side(&mut self, piece: &Piece, side: usize, links: &mut Vec<SideLink>) {
        let Self { corners, curves, positions } = self;
        let stops = &corners.stops;
        let s = stretch(corners.sides, piece, side);
        let (low, high) = (s.from.min(s.to), s.from.max(s.to));
        let first = stops.partition_point(|k| *k < s.key(low));
        let last = stops.partition_point(|k| *k < s.key(high));
        let backwards = s.from > s.to;
        let ends = [side, (side + 1) % 4].map(|k| corners.point(piece, k));
        let [start, end] = if backwards { [last, first] } else { [first, last] };
        [positions[start], positions[end]] = ends;
        let along_line = match (piece.part.points.side(side), backwards) {
            (curve, false) => curve,
            (curve, true) => bicubic::reversed(curve),
        };
        let of_side = |place: u32| f64::from(place - low) / f64::from(high - low);
        for k in 0..last - first {
            let stop = if backwards { last - 1 - k } else { first + k };
            let [a, b] = [stop, stop + 1].map(|i| of_side(Stretch::place(stops[i])));
            // best from an exact patch, next best from one that it is a whole side of
            let rank = 1 + 2 * u8::from(piece.exact) + u8::from(last - first == 1);
            if curves[stop].is_none_or(|(best, _)| rank > best) {
                curves[stop] = Some((rank, bicubic::part(&along_line, a, b)));
            }
            let start = if backwards { 1.0 - b } else { a };
            let (start, length) = (start as f32, (b - a) as f32);
            links.push(SideLink { edge: stop as u32, backwards, start, length });
        }
    }
}
