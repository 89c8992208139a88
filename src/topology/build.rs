//! From cells to incidence: group half-faces and half-edges, merge equal ones.

use rayon::prelude::*;

use super::edges::{Edges, merge_half_edges};
use super::faces::HalfFaces;
use super::{NONE, Rows, Topology};
use crate::error::{Error, Result};
use crate::mesh::{CellKind, Cells};

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
        check_cells(&cells, vertex_count)?;
        // each join runs what is sequential inside beside something else
        let (faces, vertex_cells) = rayon::join(
            || HalfFaces::of(&cells).merge(vertex_count),
            || {
                let corners = |c: u32| cells.vertices(c as usize).iter().copied();
                Rows::transposed(vertex_count, cells.len(), corners)
            },
        );
        let (face_vertices, face_cells, cell_faces) = faces?;
        let (edges, vertex_faces) = rayon::join(
            || merge_half_edges(&face_vertices, vertex_count),
            || face_vertices.transpose(vertex_count),
        );
        let Edges { vertices: edge_vertices, of_faces: face_edges, faces: edge_faces } = edges;
        let (vertex_edges, (boundary_edge, boundary_vertex)) = rayon::join(
            || {
                let ends = |e: u32| edge_vertices[e as usize].into_iter();
                Rows::transposed(vertex_count, edge_vertices.len(), ends)
            },
            || {
                let mut boundary = (vec![false; edge_vertices.len()], vec![false; vertex_count]);
                for (f, cells) in face_cells.iter().enumerate() {
                    if cells[1] == NONE {
                        face_edges.row(f).iter().for_each(|&e| boundary.0[e as usize] = true);
                        face_vertices.row(f).iter().for_each(|&v| boundary.1[v as usize] = true);
                    }
                }
                boundary
            },
        );
        Ok(Self {
            cells,
            vertex_count,
            face_vertices,
            face_edges,
            face_cells,
            cell_faces,
            edge_vertices,
            edge_faces,
            vertex_edges,
            vertex_faces,
            vertex_cells,
            boundary_edge,
            boundary_vertex,
        })
    }
}

fn check_cells(cells: &Cells, vertex_count: usize) -> Result<()> {
    if cells.is_empty() {
        return Err(Error::mesh("the mesh has no cells")
            .with_mend("give a volume mesh of hexahedra, tetrahedra, wedges or polyhedra"));
    }
    let bad = (0..cells.len()).into_par_iter().find_map_first(|c| {
        let vertices = cells.vertices(c);
        if let Some(v) = vertices.iter().find(|&&v| v as usize >= vertex_count) {
            return Some(Error::mesh(format!(
                "cell {c} names vertex {v}, but the mesh has {vertex_count} vertices"
            )));
        }
        let repeats = |list: &[u32]| (1..list.len()).find(|&i| list[..i].contains(&list[i]));
        if let Some(i) = repeats(vertices) {
            return Some(
                Error::mesh(format!("cell {c} names vertex {} twice", vertices[i])).with_mend(
                    "remove the collapsed cell, or write it as the polyhedron that it is",
                ),
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
            Error::mesh(format!("cell {c} has a face that is no polygon: vertices {face:?}"))
                .with_mend("give every face as a cycle of at least three different vertices")
        })
    });
    bad.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hexahedra_share_one_face() {
        let mut cells = Cells::default();
        cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]);
        cells.push(CellKind::Hexahedron, &[4, 5, 6, 7, 8, 9, 10, 11]);
        let topology = Topology::build(cells, 12).unwrap();
        assert_eq!(topology.face_count(), 11);
        assert_eq!(topology.edge_count(), 20);
        let shared = topology.cell_faces(0)[5];
        assert_eq!(topology.cell_faces(1)[4], shared);
        assert_eq!(topology.face_cells(shared), [0, 1]);
        assert_eq!((0..11).filter(|&f| topology.is_boundary_face(f)).count(), 10);
        let edge = topology.edge_between(4, 5).unwrap();
        assert_eq!(topology.edge_faces(edge).len(), 3);
    }
}
