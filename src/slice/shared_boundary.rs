//! The boundary of a solid whose mesh ranks hold together.
//!
//! Every rank covers the faces of its own cells by patches, and gets those faces of other ranks
//! that share a vertex with one of its own: all that its edges depend on. What the layers have in
//! common is reduced over the ranks. Then each rank gets the patches that its layers meet, in the
//! order of the whole and with the edges of the whole, so that its layers are bit by bit those of
//! one program.

use rayon::prelude::*;

use super::boundary::{
    CoveredFaces, Extent, Face, Meeting, NamedSurface, Reach, Sheet, Shells, Surface, face_bytes,
    fitter, height_bytes, height_grid, patch_bytes, push_faces, push_heights,
};
use super::slicer::{LayerFrame, SliceOptions, Slicer, tolerance};
use crate::cluster::Ranks;
use crate::error::Result;
use crate::limit::rim::RimKey;
use crate::locate::PieceCounts;
use crate::parts::exchange::{Holders, gather_count, next_numbers};
use crate::parts::{Block, Blocks, RankClusters};
use crate::topology::no_boundary;

/// Elements that a rank has the setup of at a time.
const BLOCK_ELEMENTS: usize = 1 << 17;
/// Faces that are covered before their patches are counted.
const FACES: usize = 1 << 10;

/// A rank's part of the boundary of a solid.
///
/// ```
/// use subsolid::cluster::{Ranks, Threads};
/// use subsolid::parts::{Blocks, DistributedMesh};
/// use subsolid::slice::{SharedBoundary, SliceOptions};
/// let areas = Threads::run(2, |group| {
///     let ranks = Ranks::new(group);
///     let mesh = ranks.first(|| subsolid::read("models/bracket.vtk")).unwrap();
///     let mesh = DistributedMesh::scatter(&ranks, mesh).unwrap();
///     let own = mesh.own_elements(&ranks, 0);
///     let part = mesh.into_part(&ranks, 0, own).unwrap();
///     let blocks = Blocks::new(&part, Default::default()).unwrap();
///     let boundary = SharedBoundary::new(&ranks, &blocks, SliceOptions::default()).unwrap();
///     let [low, high] = boundary.frame().heights;
///     let at = low + (high - low) * [0.3, 0.6][ranks.rank()]; // each a layer of its own
///     boundary.slicer(&ranks, Some([at; 2])).unwrap().layer(0, at).area()
/// });
/// assert!(areas.iter().all(|area| *area > 0.0));
/// ```
#[derive(Debug)]
pub struct SharedBoundary {
    frame: LayerFrame,
    piece_counts: PieceCounts,
    // of this rank
    surface: Surface,
    edges: Vec<RimKey>,
}

/// Faces of a rank, before the cells are known that are mirrored.
#[derive(Default)]
struct RankFaces {
    // with the cell of each
    faces: Vec<(u32, Face)>,
    // [rank]: those that it needs
    to: Vec<Vec<u32>>,
    clusters: RankClusters,
    piece_counts: PieceCounts,
    // tolerance and grid of heights
    scale: Option<[f64; 2]>,
}

impl SharedBoundary {
    /// The boundary of the limit over the elements of the blocks of all ranks.
    ///
    /// # Errors
    /// Those of [`Slicer::new`] and of the setup of the blocks; those of other ranks.
    pub fn new(ranks: &Ranks<'_>, blocks: &Blocks<'_>, options: SliceOptions) -> Result<Self> {
        if ranks.size() == 1
            && let [run] = &blocks.runs(BLOCK_ELEMENTS)[..]
        {
            return Self::of_one(ranks, &blocks.block(run.clone())?, blocks, options);
        }
        let counts = gather_count(ranks, blocks.cells().len())?;
        let holders = Holders::of_counts(counts.into_iter());
        let RankFaces { faces, to, clusters, piece_counts, scale } =
            RankFaces::new(ranks, blocks, &holders, options)?;
        let piece_counts = all_counts(ranks, piece_counts)?;
        let scale = scale.unwrap_or_default();
        let [tolerance, grid] = first_of(ranks, scale)?;
        let orientation = clusters.orientation(ranks, &holders)?;
        let turned = |(cell, face): (u32, Face)| face.turned(orientation.is_mirrored(cell));
        let own: Vec<Face> = faces.into_par_iter().map(turned).collect();
        let NamedSurface { surface, edges, .. } = surface(ranks, own, &to, [tolerance, grid])?;
        let frame = frame(ranks, &surface, options, tolerance)?;
        let surface = Surface { error: frame.1, ..surface };
        Ok(Self { frame: frame.0, piece_counts, surface, edges })
    }

