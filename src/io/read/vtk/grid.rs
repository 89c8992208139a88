//! Cells as files give them, and what became of them.

use std::collections::BTreeMap;

/// The faces of the polyhedra of a grid.
#[derive(Default)]
pub(super) enum GivenFaces {
    /// No faces are given.
    #[default]
    Absent,
    /// The cell's own list is its face stream (legacy files):
    /// faces, then for each its corner count and corners.
    InCells,
    /// One stream of all cells (`.vtu` to version 2.2).
    Stream {
        /// For each polyhedron: faces, then for each its corner count and corners.
        stream: Vec<i64>,
        /// End of each cell in `stream`, −1 if it is not a polyhedron.
        ends: Vec<i64>,
    },
    /// Faces as an array of their own (`.vtu` from version 2.3).
    Indexed {
        /// Corners of all faces.
        corners: Vec<i64>,
        /// End of each face in `corners`.
        face_ends: Vec<i64>,
        /// Faces of all cells.
        faces: Vec<i64>,
        /// End of each cell in `faces`.
        cell_ends: Vec<i64>,
    },
}

/// The cells of an unstructured grid as a file gives them, unchecked.
#[derive(Default)]
pub(super) struct UnstructuredGrid {
    /// Vertices of all cells.
    pub corners: Vec<i64>,
    /// End of each cell in `corners`.
    pub ends: Vec<i64>,
    /// VTK's number of each cell's type.
    pub types: Vec<i64>,
    /// Faces of polyhedra.
    pub faces: GivenFaces,
    /// 1-based line of each cell, or empty.
    pub lines: Vec<usize>,
    /// Whether another piece owns each cell, or empty.
    pub ghosts: Vec<bool>,
    /// Added to every vertex index: points of earlier pieces.
    pub first_point: usize,
    /// What messages call cells of these types, in place of VTK's numbers.
    pub labels: BTreeMap<i64, String>,
}

/// What cells of a grid became.
pub(super) struct KeptCells {
    // cells of the grid
    pub count: usize,
    // cells of the grid that are cells of the mesh
    pub cells: Vec<u32>,
    // cells of the grid that are faces, and their numbers
    pub faces: Vec<(u32, u32)>,
}
