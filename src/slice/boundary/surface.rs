//! The boundary of the limit as a watertight complex of bicubic Bézier patches.
//!
//! # Practice
//! Every boundary face of an element is covered by patches, of a solid's
//! [sheet](super::sheet) or of a surface's [skin](super::skin), cut until they are
//! [simple](super::simple_patches). Patches of different sizes
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

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::bicubic::{self, BicubicPatch, CubicCurvePoints, HEIGHT, PlanePoint, range, round_to};
use super::closed::ClosedSurface;
use super::covered_face::Face;
use super::patch_fit::{Fit, Fitter};
use super::sheet::Sheet;
use super::shell::{ShellSums, Shells};
use super::simple_patches::{Flatness, Slope, SubPatch, cut};
use super::skin::Skin;
use super::tables::MAX_TABLE_BYTES;
use crate::error::{Error, Result, option_name};
use crate::interrupt::stop_point;
use crate::limit::Solid;
use crate::limit::rim::{Rim, RimKey, Stretch};
use crate::memory::free_memory;
use crate::numbers::bounds;
use crate::slice::frame::Axis;
use crate::topology::Orientation;

/// Part of the tolerance that patches may differ from the limit by.
const ERROR_PART: f64 = 1.0 / 8.0;

/// Part of the tolerance that flat patches may rise and bend by.
const FLAT_PART: f64 = 1.0 / 8.0;

/// Bytes of a patch while the complex is made, with its edges and what they are found by: 800 to
/// 1000 of boxes and smooth surfaces, 1300 where every face is one patch, as of bilinear surfaces.
const PATCH_BYTES: u64 = 1200;

/// Patches that are made at once, about; and fewest and most faces of them.
const BATCH_PATCHES: usize = 1 << 15;
const FACES: [usize; 2] = [64, 4096];

/// The complex; see the module's introduction.
#[derive(Debug)]
pub struct Surface {
    /// Patches in the order of the elements.
    pub patches: Vec<Patch>,
    /// Chains of edges along the sides of all patches, see [`Patch::links`].
    pub links: Vec<SideLink>,
    /// Curves of the edges, each along its line.
    pub edges: Vec<CubicCurvePoints>,
    /// What a height is rounded to.
    pub grid: f64,
    /// Largest distance of the patches from the limit, in length units.
    pub error: f64,
}

/// A patch: u × v points outward.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Bézier points `[v][u]`.
    pub points: BicubicPatch,
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
    pub reversed: bool,
    /// Where it starts on the side, which runs from 0 to 1.
    pub start: f32,
    /// Length along the side, as a fraction of the side.
    pub length: f32,
}

/// Where a patch lies in a face.
struct PatchPlace {
    // among the sides of all
    face: u32,
    exact: bool,
    rectangle: [u32; 4],
}

/// A face cut into simple patches, without links, and their error.
struct CutFace {
    sides: Sides,
    patches: Vec<Patch>,
    places: Vec<PatchPlace>,
    error: f64,
}

impl Surface {
    /// The boundary of `solid` over its control points, seen along `axis`, within a tolerance and
    /// with heights on a [grid](height_grid).
    ///
    /// # Errors
    /// As [`Sheet::new`] and [`Orientation::new`].
    pub fn new(
        solid: &Solid,
        points: &[[f64; 3]],
        axis: Axis,
        [tolerance, grid]: [f64; 2],
    ) -> Result<Self> {
        let sheet = Sheet::new(solid, points, axis, fitter(grid, tolerance))?;
        let orientation = Orientation::new(solid.topology(), points)?;
        let faces = |range| sheet.faces(range, &orientation);
        Ok(Self::of_faces(sheet.boundary.len(), faces, [tolerance, grid])?.0)
    }

