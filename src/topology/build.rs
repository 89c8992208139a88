//! From cells to incidence: group half-faces and half-edges, merge equal ones.

use rayon::prelude::*;

use super::edges::merge_half_edges;
use super::faces::merge_half_faces;
use super::groups::TASK_ROWS;
use super::{NONE, Rows, Topology};
use crate::error::IdKind::{Cell, Vertex};
use crate::error::{Command, Error, Result};
use crate::memory;
use crate::mesh::{CellKind, Cells};
use crate::numbers::counted;

/// Bytes of the incidence per corner of a cell: what a block of hexahedra takes.
const CORNER_BYTES: u128 = 45;

impl Topology {
    /// Builds the incidence of `cells` over `vertex_count` vertices.
    ///
    /// Checked here: every index, repeated vertices of a cell, cells with the
    /// same faces, and faces with more than two cells. What a Catmull-Clark
    /// solid demands beyond that is [`Topology::validate`]'s.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the cells and vertices concerned.
    pub fn build(cells: Cells, vertex_count: usize) -> Result<Self> {
        if cells.is_empty() {
            return Err(Error::mesh("the mesh has no cells")
                .with_help("give a volume mesh of hexahedra, tetrahedra, wedges or polyhedra"));
        }
        Self::of_any(cells, vertex_count)
    }

    /// The topology of the children of some cells; children of ghosts are ghosts.
    pub(crate) fn of_children(
        &self,
        cells: Cells,
        vertex_count: usize,
        parents: impl Iterator<Item = u32>,
    ) -> Result<Self> {
        let ghosts = if self.has_ghosts() {
            parents.map(|parent| self.is_ghost(parent)).collect()
        } else {
            Vec::new()
        };
        Ok(Self { ghosts, ..Self::build(cells, vertex_count)? })
    }

    /// Builds the incidence of `cells` over `vertex_count` vertices, for any number of cells.
    pub(crate) fn of_any(cells: Cells, vertex_count: usize) -> Result<Self> {
        check_cells(&cells, vertex_count)?;
        let corners = (0..cells.len()).map(|c| cells.vertices(c).len());
        let need = CORNER_BYTES * corners.sum::<usize>() as u128;
        let what = format!("the topology of {} needs", counted(cells.len(), "cell"));
        memory::check(what, need, |_| memory::coarser_or_shared())?;
        let corners = |c: u32| cells.vertices(c as usize).iter().copied();
        let vertex_cells = Rows::transposed(vertex_count, cells.len(), corners);
        let faces = merge_half_faces(&cells, vertex_count)?;
        let vertex_faces = faces.vertices.transpose(vertex_count);
        let edges = merge_half_edges(&faces.vertices, vertex_count);
        let ends = |e: u32| edges.vertices[e as usize].into_iter();
        let (vertex_edges, (boundary_edge, boundary_vertex)) = rayon::join(
            || Rows::transposed(vertex_count, edges.vertices.len(), ends),
            || {
                let mut edge = vec![false; edges.vertices.len()];
                let mut vertex = vec![false; vertex_count];
                for (f, _) in faces.cells.iter().enumerate().filter(|(_, cells)| cells[1] == NONE) {
                    edges.of_faces.row(f).iter().for_each(|&e| edge[e as usize] = true);
                    faces.vertices.row(f).iter().for_each(|&v| vertex[v as usize] = true);
                }
                (edge, vertex)
            },
        );
        let all_edges = (0..boundary_edge.len()).into_par_iter().with_min_len(TASK_ROWS);
        let has_grid_valence =
            |e: usize| edges.faces.row(e).len() == 4 - usize::from(boundary_edge[e]);
        let grid_edge = all_edges.map(has_grid_valence).collect();
        Ok(Self {
            all_hexahedra: cells.all_hexahedra(),
            cells,
            vertex_count,
            face_vertices: faces.vertices,
            face_edges: edges.of_faces,
            face_cells: faces.cells,
            cell_faces: faces.of_cells,
            edge_vertices: edges.vertices,
            edge_faces: edges.faces,
            vertex_edges,
            vertex_faces,
            vertex_cells,
            boundary_edge,
            boundary_vertex,
            grid_edge,
            inverted: Vec::new(),
            ghosts: Vec::new(),
        })
    }
}

/// Checks that the vertices of every cell exist and differ, and that faces of polyhedra are
/// polygons.
///
/// # Errors
/// [`Error::Mesh`] naming the first cell that is not sound.
pub(crate) fn check_cells(cells: &Cells, vertex_count: usize) -> Result<()> {
    cells.check_sizes()?;
    let bad = (0..cells.len()).into_par_iter().find_map_first(|c| {
        let vertices = cells.vertices(c);
        if cells.hexahedron(c).is_some_and(|corners| are_sound(corners, vertex_count)) {
            return None;
        }
        if let Some(v) = vertices.iter().find(|&&v| v as usize >= vertex_count) {
            return Some(
                Error::mesh(message!(
                    Cell.id(c),
                    " names ",
                    Vertex.id(*v),
                    ", but the mesh has ",
                    counted(vertex_count, "vertex")
                ))
                .with_help("vertices are numbered from 0 to their count less 1"),
            );
        }
        let repeats = |list: &[u32]| (1..list.len()).find(|&i| list[..i].contains(&list[i]));
        if let Some(i) = repeats(vertices) {
            return Some(
                Error::mesh(message!(Cell.id(c), " names ", Vertex.id(vertices[i]), " twice"))
                    .with_help(message!(
                        "remove the collapsed cell, or write it as the polyhedron that it is (",
                        Command::Conform,
                        ")"
                    )),
            );
        }
        let mut bad_face = None;
        if cells.kind(c) == CellKind::Polyhedron {
            cells.for_each_face(c, |face| {
                if face.len() < 3 || repeats(face).is_some() {
                    bad_face = Some(face.to_vec());
                }
            });
        }
        bad_face.map(|face| {
            Error::mesh(message!(
                Cell.id(c),
                " has a face that is not a polygon: ",
                Vertex.ids(face)
            ))
            .with_help("give every face as a cycle of at least three different vertices")
        })
    });
    bad.map_or(Ok(()), Err)
}

/// Whether corners exist and differ: all comparisons at once, for nearly every cell is sound.
fn are_sound(corners: &[u32; 8], vertex_count: usize) -> bool {
    let known = corners.iter().all(|&v| (v as usize) < vertex_count);
    // each with those one to four places on, around: every pair, eight at a time
    let mut repeated = [false; 8];
    for step in 1..=4 {
        for (i, repeated) in repeated.iter_mut().enumerate() {
            *repeated |= corners[i] == corners[(i + step) % 8];
        }
    }
    known && repeated == [false; 8]
}
