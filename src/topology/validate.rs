//! What a Catmull-Clark solid demands of its topology beyond sound indices.

use rayon::prelude::*;

use super::Topology;
use super::groups::chunks;
use crate::error::IdKind::{Cell, Vertex};
use crate::error::{Error, Result};
use crate::mesh::{CellKind, UnionFind};
use crate::numbers::counted;

impl Topology {
    /// Checks that the mesh is a Catmull-Clark solid: every corner of every cell
    /// is 3-valent inside the cell (so that one refinement step gives hexahedra),
    /// and every vertex link is a sphere or, at the boundary, a disk (cells meet
    /// across faces, and the boundary is a manifold).
    ///
    /// Vertices without cells are allowed ([`Topology::orphan_vertices`]).
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the cell, edge or vertex, and how to fix it.
    pub fn validate(&self) -> Result<()> {
        first_error(self.cell_count(), |cell| self.check_corners(cell))?;
        first_error(self.edge_count(), |edge| self.check_edge(edge))?;
        first_error(self.vertex_count(), |vertex| self.check_link(vertex))
    }

    /// Checks that some face is of one cell only: cells may close in themselves, like those on the
    /// boundary of a hypercube.
    ///
    /// # Errors
    /// [`Error::Mesh`] if there is none.
    pub(crate) fn check_has_boundary(&self) -> Result<()> {
        if (0..self.face_count() as u32).any(|face| self.is_boundary_face(face)) {
            Ok(())
        } else {
            Err(no_boundary())
        }
    }

    /// [`Topology::validate`] of some cells, and of the edges and vertices that they have.
    ///
    /// # Errors
    /// Those of [`Topology::validate`].
    pub(crate) fn validate_around(&self, cells: &[u32]) -> Result<()> {
        let check = |&cell: &u32| {
            let vertices = || self.cells.vertices(cell as usize).iter();
            let edges = || vertices().flat_map(|&v| self.vertex_edges(v));
            self.check_corners(cell)
                .or_else(|| edges().find_map(|&edge| self.check_edge(edge)))
                .or_else(|| vertices().find_map(|&v| self.check_link(v)))
        };
        cells.par_iter().find_map_first(check).map_or(Ok(()), Err)
    }

    fn check_corners(&self, cell: u32) -> Option<Error> {
        let kind = self.cells.kind(cell as usize);
        if kind != CellKind::Polyhedron {
            return None;
        }
        let faces = self.cell_faces(cell);
        for &v in self.cells.vertices(cell as usize) {
            let at = faces.iter().filter(|&&f| self.face_vertices(f).contains(&v)).count();
            if at != 3 {
                let at = counted(at, "face");
                return Some(
                    Error::mesh(message!(
                        Cell.id(cell),
                        " has {at} at its ",
                        Vertex.id(v),
                        ", not 3: it never refines to hexahedra"
                    ))
                    .with_help(
                        "Catmull-Clark solids do not support corners like the apex of a pyramid: \
                         split the cell into tetrahedra, wedges or hexahedra",
                    ),
                );
            }
        }
        None
    }

    fn check_edge(&self, edge: u32) -> Option<Error> {
        if !self.is_boundary_edge(edge) {
            return None;
        }
        let faces = self.edge_faces(edge);
        let boundary = faces.iter().filter(|&&f| self.is_boundary_face(f)).count();
        if boundary <= 2 {
            return None;
        }
        Some(
            Error::mesh(message!(
                "the edge of ",
                Vertex.ids(self.edge_vertices(edge)),
                " has {boundary} boundary faces, not 2: cells touch there in the edge only"
            ))
            .with_help("separate the parts by doubling the vertices, or join them by cells"),
        )
    }