    /// A closed surface over its control points, as [`Surface::new`], and its shells.
    ///
    /// # Errors
    /// [`Error::Request`] if there is not one point a vertex; [`Error::Mesh`] unless the volume of
    /// all shells is above 0.
    pub fn of_closed(
        surface: &ClosedSurface,
        points: &[[f64; 3]],
        axis: Axis,
        [tolerance, grid]: [f64; 2],
    ) -> Result<(Self, Shells)> {
        let skin = Skin::new(surface, points, axis, fitter(grid, tolerance))?;
        let parts = skin.parts();
        let mut sums = ShellSums::new(surface, grid)?;
        let faces = |range: Range<usize>| -> Vec<Face> {
            let cover = range.clone().into_par_iter().map(|part| skin.cover(part));
            let fits: Vec<Vec<Fit>> = cover.collect();
            sums.add(&parts[range.clone()], &fits);
            let face = |(part, fits): (usize, Vec<Fit>)| Face {
                number: part as u64,
                rim: skin.rim(parts[part]),
                fits,
            };
            range.into_par_iter().zip(fits).map(face).collect()
        };
        let made = Self::of_faces(parts.len(), faces, [tolerance, grid])?;
        Ok((made.0, sums.finish()?))
    }

    /// The surface of faces with ascending numbers, and how many patches there are of
    /// the faces up to each. `faces` is asked for one range
    /// after the other, so that what they are made of is not in memory beside all patches.
    ///
    /// # Errors
    /// [`Error::Request`] for more patches than fit into memory.
    fn of_faces(
        count: usize,
        mut faces: impl FnMut(Range<usize>) -> Vec<Face>,
        [tolerance, grid]: [f64; 2],
    ) -> Result<(Self, Vec<u32>)> {
        // no cut makes a patch flatter than rounding, of which the grid is 64 steps at least
        let flat = (FLAT_PART * tolerance).max(grid / 8.0);
        let flatness = Flatness { height: flat, deviation: flat, rounding: grid / 16.0 };
        let free = free_memory().unwrap_or(u64::MAX).saturating_sub(MAX_TABLE_BYTES);
        let (most, made) = (free / PATCH_BYTES, AtomicU64::new(0));
        let (mut sides, mut ends, mut error) = (Vec::new(), Vec::new(), 0.0_f64);
        let (mut patches, mut places) = (Vec::new(), Vec::new());
        while sides.len() < count {
            let first = sides.len();
            // as many as have few patches, by those before
            let alike = BATCH_PATCHES * first / patches.len().max(1);
            let range = first..(first + alike.clamp(FACES[0], FACES[1])).min(count);
            let cut = faces(range).into_par_iter().enumerate().map(|(index, face)| {
                stop_point();
                let face = CutFace::new((first + index) as u32, face, &flatness);
                let count = face.patches.len() as u64;
                if made.fetch_add(count, Ordering::Relaxed) + count > most {
                    return Err(too_many_patches(most));
                }
                Ok(face)
            });
            let cut: Vec<CutFace> = cut.collect::<Result<_>>()?;
            let more = cut.iter().map(|face| face.patches.len()).sum();
            grow(&mut patches, more);
            grow(&mut places, more);
            for face in cut {
                sides.push(face.sides);
                patches.extend(face.patches);
                places.extend(face.places);
                ends.push(patches.len() as u32);
                error = error.max(face.error);
            }
        }
        patches.shrink_to_fit();
        Ok((assemble(&sides, &places, patches, grid, error), ends))
    }

    /// Takes in the patches of another surface with heights on the same grid, after its own.
    ///
    /// # Errors
    /// [`Error::Request`] for more than can be numbered.
    pub fn append(&mut self, other: Self) -> Result<()> {
        let [links, edges] = [self.links.len(), self.edges.len()];
        if links + other.links.len() > u32::MAX as usize {
            return Err(too_many_patches(u64::from(u32::MAX) / 4));
        }
        let patch =
            |patch: Patch| Patch { links: patch.links.map(|at| at + links as u32), ..patch };
        self.patches.extend(other.patches.into_iter().map(patch));
        let link = |link: SideLink| SideLink { edge: link.edge + edges as u32, ..link };
        self.links.extend(other.links.into_iter().map(link));
        self.edges.extend(other.edges);
        self.error = self.error.max(other.error);
        Ok(())
    }