    /// The boundary of the only block of the only rank: its faces need not be in memory at once.
    fn of_one(
        ranks: &Ranks<'_>,
        block: &Block,
        blocks: &Blocks<'_>,
        options: SliceOptions,
    ) -> Result<Self> {
        let solid = block.solid().map_err(|error| blocks.fault(error))?;
        let mut clusters = RankClusters::default();
        clusters.add(block, solid.topology())?;
        let holders = Holders::of_counts(std::iter::once(blocks.cells().len()));
        let orientation = clusters.orientation(ranks, &holders)?;
        let points = &block.mesh.points;
        let (tolerance, grid) = (tolerance(points, options)?, height_grid(points));
        let sheet = Sheet::new(&solid, points, options.axis, fitter(grid, tolerance))?;
        let faces = |range| {
            let faces = sheet.faces(range, |cell| block.cells[cell as usize]);
            faces.map(|(cell, face)| face.turned(orientation.is_mirrored(cell))).collect()
        };
        let made = Surface::of_faces(sheet.boundary.len(), faces, [tolerance, grid])?;
        let (frame, error) = frame(ranks, &made.surface, options, tolerance)?;
        let surface = Surface { error, ..made.surface };
        Ok(Self { frame, piece_counts: PieceCounts::of(&solid), surface, edges: made.edges })
    }

    /// Number of pieces of a locator of the whole solid.
    pub(super) fn piece_counts(&self) -> PieceCounts {
        self.piece_counts
    }

    /// What all layers have in common.
    pub fn frame(&self) -> LayerFrame {
        self.frame
    }

    /// A slicer for the planes of this rank, which lie between two heights; none if it has no
    /// planes. All of its numbers are those of the whole.
    ///
    /// # Errors
    /// Those of other ranks.
    pub fn slicer(self, ranks: &Ranks<'_>, heights: Option<[f64; 2]>) -> Result<Slicer> {
        let Self { frame, surface, edges, .. } = self;
        if ranks.size() == 1 {
            return Ok(Slicer::of(surface, frame, Shells::default()));
        }
        let (grid, error) = (surface.grid, surface.error);
        // planes are rounded to the grid
        let own = heights.map(|[low, high]| [low - grid, high + grid]);
        let own = own.unwrap_or([f64::INFINITY, f64::NEG_INFINITY]);
        let all = ranks.all_gather(Ok(bytemuck::cast_slice(&own).to_vec()))?;
        let to = all
            .iter()
            .map(|bytes| Ok(patch_bytes(&surface, &edges, next_numbers(&mut &bytes[..])?)));
        let to = to.collect();
        drop((surface, edges));
        let mut meeting = Meeting::default();
        for bytes in ranks.all_to_all(to)? {
            meeting.add(&bytes)?;
        }
        Ok(Slicer::of(meeting.into_surface(grid, error), frame, Shells::default()))
    }
}

impl RankFaces {
    fn new(
        ranks: &Ranks<'_>,
        blocks: &Blocks<'_>,
        holders: &Holders,
        options: SliceOptions,
    ) -> Result<Self> {
        let mut all = Self { to: vec![Vec::new(); ranks.size()], ..Self::default() };
        let mut covered = CoveredFaces::default();
        for run in blocks.runs(BLOCK_ELEMENTS) {
            ranks.go_on()?;
            let block = blocks.block(run)?;
            let solid = block.solid().map_err(|error| blocks.fault(error))?;
            all.clusters.add(&block, solid.topology())?;
            all.piece_counts = all.piece_counts.and(PieceCounts::of(&solid));
            let points = &block.mesh.points;
            let (tolerance, grid) = (tolerance(points, options)?, height_grid(points));
            let sheet = Sheet::new(&solid, points, options.axis, fitter(grid, tolerance))?;
            all.add_neighbors(&block, &sheet, holders, ranks.rank());
            let count = sheet.boundary.len();
            for start in (0..count).step_by(FACES) {
                let range = start..(start + FACES).min(count);
                let known = all.faces.len();
                all.faces.par_extend(sheet.faces(range, |cell| block.cells[cell as usize]));
                covered.check(all.faces[known..].iter().map(|(_, face)| face))?;
            }
            all.scale = Some([tolerance, grid]);
        }
        Ok(all)
    }

