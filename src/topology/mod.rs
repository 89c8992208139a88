//! Incidence of cells, faces, edges and vertices of a polyhedral mesh.
//!
//! Everything is a flat index array. A counting sort groups the half-faces (a face seen from
//! one cell) by their smallest vertices; every vertex sorts its own, and equal neighbors
//! become one face. Half-edges (an edge seen from one face) become edges likewise. All of it
//! runs in parallel over ranges of cells and vertices, with the same result for any number
//! of threads. No pointers, no hash map.
//!
//! Faces are numbered by their sorted vertices, edges by theirs, so the numbering
//! depends on the mesh alone.
//!
//! Tried and dropped: a search through the half-faces of each vertex (25 ms of a setup of 47 ms,
//! where the counting sort takes 9 ms), and glibc tunables that keep freed memory (5 % faster).

mod build;
mod corner_fan;
mod edges;
mod faces;
mod groups;
mod hanging;
mod inverted_cells;
pub mod order;
mod orientation;
mod rows;
mod sharpness;
mod star;
pub mod surface;
mod validate;

pub(crate) use build::check_cells;
pub(crate) use hanging::hanging_nodes;
pub use inverted_cells::InvertedCells;
pub use orientation::Orientation;
pub use rows::Rows;
pub use sharpness::Sharpness;
pub use star::{Star, is_extraordinary, stars, straight_edges};
pub(crate) use validate::no_boundary;

use crate::error::IdKind;
use crate::error::{Error, Result};
use crate::mesh::{CellKind, Cells, FaceGroup};
use crate::numbers::sorted_unique;

/// No element: the missing second cell of a boundary face.
pub const NONE: u32 = u32::MAX;

/// Incidence of a mesh's elements.
#[derive(Clone, Debug)]
pub struct Topology {
    cells: Cells,
    vertex_count: usize,
    face_vertices: Rows,
    face_edges: Rows,
    face_cells: Vec<[u32; 2]>,
    cell_faces: Rows,
    edge_vertices: Vec<[u32; 2]>,
    edge_faces: Rows,
    vertex_edges: Rows,
    vertex_faces: Rows,
    vertex_cells: Rows,
    boundary_edge: Vec<bool>,
    boundary_vertex: Vec<bool>,
    // edges of as many faces as in a grid: read more often than the faces
    grid_edge: Vec<bool>,
    all_hexahedra: bool,
    // cells turned against their own volume
    inverted: Vec<u32>,
    // whether each cell is a ghost, or empty
    ghosts: Vec<bool>,
}

impl Topology {
    /// Number of vertices, orphans included.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Tetrahedra, wedges and polyhedra that are inverted among their neighbors, ascending: turned
    /// as these are, they have a negative volume. Known of [`Topology::of_mesh`].
    pub fn inverted_cells(&self) -> &[u32] {
        &self.inverted
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edge_vertices.len()
    }

    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.face_cells.len()
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// The cells the topology was built from.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Vertex cycle of a face, outward as seen from its first cell.
    pub fn face_vertices(&self, face: u32) -> &[u32] {
        self.face_vertices.row(face as usize)
    }

    /// Edges of a face; edge `k` joins vertices `k` and `k + 1` of its cycle.
    pub(crate) fn face_edges(&self, face: u32) -> &[u32] {
        self.face_edges.row(face as usize)
    }

    /// The one or two cells of a face; [`NONE`] in second place at the boundary.
    pub fn face_cells(&self, face: u32) -> [u32; 2] {
        self.face_cells[face as usize]
    }

    /// Whether a face has one cell only, ghosts counted; see [`Topology::bounds_solid`].
    pub fn is_boundary_face(&self, face: u32) -> bool {
        self.face_cells[face as usize][1] == NONE
    }

    /// Whether some cells are ghosts. Known of [`Topology::of_mesh`].
    pub fn has_ghosts(&self) -> bool {
        !self.ghosts.is_empty()
    }

    /// Whether a cell is a ghost: it shapes the limit beside it, and is no part of the solid.
    pub fn is_ghost(&self, cell: u32) -> bool {
        self.ghosts.get(cell as usize) == Some(&true)
    }

    /// The cells of the solid, ascending, if some are ghosts.
    pub(crate) fn solid_cells(&self) -> Option<Vec<u32>> {
        let cells = || (0..self.cell_count() as u32).filter(|&cell| !self.is_ghost(cell));
        self.has_ghosts().then(|| cells().collect())
    }

    /// The cell of the solid that a face bounds, if it has one such cell only. Without ghosts, the
    /// cell of a boundary face.
    pub fn bounded_cell(&self, face: u32) -> Option<u32> {
        let [a, b] = self.face_cells[face as usize];
        let is_solid = |cell: u32| cell != NONE && !self.is_ghost(cell);
        match [is_solid(a), is_solid(b)] {
            [true, false] => Some(a),
            [false, true] => Some(b),
            _ => None,
        }
    }

