//! A mesh that ranks hold together.
//!
//! # Theory
//! Every rank has a block of the cells and one of the vertices, runs of about as many ids each,
//! with their data ([`DistributedMesh`]). A vertex's holder learns the cells around it: every rank
//! sends (vertex, cell) of its cells to the holders of the vertices. From these two tables a rank
//! collects what its job needs, [`RankPart`]: its own cells, by their vertices the cells around
//! them, and the points of all. Each is one request to the holders and their answer, of the size of
//! the part. Creases, corners and groups of faces are of surfaces, so few beside the cells: all
//! ranks have them all.
//!
//! A rank's own cells are a run in the order of the file, those that its pieces of the output come
//! from. A cut along a space-filling curve would have fewer ghosts, but then the pieces would
//! depend on the number of ranks.
//!
//! # Data flow
//! A file is read block by block ([`MeshBlock`], of `io::read_block`; vertices that its pieces
//! repeat are joined), or by rank 0, which sends the others their blocks one after another
//! ([`DistributedMesh::scatter`]).

use std::ops::Range;

use super::RankPart;
use super::cutter::check;
use super::exchange::{Holders, next_count, next_id, next_ids, next_number, next_numbers, send};
use super::rank_part::elements_of;
use super::{repeated, scatter};
use crate::cluster::Ranks;
use crate::error::Result;
use crate::io::MeshBlock;
use crate::mesh::{CellArray, CoincidentVertices, Creases, SolidMesh, UnusedVertices};
use crate::refine::check_levels;
use crate::topology::Rows;

/// A mesh of which every rank holds a block of the cells and one of the vertices.
#[derive(Debug)]
pub struct DistributedMesh {
    // cells and cell data of this rank, which name vertices of the whole; points and attributes of
    // this rank; creases, corners and groups of the whole
    pub(super) block: SolidMesh,
    pub(super) cells: Holders,
    pub(super) vertices: Holders,
    // by vertices of this rank: ids of the cells at them
    pub(super) vertex_cells: Rows,
    // of all refined once
    pub(super) children: Holders,
    // of all without refinement
    elements: Holders,
}