    /// A height on the grid of heights.
    pub fn round(&self, height: f64) -> f64 {
        round_to(height, self.grid)
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
            ", or take fewer ",
            option_name("levels")
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

impl CutFace {
    fn new(index: u32, face: Face, flatness: &Flatness) -> Self {
        let (mut parts, mut is_exact, mut error) = (Vec::new(), Vec::new(), 0.0_f64);
        for fit in &face.fits {
            error = error.max(fit.error);
            cut(&fit.points, fit.rectangle, flatness, &mut parts);
            is_exact.resize(parts.len(), fit.error == 0.0);
        }
        let patch =
            |part: &SubPatch| Patch { points: part.points, slope: part.slope, links: [0; 5] };
        let place = |(part, exact): (&SubPatch, bool)| PatchPlace {
            face: index,
            exact,
            rectangle: part.rectangle,
        };
        Self {
            sides: Sides { face: face.number, rim: face.rim },
            patches: parts.iter().map(patch).collect(),
            places: parts.iter().zip(is_exact).map(place).collect(),
            error,
        }
    }
}

/// Makes room for `more` items, and for little that may never come: large arrays grow in place.
fn grow<T>(array: &mut Vec<T>, more: usize) {
    if array.capacity() - array.len() < more {
        array.reserve_exact(more.max(array.len() / 8));
    }
}

/// Finds the edges between the corners of all patches.
fn assemble(
    sides: &[Sides],
    places: &[PatchPlace],
    mut patches: Vec<Patch>,
    grid: f64,
    error: f64,
) -> Surface {
    let mut found = FoundEdges::new(Corners::new(sides, places));
    let mut links = Vec::with_capacity(4 * places.len());
    for number in 0..places.len() {
        let mut starts = [links.len() as u32; 5];
        for side in 0..4 {
            found.push_side(number, side, &patches, &mut links);
            starts[side + 1] = links.len() as u32;
        }
        patches[number].links = starts;
    }
    links.shrink_to_fit();
    let FoundEdges { corners, sources, positions } = found;
    let Corners { stops, .. } = corners;
    let mut numbers = vec![0_u32; stops.len()];
    let mut used: Vec<u32> = Vec::new();
    for (stop, _) in sources.iter().enumerate().filter(|(_, source)| source.rank > 0) {
        numbers[stop] = used.len() as u32;
        used.push(stop as u32);
    }
    links.par_iter_mut().for_each(|link| link.edge = numbers[link.edge as usize]);
    drop(numbers);
    let edge = |&stop: &u32| {
        let stop = stop as usize;
        let source = &sources[stop];
        let s = stretch(sides, &places[source.patch as usize], source.side.into());
        let side = patches[source.patch as usize].points.side(source.side.into());
        let along_line = if s.from > s.to { bicubic::reversed(side) } else { side };
        let [a, b] = [stop, stop + 1].map(|stop| s.part_at(Stretch::place(stops[stop])));
        let [_, second, third, _] = bicubic::part(&along_line, a, b);
        [positions[stop], second, third, positions[stop + 1]]
    };
    let edges: Vec<CubicCurvePoints> = used.par_iter().map(edge).collect();
    debug_assert!(edges.iter().all(|e| e[0][HEIGHT].is_finite()));
    Surface { patches, links, edges, grid, error }
}

/// The corners of all patches, each under two names.
struct Corners<'a> {
    sides: &'a [Sides],
    places: &'a [PatchPlace],
    // as places on their lines, ascending
    stops: Vec<RimKey>,
    // as nodes, ascending, and the first corner there, 4 · patch + corner
    nodes: Vec<(RimKey, u32)>,
}

/// Patches whose corners are sorted at once: most corners are shared by neighbors in the order.
const SORTED_PATCHES: usize = 1 << 14;

/// All of the items in order, of equal keys the first.
fn distinct<T: Ord + Copy + Send + Sync, K: PartialEq>(
    places: &[PatchPlace],
    items: impl Fn(usize, &PatchPlace, &mut Vec<T>) + Sync,
    key: impl Fn(&T) -> K + Sync,
) -> Vec<T> {
    let sorted = |(chunk, places): (usize, &[PatchPlace])| {
        let mut own = Vec::with_capacity(8 * places.len());
        for (i, place) in places.iter().enumerate() {
            items(chunk * SORTED_PATCHES + i, place, &mut own);
        }
        own.sort_unstable();
        own.dedup_by_key(|item| key(item));
        own.shrink_to_fit();
        own
    };
    let parts: Vec<Vec<T>> = places.par_chunks(SORTED_PATCHES).enumerate().map(sorted).collect();
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    parts.into_iter().for_each(|part| all.extend(part));
    all.par_sort_unstable();
    all.dedup_by_key(|item| key(item));
    all.shrink_to_fit();
    all
}

impl<'a> Corners<'a> {
    fn new(sides: &'a [Sides], places: &'a [PatchPlace]) -> Self {
        let stops_of = |_, place: &PatchPlace, own: &mut Vec<RimKey>| {
            for side in 0..4 {
                let s = stretch(sides, place, side);
                if !s.is_point() {
                    own.extend([s.key(s.from), s.key(s.to)]);
                }
            }
        };
        let nodes_of = |i: usize, place: &PatchPlace, own: &mut Vec<(RimKey, u32)>| {
            own.extend((0..4).map(|k| (node(sides, place, k), (4 * i + k) as u32)));
        };
        let stops = distinct(places, stops_of, |key| *key);
        let nodes = distinct(places, nodes_of, |(key, _)| *key);
        Self { sides, places, stops, nodes }
    }

