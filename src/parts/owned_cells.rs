//! The owned cells of a block as a mesh of their own: a piece of a file.

use super::Block;
use super::cutter::{has_edge, has_face, some_cells};
use crate::mesh::{Corner, Crease, SolidMesh, VertexId};
use crate::topology::{NONE, Rows};

/// The owned cells of a [`Block`].
#[derive(Clone, Debug)]
pub struct OwnedCells {
    /// The cells with their vertices alone. Vertices and corners are in every piece that has a cell
    /// at them; a crease, and a face of a group, is in the piece of its first cell.
    pub mesh: SolidMesh,
    /// Vertices whose first cell is owned: their sum over all blocks is the number of vertices.
    pub first_vertices: usize,
}

impl Block {
    /// The owned cells alone.
    pub fn own(&self) -> OwnedCells {
        let mesh = &self.mesh;
        let count = mesh.points.len();
        let corners = |c: u32| mesh.cells.vertices(c as usize).iter().copied();
        let vertex_cells = Rows::transposed(count, mesh.cells.len(), corners);
        let mut is_owned = vec![false; mesh.cells.len()];
        self.owned.iter().for_each(|&cell| is_owned[cell as usize] = true);
        // cells are in the order of the whole, and all around an owned one are here
        let owns_first = |v: u32, has: &dyn Fn(u32) -> bool| {
            let first = vertex_cells.row(v as usize).iter().find(|&&cell| has(cell));
            first.is_some_and(|&cell| is_owned[cell as usize])
        };

        let mut is_used = vec![false; count];
        let own_corners = self.owned.iter().flat_map(|&cell| corners(cell));
        own_corners.for_each(|v| is_used[v as usize] = true);
        let vertices: Vec<u32> = (0..count as u32).filter(|&v| is_used[v as usize]).collect();
        let mut numbers = vec![NONE; count];
        (0..).zip(&vertices).for_each(|(number, &v)| numbers[v as usize] = number);
        let number = |v: u32| numbers[v as usize];

        let has = |face: &[u32]| {
            let has = |cell: u32| has_face(&mesh.cells, cell, face);
            face.first().is_some_and(|&v| owns_first(v, &has))
        };
        let mut own = some_cells(mesh, &self.owned, &vertices, number, has);
        for crease in &mesh.creases.edges {
            let [a, b] = crease.edge().map(|v| v.0);
            if owns_first(a, &|cell| has_edge(&mesh.cells, cell, [a, b])) {
                let edge = [a, b].map(|v| VertexId(number(v)));
                own.creases.edges.push(Crease::new(edge, crease.sharpness));
            }
        }
        for &Corner { vertex, sharpness } in &mesh.creases.corners {
            if is_used[vertex.index()] {
                let vertex = VertexId(number(vertex.0));
                own.creases.corners.push(Corner { vertex, sharpness });
            }
        }
        let first_vertices = vertices.iter().filter(|&&v| owns_first(v, &|_| true)).count();
        OwnedCells { mesh: own, first_vertices }
    }
}
