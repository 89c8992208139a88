//! A solid divided into parts, boxes of Bézier pieces on which Newton's method converges, in a
//! hierarchy of boxes around them: devices locate points and pixels in it.

use crate::basis::tree::Node;

/// A box of parameters on which the limit is tricubic and nearly affine; or, without points,
/// one that only the CPU can look into.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SolidPart {
    /// y(x) = `inverse` x + `offset` is about the part's own parameters of x.
    pub inverse: [[f64; 3]; 3],
    /// Offset of the map, see `inverse`.
    pub offset: [f64; 3],
    /// A point with a lesser y is not in the part.
    pub low: [f64; 3],
    /// A point with a larger y is not in the part.
    pub high: [f64; 3],
    /// How far from [0, 1] parameters of a point are that is in the part for certain.
    pub enough: [f64; 3],
    /// How far from [0, 1] they are where it is not in the part any more.
    pub most: [f64; 3],
    /// Least corner of the part in the element's parameters.
    pub origin: [f64; 3],
    /// Edge lengths of the part in the element's parameters.
    pub size: [f64; 3],
    /// Number of its Bézier points, or [`NONE`].
    pub points: u32,
    /// The piece that it is a part of.
    pub piece: u32,
    /// The element that the piece is in.
    pub element: u32,
    /// Fills up the size.
    pub padding: u32,
}

/// No points, no part, no piece.
pub const NONE: u32 = u32::MAX;

/// A solid in parts; of those that share a point the first has it.
#[derive(Clone, Debug, Default)]
pub struct SolidParts {
    /// The parts.
    pub parts: Vec<SolidPart>,
    /// Bézier points `[w][v][u]` of those that have some, in their order.
    pub points: Vec<[[f64; 3]; 64]>,
    /// The hierarchy of their boxes, where points are located by it.
    pub nodes: Vec<Node>,
    /// Parts in the order of the hierarchy's leaves.
    pub items: Vec<u32>,
    /// How far from its box a point may be in a part, in length units.
    pub reach: f64,
}
