//! Sharp edges and held vertices of a level, by `kernels/surface_sharp.cu`.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::super::functions::Functions;
use super::super::launch::{Argument, Launch};
use super::super::memory::Buffer;
use super::super::program::Kernels;
use super::super::sources::{SHARP, Variant};
use super::THREADS;
use crate::backend::Precision;
use crate::error::Result;

/// What smooth rules do not decide at one level: short lists.
#[derive(Clone, Debug, Default)]
pub struct SharpArrays {
    /// Sharp edges.
    pub edges: Vec<u32>,
    /// Their end vertices.
    pub edge_ends: Vec<[u32; 2]>,
    /// Their sharpness, above 0.
    pub sharpness: Vec<f64>,
    /// Vertices that do not follow the smooth rule.
    pub held: Vec<u32>,
    /// The other ends of their two sharp edges, if they have two.
    pub held_ends: Vec<[u32; 2]>,
    /// Weights of the smooth rule, of the crease rule, and of the vertex itself.
    pub weights: Vec<[f64; 3]>,
}

impl SharpArrays {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.held.is_empty()
    }
}

/// The lists on the device.
pub(super) struct Sharp {
    edges: Buffer<u32>,
    edge_ends: Buffer<[u32; 2]>,
    sharpness: Buffer<f64>,
    held: Buffer<u32>,
    held_ends: Buffer<[u32; 2]>,
    weights: Buffer<[f64; 3]>,
}

pub(in super::super) fn variant(precision: Precision) -> Variant {
    Variant::new(&SHARP, precision)
}

impl Sharp {
    pub fn new(stream: &Arc<CudaStream>, arrays: &SharpArrays) -> Result<Self> {
        Ok(Self {
            edges: Buffer::of(stream, &arrays.edges)?,
            edge_ends: Buffer::of(stream, &arrays.edge_ends)?,
            sharpness: Buffer::of(stream, &arrays.sharpness)?,
            held: Buffer::of(stream, &arrays.held)?,
            held_ends: Buffer::of(stream, &arrays.held_ends)?,
            weights: Buffer::of(stream, &arrays.weights)?,
        })
    }

    /// The launch after the smooth rules, if there is anything to hold.
    pub fn launch(
        &self,
        functions: &Functions,
        precision: Precision,
        first_edge_point: usize,
        [points, refined]: [u64; 2],
    ) -> Result<Option<Launch>> {
        let (edges, held) = (self.edges.len(), self.held.len());
        if edges + held == 0 {
            return Ok(None);
        }
        let arguments = vec![
            Argument::Words(Box::new([
                self.edges.address(0),
                self.edge_ends.address(0),
                self.sharpness.address(0),
                edges as u64 | (first_edge_point as u64) << 32,
            ])),
            Argument::Words(Box::new([
                self.held.address(0),
                self.held_ends.address(0),
                self.weights.address(0),
                held as u64,
            ])),
            Argument::Address(points),
            Argument::Address(refined),
        ];
        let kernels = Kernels::new(functions, variant(precision));
        kernels.items("hold", edges + held, THREADS, arguments).map(Some)
    }
}