    /// Where corner `k` of a patch lies: where the first patch at its node says.
    fn point(&self, place: &PatchPlace, k: usize, patches: &[Patch]) -> PlanePoint {
        let key = node(self.sides, place, k);
        let at = self.nodes.partition_point(|(k, _)| *k < key);
        let first = self.nodes[at].1 as usize;
        patches[first / 4].points.side(first % 4)[0]
    }
}

fn stretch(sides: &[Sides], place: &PatchPlace, side: usize) -> Stretch {
    let Sides { face, rim } = &sides[place.face as usize];
    rim.stretch(*face, place.rectangle, side)
}

fn node(sides: &[Sides], place: &PatchPlace, k: usize) -> RimKey {
    let [s0, t0, s1, t1] = place.rectangle;
    let at = [[s0, t0], [s1, t0], [s1, t1], [s0, t1]][k];
    let Sides { face, rim } = &sides[place.face as usize];
    rim.node(*face, at)
}

/// The side that an edge has its curve from.
#[derive(Clone, Copy, Default)]
struct EdgeSource {
    patch: u32,
    side: u8,
    // how good it is; 0: no side runs there
    rank: u8,
}

/// The edges found so far.
struct FoundEdges<'a> {
    corners: Corners<'a>,
    // [stop]: of the edge from it to the next stop
    sources: Vec<EdgeSource>,
    // [stop]
    positions: Vec<PlanePoint>,
}

impl<'a> FoundEdges<'a> {
    fn new(corners: Corners<'a>) -> Self {
        let count = corners.stops.len();
        Self {
            corners,
            sources: vec![EdgeSource::default(); count],
            positions: vec![[0.0; 3]; count],
        }
    }

    /// Takes the edges along a side of a patch, and appends the links to them, whose edges are
    /// stops. A side that is one point has none: no neighbor would find its crossings.
    fn push_side(
        &mut self,
        number: usize,
        side: usize,
        patches: &[Patch],
        links: &mut Vec<SideLink>,
    ) {
        let Self { corners, sources, positions } = self;
        let (stops, place) = (&corners.stops, &corners.places[number]);
        let s = stretch(corners.sides, place, side);
        if s.is_point() {
            return;
        }
        let (low, high) = (s.from.min(s.to), s.from.max(s.to));
        let first = stops.partition_point(|k| *k < s.key(low));
        let last = stops.partition_point(|k| *k < s.key(high));
        let reversed = s.from > s.to;
        let ends = [side, (side + 1) % 4].map(|k| corners.point(place, k, patches));
        let [start, end] = if reversed { [last, first] } else { [first, last] };
        [positions[start], positions[end]] = ends;
        for k in 0..last - first {
            let stop = if reversed { last - 1 - k } else { first + k };
            let [a, b] = [stop, stop + 1].map(|i| s.part_at(Stretch::place(stops[i])));
            // best from an exact patch, next best from one that it is a whole side of
            let rank = 1 + 2 * u8::from(place.exact) + u8::from(last - first == 1);
            if rank > sources[stop].rank {
                sources[stop] = EdgeSource { patch: number as u32, side: side as u8, rank };
            }
            let start = if reversed { 1.0 - b } else { a };
            let (start, length) = (start as f32, (b - a) as f32);
            links.push(SideLink { edge: stop as u32, reversed, start, length });
        }
    }
}
