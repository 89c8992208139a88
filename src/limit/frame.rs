//! Walking from hexahedron to hexahedron with a local frame of axes.
//!
//! Corners are numbered in binary: bit d of a corner's number is its side along
//! local axis d (u, v, w).

use rayon::prelude::*;

use crate::basis::bspline::Order;
use crate::topology::{NONE, Topology};

/// Binary corner number to VTK corner.
pub const VTK_CORNER: [usize; 8] = [0, 1, 3, 2, 4, 5, 7, 6];

/// How local axes lie in a cell: local axis d runs along cell axis `axes[d]`,
/// backwards where `flips[d]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Turn {
    /// Cell axis of each local axis.
    pub axes: [u8; 3],
    /// Whether a local axis runs against its cell axis.
    pub flips: [bool; 3],
}

impl Turn {
    /// Local axes as the cell's.
    pub const IDENTITY: Self = Self { axes: [0, 1, 2], flips: [false; 3] };

    /// The six turns that bring cell corner `corner` (binary) to the local origin.
    pub fn to_corner(corner: usize) -> [Self; 6] {
        const ORDERS: [[u8; 3]; 6] =
            [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]];
        ORDERS.map(|axes| Self { axes, flips: axes.map(|a| corner >> a & 1 == 1) })
    }

    /// Local coordinates of the cell parameters `p`.
    pub fn local(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|d| {
            let x = p[self.axes[d] as usize];
            if self.flips[d] { 1.0 - x } else { x }
        })
    }

    /// The turn of axes that lie so in this turn's local axes.
    pub fn of(&self, inner: Self) -> Self {
        let axes = inner.axes.map(|d| self.axes[d as usize]);
        let flip = |d: usize| inner.flips[d] != self.flips[inner.axes[d] as usize];
        Self { axes, flips: [flip(0), flip(1), flip(2)] }
    }

    /// Whether a derivative of the given orders along the local axes changes its
    /// sign against the cell's axes.
    pub fn odd(&self, orders: [Order; 3]) -> bool {
        (0..3).filter(|&d| self.flips[d] && orders[d] == Order::First).count() % 2 == 1
    }

    /// The cell corner (binary) at the local corner `bits`.
    pub fn corner(&self, bits: usize) -> usize {
        (0..3).map(|d| ((bits >> d & 1) ^ usize::from(self.flips[d])) << self.axes[d]).sum()
    }
}

/// A hexahedron seen in a local frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The cell.
    pub cell: u32,
    /// Vertices of the local corners.
    pub vertices: [u32; 8],
    // own corner (binary) of the local origin, and what a step along each local
    // axis changes of it
    base: u8,
    steps: [u8; 3],
}

impl Frame {
    #[inline]
    fn new(cell: u32, corners: &[u32; 8], base: u8, steps: [u8; 3]) -> Self {
        let [u, v, w] = steps;
        let at = |change: u8| corners[usize::from((base ^ change) & 7)];
        let vertices = [at(0), at(u), at(v), at(u ^ v), at(w), at(u ^ w), at(v ^ w), at(u ^ v ^ w)];
        Self { cell, vertices, base, steps }
    }
}

/// The hexahedra of a topology, for walking. Cells that are no hexahedra are walls.
pub struct Walker<'a> {
    /// The topology walked on.
    pub topology: &'a Topology,
    hexahedra: Vec<Hexahedron>,
}

/// What a step needs of a cell, on one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Hexahedron {
    // in binary order; NONE if the cell is no hexahedron
    corners: [u32; 8],
    // across the low and high face of u, v, w; NONE at a wall
    neighbours: [u32; 6],
}

impl<'a> Walker<'a> {
    /// Prepares a topology.
    pub fn new(topology: &'a Topology) -> Self {
        let cells = topology.cells();
        let hexahedron = |c: usize| {
            let Some(vtk) = cells.hexahedron(c) else {
                return Hexahedron { corners: [NONE; 8], neighbours: [NONE; 6] };
            };
            let faces = topology.cell_faces(c as u32);
            let neighbour = |side: usize| {
                let [a, b] = topology.face_cells(faces[side]);
                let other = if a == c as u32 { b } else { a };
                let is_wall = other == NONE || cells.hexahedron(other as usize).is_none();
                if is_wall { NONE } else { other }
            };
            Hexahedron {
                corners: VTK_CORNER.map(|i| vtk[i]),
                neighbours: std::array::from_fn(neighbour),
            }
        };
        let hexahedra =
            (0..cells.len()).into_par_iter().with_min_len(4096).map(hexahedron).collect();
        Self { topology, hexahedra }
    }

    /// The frame of `cell` with local axes turned by `turn`.
    pub fn frame(&self, cell: u32, turn: Turn) -> Frame {
        let steps = turn.axes.map(|a| 1 << a);
        let corners = &self.hexahedra[cell as usize].corners;
        Frame::new(cell, corners, turn.corner(0) as u8, steps)
    }

    /// The neighbour across the face at `side` (0 or 1) of local `axis`, its local
    /// frame the continuation of this one; `None` at the boundary.
    pub fn across(&self, frame: &Frame, axis: usize, side: usize) -> Option<Frame> {
        // the face in the cell's own axes
        let own_axis = frame.steps[axis].trailing_zeros() as usize;
        let own_side = side ^ usize::from(frame.base >> own_axis & 1);
        let cell = self.hexahedra[frame.cell as usize].neighbours[2 * own_axis + own_side];
        if cell == NONE {
            return None;
        }
        // three of the four shared vertices fix the neighbour's axes
        let corners = &self.hexahedra[cell as usize].corners;
        let [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
        let at = side << axis;
        let position = |local: usize| find(corners, frame.vertices[local & 7]);
        let (p, q, r) = (position(at), position(at | 1 << b), position(at | 1 << c));
        let mut steps = [0; 3];
        steps[b] = p ^ q;
        steps[c] = p ^ r;
        steps[axis] = 7 ^ steps[b] ^ steps[c];
        let base = if side == 1 { p } else { p ^ steps[axis] };
        Some(Frame::new(cell, corners, base, steps))
    }
}

/// Position of a vertex that is one of eight.
fn find(corners: &[u32; 8], vertex: u32) -> u8 {
    (0..8).map(|i| u8::from(corners[i as usize] == vertex) * i).sum()
}
