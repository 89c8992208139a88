//! Incidence of a surface: the mesh matrix, faces as the columns of a sparse matrix over the
//! vertices. Refinement, limits and jobs share it; it is built once for a control mesh.
//!
//! After Zayer et al. (2017) and Mlakar et al., "Subdivision-specialized linear algebra
//! kernels" (2020). A column lists a face's vertices in cyclic order, so the values 1, 2,
//! 3 … of the matrix need no storage (compressed columns without values). Beside each
//! non-zero (a *corner* of the mesh) stands the value of their matrix E for it: the id of
//! the edge from this corner to the next. Their matrix F, the faces at an edge, follows
//! from the one or two corners of each edge.
//!
//! The edges are found by grouping ([`SurfaceTopology::build`]); edges of refined quads need
//! none ([`surface::refine`](crate::surface::refine)).

mod manifold;

pub(crate) use manifold::{
    inconsistent_edge, is_corner, is_inconsistent, is_non_manifold, non_manifold_corners,
    non_manifold_edges, touching_vertices,
};

use rayon::prelude::*;

use super::edges::{Edges, merge_half_edges};
use crate::error::Result;
use crate::mesh::{Creases, Polygons, SurfaceMesh};
use crate::numbers::sorted_unique;
use crate::topology::{NONE, Rows};

/// Where the columns of a mesh matrix start.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    /// Faces of one number of corners.
    Uniform(u32),
    /// The end of each face among the corners, and the face of each corner.
    Polygons {
        /// `ends[face]`.
        ends: Vec<u32>,
        /// `faces[corner]`.
        faces: Vec<u32>,
    },
}

impl Columns {
    /// The columns of polygons with fewer than 2³² corners.
    pub fn of(polygons: &Polygons) -> Self {
        match polygons.uniform_size() {
            Some(size) => Self::Uniform(size as u32),
            None => {
                let ends: Vec<u32> = polygons.ends().map(|end| end as u32).collect();
                Self::of_ends(&ends)
            }
        }
    }

    /// The columns of faces that end at these corners.
    pub(crate) fn of_ends(ends: &[u32]) -> Self {
        let size = ends.first().map_or(3, |&end| end);
        if size > 0 && (1..).zip(ends).all(|(k, &end)| u64::from(end) == k * u64::from(size)) {
            return Self::Uniform(size);
        }
        let mut faces = vec![0; ends.last().map_or(0, |&end| end as usize)];
        let mut start = 0;
        for (f, &end) in (0..).zip(ends) {
            faces[start..end as usize].fill(f);
            start = end as usize;
        }
        Self::Polygons { ends: ends.to_vec(), faces }
    }

    /// Face of a corner.
    #[inline]
    pub fn face(&self, corner: u32) -> u32 {
        match self {
            Self::Uniform(size) => corner / size,
            Self::Polygons { faces, .. } => faces[corner as usize],
        }
    }

    /// Corners of a face.
    #[inline]
    pub fn corners(&self, face: u32) -> std::ops::Range<u32> {
        match self {
            Self::Uniform(size) => face * size..(face + 1) * size,
            Self::Polygons { ends, .. } => {
                let start = if face == 0 { 0 } else { ends[face as usize - 1] };
                start..ends[face as usize]
            }
        }
    }

    /// The corner after this one in its face.
    #[inline]
    pub fn next(&self, corner: u32) -> u32 {
        let corners = self.corners(self.face(corner));
        if corner + 1 == corners.end { corners.start } else { corner + 1 }
    }

    /// The corner before this one in its face.
    #[inline]
    pub fn previous(&self, corner: u32) -> u32 {
        let corners = self.corners(self.face(corner));
        if corner == corners.start { corners.end - 1 } else { corner - 1 }
    }
}

/// Faces over vertices, with their edges.
#[derive(Clone, Debug)]
pub struct SurfaceTopology {
    /// Number of vertices (rows).
    pub vertex_count: usize,
    /// Number of faces (columns).
    pub face_count: usize,
    /// Number of corners (non-zeros).
    pub(crate) corner_count: usize,
    /// Start of each column.
    pub columns: Columns,
    /// `vertices[corner]`: the row of each non-zero.
    pub vertices: Vec<u32>,
    /// `edges[corner]`: the edge from this corner to the next.
    pub edges: Vec<u32>,
    /// Number of edges.
    pub(crate) edge_count: usize,
    /// `edge_corners[edge]`: the first two corners that have the edge, ascending;
    /// [`NONE`] second where the surface ends.
    pub edge_corners: Vec<[u32; 2]>,
    /// Edges of three corners or more, ascending.
    pub non_manifold_edges: Vec<u32>,
}

impl Default for SurfaceTopology {
    /// No faces.
    fn default() -> Self {
        Self::build(0, Columns::Uniform(3), Vec::new())
    }
}

impl SurfaceTopology {
    /// The topology of a mesh whose faces have been checked.
    pub fn of(mesh: &SurfaceMesh) -> Self {
        let vertices = mesh.faces.vertices().to_vec();
        Self::build(mesh.points.len(), Columns::of(&mesh.faces), vertices)
    }

