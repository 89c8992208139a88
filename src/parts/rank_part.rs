//! What a rank needs of a mesh for the elements that it makes.

use std::ops::Range;

use super::Part;
use super::exchange::{Holders, ids, next_count, next_id, next_number};
use crate::cluster::Ranks;
use crate::error::{Error, IdKind, Result};
use crate::mesh::{CellKind, Cells, Creases, FoldedCorners, Handedness, SolidMesh};
use crate::refine::{check_levels, child_count};

/// A [`Part`] of a mesh that owns the cells of a run of elements, those of the mesh refined some
/// times, or cells that were asked for, and what these are called in the whole.
#[derive(Clone, Debug)]
pub struct RankPart {
    pub(super) part: Part,
    pub(super) levels: usize,
    // of the whole
    pub(super) cell_count: usize,
    // the first of the whole that a cell has, if it is here
    pub(super) first_vertex: Option<u32>,
    // [cell]: those of the whole that one refinement makes before it
    pub(super) children: Vec<u64>,
    // [owned cell]: elements of the whole before it, and at their end
    pub(super) elements: Vec<u64>,
    // of all corners of the whole
    pub(super) sharpest_corner: f64,
    // whether the whole has cells other than hexahedra
    pub(super) has_other_cells: bool,
    // who has which vertices of the whole
    pub(super) vertices: Holders,
    // owned cells whose first element is asked for: of all ranks, one has each
    pub(super) counted: Range<usize>,
}

/// Elements that a cell becomes after some levels.
pub(super) fn elements_of(cells: &Cells, cell: usize, levels: usize) -> u64 {
    match (levels, cells.kind(cell)) {
        (0, CellKind::Hexahedron) => 1,
        (0, _) => cells.vertices(cell).len() as u64,
        _ => (cells.vertices(cell).len() as u64) << (3 * (levels - 1)),
    }
}

/// Sums before each number, from `sum` on, and the last.
pub(super) fn sums(mut sum: u64, counts: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut sums = vec![sum];
    sums.extend(counts.map(|count| {
        sum += count;
        sum
    }));
    sums
}

/// The largest sharpness of corners; 0 without any.
pub(super) fn sharpest_corner(creases: &Creases) -> f64 {
    creases.corners.iter().map(|corner| corner.sharpness).fold(0.0, f64::max)
}

impl RankPart {
    /// The whole mesh, whose elements one program makes.
    ///
    /// # Errors
    /// Refined meshes of more than 2²⁸ cells.
    pub fn whole(mesh: SolidMesh, levels: usize) -> Result<Self> {
        let cells = mesh.cells.len();
        check_levels(cells, child_count(&mesh), levels)?;
        let mut children = sums(0, (0..cells).map(|c| elements_of(&mesh.cells, c, 1)));
        children.pop();
        let elements = sums(0, (0..cells).map(|c| elements_of(&mesh.cells, c, levels)));
        let all = |count: usize| (0..count as u32).collect::<Vec<_>>();
        let first_vertex = (0..cells).flat_map(|c| mesh.cells.vertices(c)).copied().min();
        let sharpest_corner = sharpest_corner(&mesh.creases);
        let (cell_ids, vertices) = (all(cells), all(mesh.points.len()));
        Ok(Self {
            levels,
            cell_count: cells,
            first_vertex,
            children,
            elements,
            sharpest_corner,
            has_other_cells: !mesh.cells.all_hexahedra(),
            vertices: Holders::of_blocks(vertices.len(), 1),
            counted: 0..cells,
            part: Part { mesh, owned: cell_ids.clone(), cells: cell_ids, vertices },
        })
    }

    /// The part. It is the whole mesh of one program.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// The mesh of the part.
    pub fn mesh(&self) -> &SolidMesh {
        &self.part.mesh
    }

    /// Levels of refinement.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Whether it has the whole mesh.
    pub(super) fn is_whole(&self) -> bool {
        self.part.owned.len() == self.cell_count
    }

