//! Vertices that belong to no cell.

use crate::error::IdKind::Vertex;
use crate::error::Message;
use crate::numbers::{by_count, counted};

use super::SolidMesh;

/// Vertices that belong to no cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnusedVertices {
    /// Number of vertices that belong to no cell.
    pub count: usize,
    /// The first vertex that belongs to no cell.
    pub first: Option<u32>,
}

impl UnusedVertices {
    /// A message with the number of unused vertices, and the first; `None` if there are none.
    pub fn notice(&self) -> Option<Message> {
        let first = self.first?;
        let belong = by_count(self.count, "belongs", "belong");
        let vertices = counted(self.count, "vertex");
        Some(message!("{vertices} {belong} to no cell (the first: ", Vertex.id(first), ")"))
    }
}

impl SolidMesh {
    /// The vertices that belong to no cell. Ids beyond the points are left out.
    pub fn unused_vertices(&self) -> UnusedVertices {
        let mut used = vec![false; self.points.len()];
        for c in 0..self.cells.len() {
            for &v in self.cells.vertices(c) {
                if let Some(slot) = used.get_mut(v as usize) {
                    *slot = true;
                }
            }
        }
        let unused = || (0..).zip(&used).filter(|(_, used)| !**used).map(|(v, _)| v);
        UnusedVertices { count: unused().count(), first: unused().next() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shape::Shape;

    #[test]
    fn unused_vertices_are_counted() {
        let mut mesh = Shape::Bracket.build().unwrap();
        assert_eq!(mesh.unused_vertices().notice(), None);
        let first = mesh.points.len() as u32;
        mesh.points.extend([[9.0; 3]; 2]);
        let found = mesh.unused_vertices();
        assert_eq!(found, UnusedVertices { count: 2, first: Some(first) });
        let notice = found.notice().unwrap().to_string();
        assert_eq!(notice, format!("2 vertices belong to no cell (the first: vertex {first})"));
    }
}