    /// Finds the edges of faces: sides are grouped by their ends, as those of the faces of cells
    /// are. Edges are numbered by their ends, whatever the order of the faces.
    ///
    /// All corners of an edge get its number, also if there are more than two.
    pub fn build(vertex_count: usize, columns: Columns, vertices: Vec<u32>) -> Self {
        let faces = match &columns {
            Columns::Uniform(size) => Rows::uniform(vertices, *size as usize),
            Columns::Polygons { ends, .. } => Rows::from_parts(ends.clone(), vertices),
        };
        let Edges { vertices: ends, of_faces, .. } = merge_half_edges(&faces, vertex_count);
        let (face_count, vertices, edges) =
            (faces.len(), faces.into_items(), of_faces.into_items());
        let mut edge_corners = vec![[NONE; 2]; ends.len()];
        let mut non_manifold_edges = Vec::new();
        for (corner, &edge) in (0..).zip(&edges) {
            match edge_corners[edge as usize].iter_mut().find(|corner| **corner == NONE) {
                Some(free) => *free = corner,
                None => non_manifold_edges.push(edge),
            }
        }
        Self {
            vertex_count,
            face_count,
            corner_count: vertices.len(),
            columns,
            vertices,
            edges,
            edge_count: edge_corners.len(),
            edge_corners,
            non_manifold_edges: sorted_unique(non_manifold_edges),
        }
    }

    /// Whether these are the faces of a mesh.
    pub(crate) fn is_of(&self, mesh: &SurfaceMesh) -> bool {
        self.vertex_count == mesh.points.len()
            && self.vertices == mesh.faces.vertices()
            && self.columns == Columns::of(&mesh.faces)
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// Vertex of a corner.
    #[inline]
    pub fn vertex(&self, corner: u32) -> u32 {
        self.vertices[corner as usize]
    }

    /// End vertices of an edge, the smaller first.
    pub(crate) fn edge_ends(&self, edge: u32) -> [u32; 2] {
        let [corner, _] = self.edge_corners[edge as usize];
        let (a, b) = (self.vertex(corner), self.vertex(self.columns.next(corner)));
        [a.min(b), a.max(b)]
    }

    /// Corners at each vertex, ascending: the matrix by rows (its transpose).
    pub fn vertex_corners(&self) -> Rows {
        let vertex = |corner| std::iter::once(self.vertex(corner));
        Rows::transposed(self.vertex_count, self.vertices.len(), vertex)
    }

    /// Vertices of a face.
    pub fn face(&self, face: usize) -> &[u32] {
        let corners = self.columns.corners(face as u32);
        &self.vertices[corners.start as usize..corners.end as usize]
    }

    /// The edge of two vertices, if there is one: edges of a built topology ascend by their ends.
    pub(crate) fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        let (ends, mut low, mut high) = ([a.min(b), a.max(b)], 0, self.edge_count() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.edge_ends(middle) < ends { low = middle + 1 } else { high = middle }
        }
        ((low as usize) < self.edge_count() && self.edge_ends(low) == ends).then_some(low)
    }

    /// Sharpness of the edges and of the vertices, as tags say, of several the last; empty without
    /// tags.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) for a crease that is not an edge, or a corner that is
    /// not a vertex.
    pub(crate) fn sharpness(&self, creases: &Creases) -> Result<[Vec<f64>; 2]> {
        let room = |tags: usize, count: usize| if tags == 0 { 0 } else { count };
        let mut edges = vec![0.0; room(creases.edges.len(), self.edge_count())];
        for crease in &creases.edges {
            let [a, b] = crease.edge().map(|v| v.0);
            let edge = self.edge_between(a, b).ok_or_else(|| crease.no_edge())?;
            edges[edge as usize] = crease.sharpness;
        }
        creases.check_corners(self.vertex_count)?;
        let mut vertices = vec![0.0; room(creases.corners.len(), self.vertex_count)];
        for corner in &creases.corners {
            vertices[corner.vertex.index()] = corner.sharpness;
        }
        Ok([edges, vertices])
    }

    /// Checks that creases are edges and corners vertices.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) naming the first that is not.
    pub fn check_creases(&self, creases: &Creases) -> Result<()> {
        self.sharpness(creases).map(|_| ())
    }

    /// All corners of each of the non-manifold edges, ascending.
    pub(crate) fn non_manifold_corners(&self) -> Rows {
        let edges = &self.non_manifold_edges;
        if edges.is_empty() {
            return Rows::default();
        }
        let mut found: Vec<(u32, u32)> = (0..)
            .zip(&self.edges)
            .filter_map(|(c, edge)| Some((edges.binary_search(edge).ok()? as u32, c)))
            .collect();
        found.sort_unstable();
        let mut rows = Rows::with_capacity(edges.len(), found.len());
        found.chunk_by(|a, b| a.0 == b.0).for_each(|row| rows.push(row.iter().map(|at| at.1)));
        rows
    }

    /// Vertices joined to each vertex by an edge, by the numbers of the edges.
    pub fn neighbors(&self) -> Rows {
        let edges = 0..self.edge_count() as u32;
        let ends: Vec<[u32; 2]> = edges.into_par_iter().map(|edge| self.edge_ends(edge)).collect();
        let pairs = |edge: u32| {
            let [a, b] = ends[edge as usize];
            [(a, b), (b, a)].into_iter()
        };
        Rows::grouped(self.vertex_count, ends.len(), pairs)
    }

    /// Whether every edge of two faces is run through once in each direction.
    pub(crate) fn is_oriented(&self) -> bool {
        self.non_manifold_edges.is_empty()
            && self
                .edge_corners
                .par_iter()
                .all(|&[a, b]| b == NONE || self.vertex(a) != self.vertex(b))
    }
}
