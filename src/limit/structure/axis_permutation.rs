//! How local axes lie in a cell.

use crate::basis::bspline::Order;

/// How local axes lie in a cell: local axis d runs along cell axis `axes[d]`,
/// backwards where `flips[d]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AxisPermutation {
    /// Cell axis of each local axis.
    pub axes: [u8; 3],
    /// Whether a local axis runs against its cell axis.
    pub flips: [bool; 3],
}

impl AxisPermutation {
    /// Local axes as the cell's.
    pub const IDENTITY: Self = Self { axes: [0, 1, 2], flips: [false; 3] };

    /// The six orders of the axes.
    pub(in crate::limit) const ORDERS: [[u8; 3]; 6] =
        [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]];

    /// The six permutations that bring cell corner `corner` (binary) to the local origin.
    pub fn to_corner(corner: usize) -> [Self; 6] {
        Self::ORDERS.map(|axes| Self { axes, flips: axes.map(|a| corner >> a & 1 == 1) })
    }

    /// Local coordinates of the cell parameters `p`.
    pub fn local(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|d| {
            let x = p[self.axes[d] as usize];
            if self.flips[d] { 1.0 - x } else { x }
        })
    }

    /// The permutation of axes that lie so in this permutation's local axes.
    pub fn of(&self, inner: Self) -> Self {
        let axes = inner.axes.map(|d| self.axes[d as usize]);
        let flip = |d: usize| inner.flips[d] != self.flips[inner.axes[d] as usize];
        Self { axes, flips: [flip(0), flip(1), flip(2)] }
    }

    /// Whether a derivative of the given orders along the local axes changes its
    /// sign against the cell's axes.
    pub fn odd(&self, orders: [Order; 3]) -> bool {
        (0..3).filter(|&d| self.flips[d] && orders[d].degree() == 1).count() % 2 == 1
    }

    /// The cell corner (binary) at the local corner `bits`.
    pub fn corner(&self, bits: usize) -> usize {
        (0..3).map(|d| ((bits >> d & 1) ^ usize::from(self.flips[d])) << self.axes[d]).sum()
    }
}