    /// Finds the ranks that have a cell at a vertex of each of the next faces.
    fn add_neighbors(&mut self, block: &Block, sheet: &Sheet<'_>, holders: &Holders, rank: usize) {
        let topology = sheet.solid().topology();
        let own = holders.range(rank);
        for (index, face) in (self.faces.len() as u32..).zip(&sheet.boundary) {
            for &v in topology.face_vertices(face.face) {
                for &cell in topology.vertex_cells(v) {
                    let cell = block.cells[cell as usize];
                    if own.contains(&(cell as usize)) {
                        continue;
                    }
                    let to = &mut self.to[holders.holder(cell)];
                    if to.last() != Some(&index) {
                        to.push(index);
                    }
                }
            }
        }
    }
}

/// The counts of all ranks.
fn all_counts(ranks: &Ranks<'_>, own: PieceCounts) -> Result<PieceCounts> {
    let all = ranks.all_gather(Ok(own.to_bytes()))?;
    all.iter()
        .try_fold(PieceCounts::default(), |all, bytes| Ok(all.and(PieceCounts::from_bytes(bytes)?)))
}

/// Numbers of the first rank that has some: all that have some have the same.
fn first_of(ranks: &Ranks<'_>, own: [f64; 2]) -> Result<[f64; 2]> {
    let all = ranks.all_gather(Ok(bytemuck::cast_slice(&own).to_vec()))?;
    let all = all.iter().map(|bytes| next_numbers(&mut &bytes[..]));
    let all = all.collect::<Result<Vec<[f64; 2]>>>()?;
    Ok(all.into_iter().find(|numbers| numbers[0] > 0.0).unwrap_or([1.0; 2]))
}

/// The patches of a rank's own faces, with edges that follow from those of all.
fn surface(
    ranks: &Ranks<'_>,
    own: Vec<Face>,
    to: &[Vec<u32>],
    scale: [f64; 2],
) -> Result<NamedSurface> {
    let pack = |wanted: &Vec<u32>| {
        let mut bytes = Vec::new();
        wanted.iter().for_each(|&index| face_bytes(&own[index as usize], &mut bytes));
        bytes
    };
    let from = ranks.all_to_all(Ok(to.iter().map(pack).collect()))?;
    let (before, after) = from.split_at(ranks.rank());
    let mut faces = Vec::new();
    before.iter().try_for_each(|bytes| push_faces(bytes, &mut faces))?;
    let first = faces.len();
    faces.extend(own);
    let end = faces.len();
    after.iter().try_for_each(|bytes| push_faces(bytes, &mut faces))?;
    let (count, mut rest) = (faces.len(), faces.into_iter());
    let next = |range: std::ops::Range<usize>| rest.by_ref().take(range.len()).collect();
    let mut all = Surface::of_faces(count, next, scale)?;
    let at = |face: usize| face.checked_sub(1).map_or(0, |last| all.ends[last] as usize);
    all.surface.keep(at(first)..at(end));
    Ok(all)
}

/// What all layers have in common, and how far the patches of all ranks are from the limit.
fn frame(
    ranks: &Ranks<'_>,
    surface: &Surface,
    options: SliceOptions,
    tolerance: f64,
) -> Result<(LayerFrame, f64)> {
    let mut all = Reach::NONE;
    for bytes in ranks.all_gather(Ok(bytemuck::cast_slice(&Reach::of(surface).0).to_vec()))? {
        all = all.and(Reach(next_numbers(&mut &bytes[..])?));
    }
    if all.is_none() {
        return Err(no_boundary());
    }
    let extent = all.extent(surface.grid, |side| {
        let own = all.farther(surface, side).into_iter();
        let mut farther = Vec::new();
        let bytes = ranks.all_gather(Ok(height_bytes(own)))?;
        bytes.iter().try_for_each(|bytes| push_heights(bytes, &mut farther))?;
        Ok(farther)
    })?;
    let Extent { heights, plane } = extent;
    Ok((LayerFrame { axis: options.axis, tolerance, heights, plane }, all.error()))
}
