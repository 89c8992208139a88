//! The 48 ways in which the axes of a hexahedron lie in a local frame, by tables.

use super::structure::AxisPermutation;

/// The orders of own axes.
const ORDERS: [[u8; 3]; 6] = AxisPermutation::ORDERS;

/// An [`AxisPermutation`] of a hexahedron's own axes as a byte, `8 * order + base`: which of
/// [`ORDERS`] the local axes run along, and the own corner (binary) of the local origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axes(u8);

impl Axes {
    /// Own axes that run as the local ones.
    pub(crate) const PARALLEL: Self = Self(0);

    /// By the own corner of the local origin and what a step along each local axis
    /// changes of it; `None` if these are no three axes.
    pub const fn of(base: u8, steps: [u8; 3]) -> Option<Self> {
        let mut order = 0;
        while order < 6 {
            let [u, v, w] = ORDERS[order];
            if 1 << u == steps[0] && 1 << v == steps[1] && 1 << w == steps[2] {
                return Some(Self(8 * order as u8 + base));
            }
            order += 1;
        }
        None
    }

    /// The own face `2 * axis + side` at `side` of local `axis`.
    #[inline(always)]
    pub fn face(self, axis: usize, side: usize) -> usize {
        usize::from(FACES[usize::from(self.0)][2 * axis + side])
    }

    /// The axes of a second hexahedron that lies so against the axes of this one.
    #[inline(always)]
    pub fn then(self, second: Self) -> Self {
        THEN[usize::from(self.0)][usize::from(second.0)]
    }

    /// Own `corners` (binary) in the order of the local axes.
    #[inline(always)]
    pub(crate) fn arrange(self, corners: &[u32; 8]) -> [u32; 8] {
        if self == Self::PARALLEL {
            return *corners;
        }
        CORNERS[usize::from(self.0)].map(|corner| corners[usize::from(corner & 7)])
    }
}

/// A hexahedron and how its axes lie in a local frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    pub cell: u32,
    pub axes: Axes,
}

impl Pose {
    /// Local axes as the cell's.
    pub fn parallel(cell: u32) -> Self {
        Self { cell, axes: Axes::PARALLEL }
    }
}

/// Own corner at each local corner.
static CORNERS: [[u8; 8]; 48] = {
    let mut table = [[0; 8]; 48];
    let mut at = 0;
    while at < 48 {
        let mut corner = 0;
        while corner < 8 {
            table[at][corner] = own_corner(at, corner);
            corner += 1;
        }
        at += 1;
    }
    table
};

/// Own face `2 * axis + side` at each local face.
static FACES: [[u8; 6]; 48] = {
    let mut table = [[0; 6]; 48];
    let mut at = 0;
    while at < 48 {
        let mut face = 0;
        while face < 6 {
            let axis = ORDERS[at / 8][face / 2];
            table[at][face] = 2 * axis + ((face % 2) as u8 ^ (at as u8 >> axis & 1));
            face += 1;
        }
        at += 1;
    }
    table
};

/// `[first][second]`: how a second hexahedron lies in the local frame, by how the first does
/// and how the second lies against the first.
static THEN: [[Axes; 48]; 48] = {
    let mut table = [[Axes::PARALLEL; 48]; 48];
    let mut first = 0;
    while first < 48 {
        let mut second = 0;
        while second < 48 {
            let mut corners = [0; 4];
            let mut i = 0;
            while i < 4 {
                let local = [0, 1, 2, 4][i];
                corners[i] = own_corner(second, own_corner(first, local) as usize);
                i += 1;
            }
            let [base, u, v, w] = corners;
            if let Some(axes) = Axes::of(base, [base ^ u, base ^ v, base ^ w]) {
                table[first][second] = axes;
            }
            second += 1;
        }
        first += 1;
    }
    table
};

const fn own_corner(axes: usize, local: usize) -> u8 {
    let mut corner = (axes % 8) as u8;
    let mut d = 0;
    while d < 3 {
        if local >> d & 1 == 1 {
            corner ^= 1 << ORDERS[axes / 8][d];
        }
        d += 1;
    }
    corner
}