    /// The link must be connected and have Euler characteristic 2 (sphere) or 1 (disk).
    fn check_link(&self, vertex: u32) -> Option<Error> {
        let cells = self.vertex_cells(vertex);
        if cells.is_empty() || self.is_grid_star(vertex) {
            return None;
        }
        let (parts, fans) = (self.link_components(vertex), self.boundary_fans(vertex));
        let touch = "separate the parts by doubling the vertex, or join them by cells";
        if parts > 1 {
            return Some(
                Error::mesh(message!(
                    "the cells at ",
                    Vertex.id(vertex),
                    " fall into {parts} parts that meet there in a vertex or an edge only, not across \
                     faces (",
                    Cell.id(cells[0]),
                    " and others)"
                ))
                .with_help(touch),
            );
        }
        if fans > 1 {
            return Some(
                Error::mesh(message!(
                    "the boundary faces at ",
                    Vertex.id(vertex),
                    " form {fans} fans, not one: the boundary touches itself there"
                ))
                .with_help(touch),
            );
        }
        let euler = self.vertex_edges(vertex).len() as i64 - self.vertex_faces(vertex).len() as i64
            + cells.len() as i64;
        let expected = if self.is_boundary_vertex(vertex) { 1 } else { 2 };
        (euler != expected).then(|| {
            Error::mesh(message!(
                "the cells around ",
                Vertex.id(vertex),
                " do not form a ball or half-ball (Euler characteristic of the link {euler}, not \
                 {expected})"
            ))
            .with_help("check the cells at this vertex for wrong or repeated vertices")
        })
    }

    /// Whether the counts alone prove a ball or half-ball: a closed link of 6
    /// vertices of degree 4 is one octahedron, and 5 vertices do not make two disks.
    fn is_grid_star(&self, vertex: u32) -> bool {
        let boundary = self.is_boundary_vertex(vertex);
        let (edges, faces, cells) = if boundary { (5, 8, 4) } else { (6, 12, 8) };
        self.vertex_edges(vertex).len() == edges
            && self.vertex_faces(vertex).len() == faces
            && self.vertex_cells(vertex).len() == cells
            && self.vertex_edges(vertex).iter().all(|&e| self.has_grid_valence(e))
    }

    /// Number of components of the cells at a vertex, joined across faces at the vertex.
    fn link_components(&self, vertex: u32) -> usize {
        let cells = self.vertex_cells(vertex);
        count_components(cells, |join| {
            for &f in self.vertex_faces(vertex) {
                let [a, b] = self.face_cells(f);
                if !self.is_boundary_face(f) {
                    join(a, b);
                }
            }
        })
    }

    /// Number of fans of the boundary faces at a vertex, joined across edges at the vertex.
    fn boundary_fans(&self, vertex: u32) -> usize {
        let faces: Vec<u32> = self
            .vertex_faces(vertex)
            .iter()
            .copied()
            .filter(|&f| self.is_boundary_face(f))
            .collect();
        count_components(&faces, |join| {
            for &e in self.vertex_edges(vertex) {
                let mut at = self.edge_faces(e).iter().filter(|&&f| self.is_boundary_face(f));
                if let (Some(&a), Some(&b)) = (at.next(), at.next()) {
                    join(a, b);
                }
            }
        })
    }
}

/// What `check` finds first in the elements below `count`.
fn first_error(count: usize, check: impl Fn(u32) -> Option<Error> + Sync) -> Result<()> {
    let found = chunks(count).find_map_first(|mut elements| elements.find_map(&check));
    found.map_or(Ok(()), Err)
}

/// Number of connected components of a few `nodes` (ascending) under the pairs that `pairs` joins.
fn count_components(nodes: &[u32], pairs: impl FnOnce(&mut dyn FnMut(u32, u32))) -> usize {
    let mut joined = UnionFind::new(nodes.len());
    let mut components = nodes.len();
    pairs(&mut |a, b| {
        if let (Ok(a), Ok(b)) = (nodes.binary_search(&a), nodes.binary_search(&b)) {
            components -= usize::from(joined.join(a as u32, b as u32));
        }
    });
    components
}

/// What is wrong with a solid without a boundary.
pub(crate) fn no_boundary() -> Error {
    Error::mesh("the solid has no boundary: every face is of two cells")
        .with_help("take away the cells that close it, or give a mesh with an outside")
}
