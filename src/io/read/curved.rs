//! Nodes of quadratic hexahedra that are not corners: where they lie in their cells.

use crate::mesh::CellId;

/// A node of a high-order cell that is no corner of any cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvedNode {
    /// The first cell of the file that has the node.
    pub cell: CellId,
    /// (u, v, w) of the node in the cell, each in 0..=1: u along corner 0→1, v along 0→3, w
    /// along 0→4.
    pub parameters: [f64; 3],
    /// Position in the file.
    pub point: [f64; 3],
}

/// In which order a format lists the nodes of a quadratic hexahedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io) enum NodeOrder {
    /// VTK types 25 and 29, Abaqus C3D20.
    Vtk,
    /// Gmsh types 17 and 12.
    Gmsh,
    /// Abaqus C3D27: the node inside stands before those of the faces.
    Abaqus,
}

/// Twice (u, v, w) of the nodes on edges.
const VTK_EDGES: [[u8; 3]; 12] = [
    [1, 0, 0],
    [2, 1, 0],
    [1, 2, 0],
    [0, 1, 0],
    [1, 0, 2],
    [2, 1, 2],
    [1, 2, 2],
    [0, 1, 2],
    [0, 0, 1],
    [2, 0, 1],
    [2, 2, 1],
    [0, 2, 1],
];
const GMSH_EDGES: [[u8; 3]; 12] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 1, 0],
    [2, 0, 1],
    [1, 2, 0],
    [2, 2, 1],
    [0, 2, 1],
    [1, 0, 2],
    [0, 1, 2],
    [2, 1, 2],
    [1, 2, 2],
];
/// Twice (u, v, w) of the nodes on faces and inside.
const VTK_INNER: [[u8; 3]; 7] =
    [[0, 1, 1], [2, 1, 1], [1, 0, 1], [1, 2, 1], [1, 1, 0], [1, 1, 2], [1, 1, 1]];
const GMSH_INNER: [[u8; 3]; 7] =
    [[1, 1, 0], [1, 0, 1], [0, 1, 1], [2, 1, 1], [1, 2, 1], [1, 1, 2], [1, 1, 1]];
const ABAQUS_INNER: [[u8; 3]; 7] =
    [[1, 1, 1], [1, 1, 0], [1, 1, 2], [1, 0, 1], [2, 1, 1], [1, 2, 1], [0, 1, 1]];

impl NodeOrder {
    /// Whether `count` nodes after the corners are those of a quadratic hexahedron.
    pub fn knows(self, count: usize) -> bool {
        matches!(count, 12 | 19)
    }

    /// (u, v, w) of the `count` nodes after the corners; `None` if they are not the 12 or 19 of a
    /// quadratic hexahedron.
    pub fn parameters(self, count: usize) -> Option<impl Iterator<Item = [f64; 3]>> {
        let edges = if self == Self::Gmsh { GMSH_EDGES } else { VTK_EDGES };
        let inner = match self {
            Self::Vtk => VTK_INNER,
            Self::Gmsh => GMSH_INNER,
            Self::Abaqus => ABAQUS_INNER,
        };
        let nodes = edges.into_iter().chain(inner).take(count);
        self.knows(count).then(|| nodes.map(|node| node.map(|x| f64::from(x) / 2.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::hexahedron_order;

    #[test]
    fn every_order_lists_every_node_once() {
        for order in [NodeOrder::Vtk, NodeOrder::Gmsh, NodeOrder::Abaqus] {
            assert!(order.parameters(13).is_none());
            for (count, all) in [(12, 20), (19, 27)] {
                let sorted = |mut nodes: Vec<[f64; 3]>| {
                    nodes.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    nodes
                };
                let order_two = hexahedron_order(2);
                let vtk = order_two[8..all].iter().map(|n| n.map(|i| i as f64 / 2.0));
                let nodes = order.parameters(count).unwrap().collect();
                assert_eq!(sorted(nodes), sorted(vtk.collect()), "{order:?}");
            }
        }
    }
}
