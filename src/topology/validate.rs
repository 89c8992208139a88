//! What a Catmull-Clark solid demands of its topology beyond sound indices.

use rayon::prelude::*;

use super::groups::chunks;
use super::hanging::hanging_nodes;
use super::{NONE, Topology};
use crate::error::IdKind::{Cell, Vertex};
use crate::error::{Command, Error, Message, Result};
use crate::mesh::{CellKind, UnionFind};
use crate::numbers::counted;

impl Topology {
    /// Checks that the mesh is a Catmull-Clark solid: every corner of every cell
    /// is 3-valent inside the cell (so that one refinement step gives hexahedra),
    /// and every vertex link is a sphere or, at the boundary, a disk (cells meet
    /// across faces, and the boundary is a manifold).
    ///
    /// Vertices without cells are allowed ([`Topology::orphan_vertices`]). `points`: of
    /// all vertices; they tell hanging nodes from cells that touch.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the cell, face, edge or vertex, and how to fix it.
    pub fn validate(&self, points: &[[f64; 3]]) -> Result<()> {
        first_error(self.cell_count(), |cell| self.check_corners(cell))?;
        first_error(self.edge_count(), |edge| self.check_edge(edge))
            .and_then(|()| first_error(self.vertex_count(), |vertex| self.check_link(vertex)))
            .map_err(|error| hanging_nodes(self, points).unwrap_or(error))
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
    /// As [`Topology::validate`].
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
                let sizes: Vec<usize> =
                    faces.iter().map(|&f| self.face_vertices(f).len()).collect();
                let is_pyramid = sizes.len() == 5 && sizes.iter().filter(|&&n| n == 3).count() == 4;
                let what = if is_pyramid { " is a pyramid, with " } else { " has " };
                let is_quad = |&&f: &&u32| self.face_vertices(f).len() == 4;
                let beside = faces.iter().filter(is_quad).flat_map(|&f| self.face_cells(f));
                let hexahedron = beside
                    .filter(|&c| c != cell && c != NONE)
                    .find(|&c| self.cells.kind(c as usize) != CellKind::Polyhedron);
                let help = match hexahedron.filter(|_| is_pyramid) {
                    Some(beside) => message!(
                        "its square face is that of ",
                        Cell.id(beside),
                        ", so that it cannot be split alone: split what has to be split with it (",
                        Command::Conform,
                        "), or mesh with hexahedra and wedges alone, or with tetrahedra alone"
                    ),
                    None => message!(
                        "Catmull-Clark solids do not support corners like the apex of a pyramid: \
                         split the cell into tetrahedra, wedges or hexahedra (",
                        Command::Conform,
                        ")"
                    ),
                };
                let message = message!(
                    Cell.id(cell),
                    what,
                    counted(at, "face"),
                    " at its ",
                    Vertex.id(v),
                    ", not 3: it never refines to hexahedra"
                );
                return Some(Error::mesh(message).with_help(help));
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
            .with_help(separate()),
        )
    }

    /// The link must be connected and have Euler characteristic 2 (sphere) or 1 (disk).
    fn check_link(&self, vertex: u32) -> Option<Error> {
        let cells = self.vertex_cells(vertex);
        if cells.is_empty() || self.is_grid_star(vertex) {
            return None;
        }
        let ((_, parts), fans) = (self.parts_at(vertex), self.boundary_fans(vertex));
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
                .with_help(separate()),
            );
        }
        if fans > 1 {
            return Some(
                Error::mesh(message!(
                    "the boundary faces at ",
                    Vertex.id(vertex),
                    " form {fans} fans, not one: the boundary touches itself there"
                ))
                .with_help("fill the gap there with cells, or take cells away"),
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

    /// Parts of the cells at a vertex, joined across faces at the vertex: of each cell the number of
    /// its part, in the order of their first cells, and their count.
    pub(crate) fn parts_at(&self, vertex: u32) -> (Vec<u32>, u32) {
        components(self.vertex_cells(vertex), |join| {
            for &f in self.vertex_faces(vertex) {
                let [a, b] = self.face_cells(f);
                if !self.is_boundary_face(f) {
                    join(a, b);
                }
            }
        })
    }

    /// Number of fans of the boundary faces at a vertex, joined across edges at the vertex.
    fn boundary_fans(&self, vertex: u32) -> u32 {
        let faces: Vec<u32> = self
            .vertex_faces(vertex)
            .iter()
            .copied()
            .filter(|&f| self.is_boundary_face(f))
            .collect();
        let (_, fans) = components(&faces, |join| {
            for &e in self.vertex_edges(vertex) {
                let mut at = self.edge_faces(e).iter().filter(|&&f| self.is_boundary_face(f));
                if let (Some(&a), Some(&b)) = (at.next(), at.next()) {
                    join(a, b);
                }
            }
        });
        fans
    }
}

/// What `check` finds first in the elements below `count`.
fn first_error(count: usize, check: impl Fn(u32) -> Option<Error> + Sync) -> Result<()> {
    let found = chunks(count).find_map_first(|mut elements| elements.find_map(&check));
    found.map_or(Ok(()), Err)
}

/// Connected components of a few `nodes` (ascending) under the pairs that `pairs` joins: each
/// node's component, numbered in the order of their first nodes, and their count.
fn components(nodes: &[u32], pairs: impl FnOnce(&mut dyn FnMut(u32, u32))) -> (Vec<u32>, u32) {
    let mut joined = UnionFind::new(nodes.len());
    pairs(&mut |a, b| {
        if let (Ok(a), Ok(b)) = (nodes.binary_search(&a), nodes.binary_search(&b)) {
            joined.join(a as u32, b as u32);
        }
    });
    let mut count = 0;
    let mut numbers: Vec<u32> = vec![0; nodes.len()];
    for node in 0..nodes.len() {
        let first = joined.root(node as u32) as usize;
        numbers[node] = if first == node { count } else { numbers[first] };
        count += u32::from(first == node);
    }
    (numbers, count)
}

/// How to fix cells that touch.
fn separate() -> Message {
    message!("separate the parts (", Command::Conform, "), or join them by cells")
}

/// What is wrong with a solid without a boundary.
pub(crate) fn no_boundary() -> Error {
    Error::mesh("the solid has no boundary: every face is of two cells")
        .with_help("take away the cells that close it, or give a mesh with an outside")
}
