//! Where the nodes of high-order hexahedra lie, in the orders of the formats.

use crate::io::high_order::{hexahedron_order, on_edge, on_face};

/// Edges of a hexahedron in MFEM's order (`Geometry::Constants<CUBE>`).
pub const MFEM_EDGES: [[usize; 2]; 12] = [
    [0, 1],
    [1, 2],
    [3, 2],
    [0, 3],
    [4, 5],
    [5, 6],
    [7, 6],
    [4, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];
/// Faces of a hexahedron in MFEM's order.
pub const MFEM_FACES: [[usize; 4]; 6] =
    [[3, 2, 1, 0], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]];

/// The nodes of a hexahedron in VTK's order by their positions (i, j, k), each in 0..=order.
pub struct HexahedronGrid {
    order: usize,
    // [i + (order + 1) (j + (order + 1) k)]
    nodes: Vec<usize>,
}

impl HexahedronGrid {
    pub fn new(order: usize) -> Self {
        let mut nodes = vec![0; (order + 1).pow(3)];
        for (node, [i, j, k]) in hexahedron_order(order).into_iter().enumerate() {
            nodes[i + (order + 1) * (j + (order + 1) * k)] = node;
        }
        Self { order, nodes }
    }

    /// The node at a position.
    pub fn node(&self, [i, j, k]: [usize; 3]) -> usize {
        self.nodes[i + (self.order + 1) * (j + (self.order + 1) * k)]
    }

    /// The nodes at positions.
    pub fn nodes(&self, positions: &[[usize; 3]]) -> Vec<usize> {
        positions.iter().map(|&at| self.node(at)).collect()
    }

    /// The node on an edge, steps from its first corner.
    pub fn on_edge(&self, edge: [usize; 2], i: usize) -> usize {
        self.node(on_edge(self.order, edge, i))
    }

    /// The node on a face, steps from its first corner to the second and to the last.
    pub fn on_face(&self, face: [usize; 4], at: [usize; 2]) -> usize {
        self.node(on_face(self.order, face, at))
    }
}

/// Positions of the 20 nodes of C3D20 of Abaqus: corners, bottom, top and upright edges.
pub fn abaqus_20() -> Vec<[usize; 3]> {
    hexahedron_order(2)[..20].to_vec()
}