impl DistributedMesh {
    /// The mesh whose blocks the ranks have read.
    ///
    /// # Errors
    /// Those of other ranks.
    pub fn of_blocks(ranks: &Ranks<'_>, own: MeshBlock) -> Result<Self> {
        let cells = Holders::of_blocks(own.cells, ranks.size());
        let (mut block, vertices) = match own.pieces.len() {
            0 | 1 => (own.mesh, Holders::of_blocks(own.vertices, ranks.size())),
            _ => repeated::joined(ranks, own)?,
        };
        let mut corners = Vec::new();
        for corner in &block.creases.corners {
            corners.extend(corner.vertex.0.to_ne_bytes());
            corners.extend(corner.sharpness.to_ne_bytes());
        }
        block.creases.corners.clear();
        for bytes in ranks.all_gather(Ok(corners))? {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                block.creases.push_corner(next_id(&mut rest)?, next_number(&mut rest)?);
            }
        }
        Self::new(ranks, block, cells, vertices)
    }

    /// A mesh that rank 0 has, which sends the others their blocks.
    ///
    /// # Errors
    /// What is wrong with the numbers and indices of the mesh, and those of other ranks.
    pub fn scatter(ranks: &Ranks<'_>, mesh: Option<SolidMesh>) -> Result<Self> {
        let mesh = ranks.first(|| {
            let mesh = mesh.unwrap_or_default();
            check(&mesh).map(|()| mesh)
        })?;
        if ranks.size() == 1 {
            let mesh = mesh.unwrap_or_default();
            let counts = [mesh.cells.len(), mesh.points.len()];
            let [cells, vertices] = counts.map(|count| Holders::of_blocks(count, 1));
            return Self::new(ranks, mesh, cells, vertices);
        }
        let (block, counts) = scatter::blocks(ranks, mesh)?;
        let [cells, vertices] = counts.map(|count| Holders::of_blocks(count, ranks.size()));
        Self::new(ranks, block, cells, vertices)
    }

    fn new(ranks: &Ranks<'_>, block: SolidMesh, cells: Holders, vertices: Holders) -> Result<Self> {
        let count = |levels: usize| -> u64 {
            (0..block.cells.len()).map(|c| elements_of(&block.cells, c, levels)).sum()
        };
        let own: Vec<u8> = [count(1), count(0)].iter().flat_map(|n| n.to_ne_bytes()).collect();
        let all = ranks.all_gather(Ok(own))?;
        let counts = all.iter().map(|bytes| {
            let mut rest = &bytes[..];
            Ok([next_count(&mut rest)? as usize, next_count(&mut rest)? as usize])
        });
        let counts = counts.collect::<Result<Vec<[usize; 2]>>>()?;
        let [children, elements] =
            [0, 1].map(|i| Holders::of_counts(counts.iter().map(|counts| counts[i])));
        let vertex_cells = cells_at_vertices(ranks, &block, &cells, &vertices)?;
        Ok(Self { block, cells, vertices, vertex_cells, children, elements })
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.count()
    }

    /// Whether there are cells other than hexahedra: these have several elements.
    pub(super) fn has_other_cells(&self) -> bool {
        self.elements.count() != self.cells.count()
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertices.count()
    }

    /// The creases and corners of the whole, by its vertices.
    pub fn creases(&self) -> &Creases {
        &self.block.creases
    }

    /// Takes other creases and corners of the whole, the same on all ranks. Smooth ones are left
    /// out. [`DistributedMesh::into_part`] refuses those that the mesh does not have.
    pub fn set_creases(&mut self, creases: Creases) {
        self.block.creases = creases;
        self.block.creases.drop_smooth();
    }

    /// Number of elements after some levels of refinement.
    ///
    /// # Errors
    /// Too many of them.
    pub fn element_count(&self, levels: usize) -> Result<usize> {
        check_levels(self.cell_count(), self.children.count() as u64, levels)?;
        Ok(self.elements(levels).count())
    }

    /// What this rank has: its cells and their data, its points and attributes; creases, corners
    /// and groups of the whole.
    pub fn block(&self) -> &SolidMesh {
        &self.block
    }

    /// Who has which cells.
    pub(crate) fn cells(&self) -> &Holders {
        &self.cells
    }

    /// Who has which vertices.
    pub(crate) fn vertices(&self) -> &Holders {
        &self.vertices
    }

    /// The elements of this rank's block of the cells, after some levels of refinement.
    pub fn own_elements(&self, ranks: &Ranks<'_>, levels: usize) -> Range<usize> {
        self.elements(levels).range(ranks.rank())
    }

    /// The elements after some levels of refinement, by the holders of their cells.
    pub(super) fn elements(&self, levels: usize) -> Holders {
        match levels {
            0 => self.elements.clone(),
            _ => self.children.times(8_usize.pow(levels as u32 - 1)),
        }
    }

    /// What a rank needs for some elements of the mesh refined some times; of no cell if there are
    /// none.
    ///
    /// # Errors
    /// Creases that are not edges, and corners that are not vertices; those of other ranks.
    pub fn into_part(
        self,
        ranks: &Ranks<'_>,
        levels: usize,
        elements: Range<usize>,
    ) -> Result<RankPart> {
        match ranks.size() {
            1 => RankPart::whole(self.block, levels),
            _ => RankPart::gather(self, ranks, levels, elements),
        }
    }

    /// [`DistributedMesh::into_part`] of a mesh that is needed afterwards.
    ///
    /// # Errors
    /// Those of [`DistributedMesh::into_part`].
    pub fn part(
        &self,
        ranks: &Ranks<'_>,
        levels: usize,
        elements: Range<usize>,
    ) -> Result<RankPart> {
        match ranks.size() {
            1 => RankPart::whole(self.block.clone(), levels),
            _ => RankPart::gather(self, ranks, levels, elements),
        }
    }

    /// What all ranks have: creases, groups, and the names of arrays of cells, without values.
    pub(super) fn common(&self) -> SolidMesh {
        let SolidMesh { creases, face_groups, cell_data, .. } = &self.block;
        let array = |a: &CellArray| CellArray { values: Vec::new(), name: a.name.clone(), ..*a };
        SolidMesh {
            creases: creases.clone(),
            face_groups: face_groups.clone(),
            cell_data: cell_data.iter().map(array).collect(),
            ..SolidMesh::default()
        }
    }

    /// The vertices that belong to no cell.
    ///
    /// # Errors
    /// Those of other ranks.
    pub fn unused_vertices(&self, ranks: &Ranks<'_>) -> Result<UnusedVertices> {
        let start = self.vertices.range(ranks.rank()).start as u32;
        let unused = (start..).zip(self.vertex_cells.iter()).filter(|(_, at)| at.is_empty());
        let (mut count, mut first) = (0_u32, u32::MAX);
        for (v, _) in unused {
            count += 1;
            first = first.min(v);
        }
        let own = [count, first].iter().flat_map(|n| n.to_ne_bytes()).collect();
        let (mut count, mut first) = (0, u32::MAX);
        for bytes in ranks.all_gather(Ok(own))? {
            let [own, next] = next_ids(&mut &bytes[..])?;
            count += own as usize;
            first = first.min(next);
        }
        Ok(UnusedVertices { count, first: Some(first).filter(|&first| first != u32::MAX) })
    }

    /// [`SolidMesh::coincident_vertices`] of the whole: vertices of one place go to one rank.
    ///
    /// # Errors
    /// Those of other ranks.
    pub fn coincident_vertices(&self, ranks: &Ranks<'_>) -> Result<CoincidentVertices> {
        let start = self.vertices.range(ranks.rank()).start as u32;
        let mut to = vec![Vec::new(); ranks.size()];
        for ((v, point), at) in (start..).zip(&self.block.points).zip(self.vertex_cells.iter()) {
            if !at.is_empty() {
                let bytes =
                    &mut to[(CoincidentVertices::hash(*point) % ranks.size() as u64) as usize];
                bytes.extend(v.to_ne_bytes());
                bytes.extend(point.iter().flat_map(|x| x.to_ne_bytes()));
            }
        }
        let mut vertices = Vec::new();
        for bytes in ranks.all_to_all(Ok(to))? {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                vertices.push((next_id(&mut rest)?, next_numbers(&mut rest)?));
            }
        }
        let found = CoincidentVertices::of(vertices);
        let [a, b] = found.first.unwrap_or([u32::MAX; 2]);
        let own = [found.count as u32, found.extra as u32, a, b];
        let own = own.iter().flat_map(|n| n.to_ne_bytes()).collect();
        let all = ranks.all_gather(Ok(own))?;
        all.iter().try_fold(CoincidentVertices::default(), |found, bytes| {
            let [count, extra, a, b] = next_ids(&mut &bytes[..])?;
            let first = (count > 0).then_some([a, b]);
            let (count, extra) = (count as usize, extra as usize);
            Ok(found.joined(CoincidentVertices { count, extra, first }))
        })
    }
}

/// Sends every vertex of the cells of a block to its holder, with the cell.
fn cells_at_vertices(
    ranks: &Ranks<'_>,
    block: &SolidMesh,
    cells: &Holders,
    vertices: &Holders,
) -> Result<Rows> {
    if ranks.size() == 1 {
        let corners = |c: u32| block.cells.vertices(c as usize).iter().copied();
        return Ok(Rows::transposed(vertices.count(), block.cells.len(), corners));
    }
    let first = cells.range(ranks.rank()).start as u32;
    let count = block.cells.len();
    let pairs = |c: usize| block.cells.vertices(c).iter().map(move |&v| (v, first + c as u32));
    let mut ends = vec![0_u32; vertices.range(ranks.rank()).len()];
    send(ranks, vertices, count, pairs, |v, _| ends[v] += 1)?;
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum - *end; // where the next item goes, for now
    }
    let mut items = vec![0; sum as usize];
    send(ranks, vertices, count, pairs, |v, cell| {
        items[ends[v] as usize] = cell;
        ends[v] += 1;
    })?;
    // rounds mix the ranks
    let mut start = 0;
    for &end in &ends {
        items[start..end as usize].sort_unstable();
        start = end as usize;
    }
    Ok(Rows::from_parts(ends, items))
}
