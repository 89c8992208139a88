//! Points of curved cells in the middles of their edges, faces and insides: the nodes of quadratic
//! cells, and what the polynomials of higher orders give there.

use crate::basis::lagrange_weights;
use crate::io::exodus::hex_27;
use crate::io::high_order::{GMSH_EDGES, gmsh_hexahedron, hexahedron_order};
use crate::mesh::{CORNERS, CellId, CellKind};

/// A point of a curved cell that is no corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvedNode {
    /// The first cell of the file that has the point.
    pub cell: CellId,
    /// The corners of the cell, from 0, in whose middle it lies: the ends of an edge, or opposite
    /// corners of a face of four corners or of a hexahedron.
    pub between: [u8; 2],
    /// Position.
    pub point: [f64; 3],
}

/// In which order a format lists the nodes of a curved cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::io) enum NodeOrder {
    Vtk,
    Gmsh,
    /// As VTK, but for C3D27: the node inside stands before the nodes of the faces.
    Abaqus,
    /// As VTK, but for upright edges, which stand before those of the top, and HEX27.
    Exodus,
}

type Pairs = &'static [[u8; 2]];

const VTK_TETRAHEDRON: Pairs = &[[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
const GMSH_TETRAHEDRON: Pairs = &[[0, 1], [1, 2], [0, 2], [0, 3], [2, 3], [1, 3]];
// the ends of edges, then opposite corners of faces
const VTK_WEDGE: Pairs = &[
    [0, 1],
    [1, 2],
    [0, 2],
    [3, 4],
    [4, 5],
    [3, 5],
    [0, 3],
    [1, 4],
    [2, 5],
    [0, 4],
    [1, 5],
    [0, 5],
];
const GMSH_WEDGE: Pairs = &[
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 2],
    [1, 4],
    [2, 5],
    [3, 4],
    [3, 5],
    [4, 5],
    [0, 4],
    [0, 5],
    [1, 5],
];
const VTK_EDGES: Pairs = &[
    [0, 1],
    [1, 2],
    [2, 3],
    [0, 3],
    [4, 5],
    [5, 6],
    [6, 7],
    [4, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];
const VTK_INNER: Pairs = &[[0, 7], [1, 6], [0, 5], [2, 7], [0, 2], [4, 6], [0, 6]];
const GMSH_INNER: Pairs = &[[0, 2], [0, 5], [0, 7], [1, 6], [2, 7], [4, 6], [0, 6]];
const ABAQUS_INNER: Pairs = &[[0, 6], [0, 2], [4, 6], [0, 5], [1, 6], [2, 7], [0, 7]];
/// Of VTK type 33, which has none on faces 0 1 2 3 and 4 5 6 7.
const VTK_SIDES: Pairs = &[[0, 7], [1, 6], [0, 5], [2, 7]];

/// A point of a cell as a sum of its nodes.
pub(super) struct CurvedPoint {
    pub between: [u8; 2],
    /// Places among all nodes of the cell, and their weights; all but 0.
    pub weights: Vec<(usize, f64)>,
}

impl NodeOrder {
    /// The points in the middles of edges, faces and inside of a cell by its number of nodes;
    /// `None` if its order is not known.
    pub fn points(self, kind: CellKind, nodes: usize) -> Option<Vec<CurvedPoint>> {
        let corners = kind.corners()?;
        let quadratic = |pairs: Vec<[u8; 2]>| {
            let nodes = (corners..).map(|node| vec![(node, 1.0)]);
            let points = pairs.into_iter().zip(nodes);
            points.map(|(between, weights)| CurvedPoint { between, weights }).collect()
        };
        if let Some(pairs) = self.pairs(kind, nodes - corners) {
            return Some(quadratic(pairs));
        }
        let order = (3..=MAX_ORDER).find(|order| (order + 1usize).pow(3) == nodes)?;
        if kind != CellKind::Hexahedron || matches!(self, Self::Abaqus | Self::Exodus) {
            return None;
        }
        let lattice = match self {
            Self::Gmsh => gmsh_hexahedron(order),
            _ => hexahedron_order(order),
        };
        let weights = |t: usize| lagrange_weights(order, 0.5 * t as f64);
        let along = [weights(0), weights(1), weights(2)];
        let point = |&between: &[u8; 2]| {
            let [a, b] = between.map(|corner| CORNERS[usize::from(corner)]);
            let at = [0, 1, 2].map(|d| a[d] + b[d]);
            let weight = |node: &[usize; 3]| (0..3).map(|d| along[at[d]][node[d]]).product();
            let weights =
                lattice.iter().map(weight).enumerate().filter(|&(_, w): &(_, f64)| w != 0.0);
            CurvedPoint { between, weights: weights.collect() }
        };
        Some(VTK_EDGES.iter().chain(VTK_INNER).map(point).collect())
    }

    /// Where the nodes of a quadratic cell lie.
    fn pairs(self, kind: CellKind, others: usize) -> Option<Vec<[u8; 2]>> {
        let of = |pairs: Pairs| Some(pairs[..others].to_vec());
        match (kind, others, self) {
            (CellKind::Tetrahedron, 6, Self::Gmsh) => of(GMSH_TETRAHEDRON),
            (CellKind::Tetrahedron, 6, _) => of(VTK_TETRAHEDRON),
            (CellKind::Wedge, 9 | 12, Self::Gmsh) => of(GMSH_WEDGE),
            (CellKind::Wedge, 9 | 12, Self::Exodus) => {
                let [bottom, rest] = [&VTK_WEDGE[..3], &VTK_WEDGE[9..others]];
                Some([bottom, &VTK_WEDGE[6..9], &VTK_WEDGE[3..6], rest].concat())
            }
            (CellKind::Wedge, 9 | 12, _) => of(VTK_WEDGE),
            (CellKind::Hexahedron, 12 | 19, Self::Exodus) => {
                Some(hex_27()[8..][..others].iter().map(between).collect())
            }
            (CellKind::Hexahedron, 12 | 19, _) => {
                let (edges, inner) = match self {
                    Self::Gmsh => (GMSH_EDGES, GMSH_INNER),
                    Self::Abaqus => (VTK_EDGES, ABAQUS_INNER),
                    _ => (VTK_EDGES, VTK_INNER),
                };
                Some(edges.iter().chain(inner).take(others).copied().collect())
            }
            (CellKind::Hexahedron, 16, Self::Vtk) => {
                Some(VTK_EDGES.iter().chain(VTK_SIDES).copied().collect())
            }
            _ => None,
        }
    }
}

/// The corners in whose middle a position of steps 0 to 2 lies.
fn between(at: &[usize; 3]) -> [u8; 2] {
    let corner = |middle: usize| {
        let corner = at.map(|step| if step == 1 { middle } else { step / 2 });
        CORNERS.iter().position(|own| *own == corner).unwrap_or_default() as u8
    };
    let (a, b) = (corner(0), corner(1));
    [a.min(b), a.max(b)]
}

/// Highest order whose nodes are known.
const MAX_ORDER: usize = 9;
