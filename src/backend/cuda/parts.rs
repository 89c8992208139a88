//! A solid on the device in parts that Newton's method decides, under a hierarchy of boxes;
//! read by `kernels/locate/newton.cuh`.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use super::device::failed;
use super::memory::Buffer;
use crate::basis::tree::Node;
use crate::error::Result;

/// A box of parameters on which the limit is tricubic and nearly affine; or, without points,
/// one that only the CPU can look into.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Part {
    /// y(x) = `inverse` x + `offset` is about the part's own parameters of x.
    pub inverse: [[f64; 3]; 3],
    /// See `inverse`.
    pub offset: [f64; 3],
    /// A point with a lesser y is not in the part.
    pub low: [f64; 3],
    /// Nor is one with a larger y.
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
#[derive(Clone, Copy, Debug)]
pub struct SolidParts<'a> {
    /// The parts.
    pub parts: &'a [Part],
    /// Bézier points `[w][v][u]` of those that have some.
    pub points: &'a [[[f64; 3]; 64]],
    /// The hierarchy of their boxes.
    pub nodes: &'a [Node],
    /// Parts in the order of the hierarchy's leaves.
    pub items: &'a [u32],
    /// How far from its box a point may be in a part, in length units.
    pub reach: f64,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for Part {}
// SAFETY: likewise.
unsafe impl DeviceRepr for Node {}

/// Parts on the device.
pub(super) struct DeviceParts {
    parts: Buffer<Part>,
    points: Buffer<f64>,
    nodes: Buffer<Node>,
    items: Buffer<u32>,
    reach: f64,
}

impl DeviceParts {
    /// Brings them there.
    pub fn new(stream: &Arc<CudaStream>, solid: SolidParts<'_>) -> Result<Self> {
        let device = Self {
            parts: Buffer::of(stream, solid.parts)?,
            points: Buffer::of(stream, solid.points.as_flattened().as_flattened())?,
            nodes: Buffer::of(stream, solid.nodes)?,
            items: Buffer::of(stream, solid.items)?,
            reach: solid.reach,
        };
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(device)
    }

    /// `Solid` in `kernels/locate/locate.cu`.
    pub fn solid(&self) -> Box<[u64]> {
        Box::new([
            self.nodes.address(0),
            self.items.address(0),
            self.parts.address(0),
            self.points.address(0),
            self.reach.to_bits(),
            self.nodes.len() as u64,
        ])
    }

    /// Addresses of the parts and of their points.
    pub fn addresses(&self) -> [u64; 2] {
        [self.parts.address(0), self.points.address(0)]
    }
}
