//! A solid on the device in parts that Newton's method decides, under a hierarchy of boxes;
//! read by `kernels/locate/newton.cuh`.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::device::failed;
use crate::backend::operations::{SolidPart, SolidParts};
use crate::basis::tree::Node;
use crate::error::Result;

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for SolidPart {}
// SAFETY: likewise.
unsafe impl DeviceRepr for Node {}

/// Parts on the device.
pub(super) struct Parts {
    parts: Buffer<SolidPart>,
    points: Buffer<f64>,
    nodes: Buffer<Node>,
    items: Buffer<u32>,
    reach: f64,
}

impl Parts {
    /// Brings them there.
    pub fn new(stream: &Arc<CudaStream>, solid: &SolidParts) -> Result<Self> {
        let device = Self {
            parts: Buffer::of(stream, &solid.parts)?,
            points: Buffer::of(stream, solid.points.as_flattened().as_flattened())?,
            nodes: Buffer::of(stream, &solid.nodes)?,
            items: Buffer::of(stream, &solid.items)?,
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
