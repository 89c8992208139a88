//! Sharp edges and sharp vertices of a level, and their points, by `kernels/surface/sharp.cu`.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::THREADS;
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{SHARP, Variant};
use crate::error::Result;

/// What smooth rules do not decide at one level: short lists on the device.
pub(super) struct SharpLevel {
    /// Edges that are sharp or were so at an earlier level.
    edges: Buffer<u32>,
    /// End vertices of the edges.
    edge_ends: Buffer<[u32; 2]>,
    /// Sharpness of the edges, 0 where they are not sharp any more.
    sharpness: Buffer<f64>,
    /// Weights of their midpoints, 0 where the smooth rule holds.
    midpoints: Buffer<f64>,
    /// Vertices that do not follow the smooth rule; none where they do.
    vertices: Buffer<u32>,
    /// The other ends of their two sharp edges, if they have two.
    vertex_ends: Buffer<[u32; 2]>,
    /// Weights of the smooth rule, of the crease rule, and of the vertex itself.
    weights: Buffer<[f64; 3]>,
}

pub(in crate::backend::cuda) fn variant(precision: Precision) -> Variant {
    Variant::new(&SHARP, precision)
}

impl SharpLevel {
    /// Room for `sharp` edges and `vertices` vertices.
    pub fn new(stream: &Arc<CudaStream>, sharp: usize, vertices: usize) -> Result<Self> {
        Ok(Self {
            edges: Buffer::empty(stream, sharp)?,
            edge_ends: Buffer::empty(stream, sharp)?,
            sharpness: Buffer::empty(stream, sharp)?,
            midpoints: Buffer::empty(stream, sharp)?,
            vertices: Buffer::empty(stream, vertices)?,
            vertex_ends: Buffer::empty(stream, vertices)?,
            weights: Buffer::empty(stream, vertices)?,
        })
    }

    pub(crate) fn sharp_count(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// `Sharp` in `kernels/surface/creases.cu`.
    pub(crate) fn sharp_arrays(&self) -> [u64; 4] {
        let numbers = [&self.sharpness, &self.midpoints].map(|numbers| numbers.address(0));
        [self.edges.address(0), self.edge_ends.address(0), numbers[0], numbers[1]]
    }

    /// `SharpVertices` in `kernels/surface/creases.cu`.
    pub(crate) fn vertex_arrays(&self) -> [u64; 3] {
        [self.vertices.address(0), self.vertex_ends.address(0), self.weights.address(0)]
    }

    /// The edges, copied to the host.
    pub fn edges(&self, stream: &Arc<CudaStream>) -> Result<Vec<u32>> {
        self.edges.read(stream)
    }

    /// Ends and sharpness of the edges, copied to the host.
    pub(crate) fn ends_and_sharpness(
        &self,
        stream: &Arc<CudaStream>,
    ) -> Result<(Vec<[u32; 2]>, Vec<f64>)> {
        Ok((self.edge_ends.read(stream)?, self.sharpness.read(stream)?))
    }

    /// The launch after the smooth rules, if anything is sharp.
    pub fn launch(
        &self,
        functions: &Functions,
        precision: Precision,
        first_edge_point: usize,
        [points, refined]: [u64; 2],
    ) -> Result<Option<Launch>> {
        let (edges, vertices) = (self.sharp_count(), self.vertex_count());
        if edges + vertices == 0 {
            return Ok(None);
        }
        let [edges_at, ends, _, midpoints] = self.sharp_arrays();
        let [vertices_at, vertex_ends, weights] = self.vertex_arrays();
        let count = edges as u64 | (first_edge_point as u64) << 32;
        let arguments = vec![
            Argument::Words(Box::new([edges_at, ends, midpoints, count])),
            Argument::Words(Box::new([vertices_at, vertex_ends, weights, vertices as u64])),
            Argument::Address(points),
            Argument::Address(refined),
        ];
        let kernels = Kernels::new(functions, variant(precision));
        kernels.items("sharpen", edges + vertices, THREADS, arguments).map(Some)
    }
}
