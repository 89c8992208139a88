//! Elements and the leaves they are made of.

use std::ops::Range;

use super::leaves::LeafPlace;
use super::structure::AxisPermutation;
use crate::basis::MissingLayers;

/// A hexahedron with parameters (u, v, w): a hexahedral cell, or one corner of
/// any other cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Cell of the mesh.
    pub cell: u32,
    /// Corner of the cell, as the mesh lists them, if the cell is not a hexahedron.
    pub corner: Option<u8>,
    /// Corners in VTK order, as indices into the points of all levels.
    pub corners: [u32; 8],
}

/// A dyadic box in an element's parameters on which the limit evaluates directly: the element, or a
/// descendant of it.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Element it belongs to.
    pub element: u32,
    /// The leaf spans `[origin, origin + 1] / 2^depth` along each axis.
    pub depth: u8,
    /// Least corner of the leaf, in units of 2^-depth; see `depth`.
    pub origin: [u16; 3],
    /// How it evaluates.
    pub kind: LeafKind,
    // first control point among the solid's nets, and how many
    pub(super) net: (usize, u32),
}

/// How a leaf evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeafKind {
    /// Net `[w][v][u]` of 4 × 4 × 4 control points, with missing end layers.
    Regular(MissingLayers),
    /// Net `[layer 4][line]`: planar structure, how its axes lie, missing end
    /// layers (bit 0 low, bit 1 high).
    Layered(u32, AxisPermutation, MissingLayers),
    /// Net `[control point]`: spatial structure and how its axes lie.
    Irregular(u32, AxisPermutation),
}

impl Leaf {
    /// Local parameters of the element's parameters `p`.
    pub fn local(&self, p: [f64; 3]) -> [f64; 3] {
        let scale = f64::from(1_u32 << self.depth);
        std::array::from_fn(|d| (p[d] * scale - f64::from(self.origin[d])).clamp(0.0, 1.0))
    }
}

impl LeafPlace for Leaf {
    fn element(&self) -> u32 {
        self.element
    }

    /// Morton order of the origins.
    fn code(&self) -> u64 {
        morton(self.origin.map(|x| u32::from(x) << (16 - self.depth)))
    }

    fn net(&self) -> (usize, u32) {
        self.net
    }
}

/// Which of an element's ascending parameters along an axis fall into the leaves that span
/// `[origin, origin + 1] / 2^depth` there, as [`Solid::locate`](super::Solid::locate) finds them: a
/// parameter belongs to the leaf that starts at it or before it, 1 to the last.
pub(crate) fn parameters_within(parameters: &[f64], depth: u8, origin: u16) -> Range<usize> {
    let scale = f64::from(1_u32 << depth);
    let before = |end: u16| parameters.partition_point(|u| u * scale < f64::from(end));
    let first = before(origin);
    let is_last = origin + 1 == 1 << depth;
    let end = if is_last { parameters.len() } else { before(origin + 1) };
    first..end.max(first)
}

/// A parameter as one of 2¹⁶ positions along an axis.
pub(super) fn position(p: f64) -> u32 {
    ((p * 65536.0) as u32).min(65535)
}

/// Interleaves the bits of three 16-bit coordinates.
pub(super) fn morton(x: [u32; 3]) -> u64 {
    // two zeros between the bits: halves, quarters and so on are moved apart
    let spread = |x: u32| {
        let steps: [(u32, u64); 4] =
            [(16, 0xFF00_00FF), (8, 0x0F0_0F00_F00F), (4, 0xC30_C30C_30C3), (2, 0x2492_4924_9249)];
        steps.iter().fold(u64::from(x), |x, &(by, mask)| (x | x << by) & mask)
    };
    spread(x[0]) | spread(x[1]) << 1 | spread(x[2]) << 2
}