    /// The least and the largest coordinate along `axis` of the control points that the limit on
    /// each owned cell depends on: it lies between.
    pub(crate) fn heights(&self, axis: usize) -> Vec<[f64; 2]> {
        let Part { mesh, owned, .. } = &self.part;
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let both = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        let mut around = vec![none; mesh.points.len()];
        for cell in 0..mesh.cells.len() {
            let vertices = mesh.cells.vertices(cell);
            let points = vertices.iter().map(|&v| [mesh.points[v as usize][axis]; 2]);
            let own = points.fold(none, both);
            vertices.iter().for_each(|&v| around[v as usize] = both(around[v as usize], own));
        }
        let of_cell = |&cell: &u32| {
            let vertices = mesh.cells.vertices(cell as usize).iter();
            vertices.fold(none, |all, &v| both(all, around[v as usize]))
        };
        owned.iter().map(of_cell).collect()
    }

    /// Elements of the whole before each owned cell, and at their end.
    pub(super) fn element_ends(&self) -> &[u64] {
        &self.elements
    }

    /// An error of its mesh, in the ids of the whole.
    pub(super) fn of_whole(&self, error: Error) -> Error {
        error.renumbered(|kind, id| {
            let ids = match kind {
                IdKind::Cell => &self.part.cells,
                IdKind::Vertex => &self.part.vertices,
                _ => return None,
            };
            ids.get(id as usize).map(|&id| id.into())
        })
    }

    /// Left-handed and folded hexahedra of the whole.
    ///
    /// # Errors
    /// Those of other ranks.
    pub fn check_hexahedra(&self, ranks: &Ranks<'_>) -> Result<(Handedness, FoldedCorners)> {
        let Part { mesh, cells, .. } = &self.part;
        let id = |(cell, value): (u32, f64)| (cells[cell as usize], value);
        let own = Handedness::among(self.counted.clone(), &mesh.cells, &mesh.points);
        let all = ranks.all_gather(Ok(found(own.left_handed, own.worst.map(id), &[])))?;
        let mut handedness = Handedness { cells: self.cell_count, ..Handedness::default() };
        for bytes in all {
            let (left_handed, worst, _) = take_found(&bytes)?;
            handedness.left_handed += left_handed;
            handedness.worst = worse(handedness.worst, worst);
        }
        let own = mesh.folded_among(self.counted.clone(), &handedness);
        let folded_ids: Vec<u32> = own.cells.iter().map(|&c| cells[c as usize]).collect();
        let all = ranks.all_gather(Ok(found(0, own.worst.map(id), &folded_ids)))?;
        let mut folded = FoldedCorners::default();
        for bytes in all {
            let (_, worst, cells) = take_found(&bytes)?;
            folded.cells.extend(cells);
            folded.worst = worse(folded.worst, worst);
        }
        Ok((handedness, folded))
    }
}

/// The cell of the lesser value; `next` has greater ids.
fn worse(found: Option<(u32, f64)>, next: Option<(u32, f64)>) -> Option<(u32, f64)> {
    match (found, next) {
        (Some(a), Some(b)) => Some(if b.1 < a.1 { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// What a rank has found among its cells, as bytes.
fn found(count: usize, worst: Option<(u32, f64)>, cells: &[u32]) -> Vec<u8> {
    let mut bytes = (count as u64).to_ne_bytes().to_vec();
    let (cell, value) = worst.unwrap_or((0, f64::NAN));
    bytes.extend(value.to_ne_bytes());
    bytes.extend(cell.to_ne_bytes());
    bytes.extend_from_slice(bytemuck::cast_slice(cells));
    bytes
}

/// A count, the worst cell with its value, and cells.
type FoundCells = (usize, Option<(u32, f64)>, Vec<u32>);

fn take_found(bytes: &[u8]) -> Result<FoundCells> {
    let mut rest = bytes;
    let (count, value) = (next_count(&mut rest)? as usize, next_number(&mut rest)?);
    let cell = next_id(&mut rest)?;
    Ok((count, (!value.is_nan()).then_some((cell, value)), ids(rest)?.collect()))
}