    /// Whether a face bounds the solid: it has one cell of it only, and a ghost or nothing beyond.
    /// Without ghosts, [`Topology::is_boundary_face`].
    pub fn bounds_solid(&self, face: u32) -> bool {
        if self.has_ghosts() {
            self.bounded_cell(face).is_some()
        } else {
            self.is_boundary_face(face)
        }
    }

    /// Whether a vertex is of a face that [bounds the solid](Self::bounds_solid).
    pub fn is_on_solid_boundary(&self, vertex: u32) -> bool {
        if self.has_ghosts() {
            self.vertex_faces(vertex).iter().any(|&face| self.bounds_solid(face))
        } else {
            self.is_boundary_vertex(vertex)
        }
    }

    /// Faces of a cell in the order of [`CellKind::faces`].
    pub fn cell_faces(&self, cell: u32) -> &[u32] {
        self.cell_faces.row(cell as usize)
    }

    /// Ends of an edge, the smaller first.
    pub fn edge_vertices(&self, edge: u32) -> [u32; 2] {
        self.edge_vertices[edge as usize]
    }

    /// The end of `edge` that is not `vertex`.
    pub fn other_end(&self, edge: u32, vertex: u32) -> u32 {
        let [a, b] = self.edge_vertices[edge as usize];
        if a == vertex { b } else { a }
    }

    /// Faces at an edge; their number is the edge's valence.
    pub fn edge_faces(&self, edge: u32) -> &[u32] {
        self.edge_faces.row(edge as usize)
    }

    /// Edges at a vertex.
    pub fn vertex_edges(&self, vertex: u32) -> &[u32] {
        self.vertex_edges.row(vertex as usize)
    }

    /// Faces at a vertex.
    pub fn vertex_faces(&self, vertex: u32) -> &[u32] {
        self.vertex_faces.row(vertex as usize)
    }

    /// Cells at a vertex.
    pub fn vertex_cells(&self, vertex: u32) -> &[u32] {
        self.vertex_cells.row(vertex as usize)
    }

    /// Whether an edge lies on the boundary.
    pub fn is_boundary_edge(&self, edge: u32) -> bool {
        self.boundary_edge[edge as usize]
    }

    /// Whether an edge has as many faces as in a grid: 4, 3 on the boundary.
    pub(crate) fn has_grid_valence(&self, edge: u32) -> bool {
        self.grid_edge[edge as usize]
    }

    /// Whether a vertex lies on the boundary.
    pub fn is_boundary_vertex(&self, vertex: u32) -> bool {
        self.boundary_vertex[vertex as usize]
    }

    /// The edge between two vertices, if there is one.
    pub(crate) fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        let edges = self.vertex_edges.row(a as usize);
        edges.iter().copied().find(|&e| self.other_end(e, a) == b)
    }

    /// The face with these vertices, in any order, if there is one.
    pub fn face_with(&self, vertices: &[u32]) -> Option<u32> {
        let first = vertices.first().filter(|&&v| (v as usize) < self.vertex_count)?;
        let has_all = |face: &&u32| {
            let own = self.face_vertices(**face);
            own.len() == vertices.len() && vertices.iter().all(|v| own.contains(v))
        };
        self.vertex_faces(*first).iter().find(has_all).copied()
    }

    /// The faces of a group, ascending, each once.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the group and vertices that are no face.
    pub fn group_faces(&self, group: &FaceGroup) -> Result<Vec<u32>> {
        let find = |vertices: &[u32]| {
            self.face_with(vertices).ok_or_else(|| {
                let name = &group.name;
                let face = IdKind::Vertex.ids(vertices.iter().copied());
                Error::mesh(message!("group \"{name}\": no cell has the face of ", face))
                    .with_help("name the vertices of faces of cells, counted from 0")
            })
        };
        let faces = sorted_unique(group.faces.iter().map(find).collect::<Result<Vec<u32>>>()?);
        Ok(faces)
    }

    /// Vertices that belong to no cell; they take no part in anything.
    pub fn orphan_vertices(&self) -> impl Iterator<Item = u32> {
        (0..self.vertex_count as u32).filter(|&v| self.vertex_cells(v).is_empty())
    }

    /// Whether every cell at a vertex is a hexahedron.
    pub(crate) fn has_hexahedral_star(&self, vertex: u32) -> bool {
        let is_hexahedron = |&c: &u32| self.cells.kind(c as usize) == CellKind::Hexahedron;
        self.all_hexahedra || self.vertex_cells(vertex).iter().all(is_hexahedron)
    }
}
