//! Grids of points on the leaves of a surface, on the device: regular leaves by
//! `kernels/surface/tensor.cu`, all others as products of tables by
//! `kernels/surface/table.cu`, single points by `kernels/surface/points.cu`.

mod launches;
mod layout;
mod records;

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use super::level_points::LevelPoints;
use super::points::PointRowArrays;
use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::{Buffer, seconds_since, timed_event};
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::graph::Graph;
use crate::backend::cuda::driver::sources::{SURFACE_TENSOR, Variant};
use crate::error::{Error, Result};
use crate::numbers::Real;
use layout::lay_tables;
use records::Tables;

pub(in crate::backend::cuda) use layout::table_variant;
pub use records::{PatchBatch, SquareWeights, SurfaceLayout, TableBatch, TableWeights};

/// Maximum number of samples along an edge that regular leaves take.
pub const MAX_LEAF_SAMPLES: usize = 128;

struct Patches<T> {
    samples: usize,
    count: u32,
    nets: Buffer<u32>,
    starts: Buffer<u32>,
    ends: Buffer<u8>,
    weights: Buffer<T>,
}

/// Results on the device, copied to the host: `[result]` each, the last three empty if
/// normals were not wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfacePoints<T> {
    /// Positions.
    pub positions: Vec<[T; 3]>,
    /// First derivatives by u and by v; NaN where they do not exist.
    pub derivatives: [Vec<[T; 3]>; 2],
    /// Unit normals; NaN where there is no tangent plane.
    pub normals: Vec<[T; 3]>,
}

/// Grids of points on a device; an evaluation is one CUDA graph.
pub(crate) struct Grids<T> {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    // beside it, for kernels that fill the gaps of others
    sides: Vec<Arc<CudaStream>>,
    graph: Option<Graph>,
    levels: LevelPoints,
    patches: Vec<Patches<T>>,
    tables: Tables<T>,
    rows: PointRowArrays<T>,
    // [result][3] each: positions; derivatives by u and v, normals
    outputs: Vec<Buffer<T>>,
}

/// Streams of an evaluation.
const STREAMS: usize = 4;
const TENSOR_THREADS: u32 = 128;

pub(in crate::backend::cuda) fn tensor_variant(
    precision: Precision,
    samples: usize,
    normals: bool,
) -> Variant {
    Variant::new(&SURFACE_TENSOR, precision)
        .with("SAMPLES", samples)
        .with("NORMALS", usize::from(normals))
        .with("WIDTH", 3)
        .with("STRIDED", 0)
}

impl<T: Real + DeviceRepr> Grids<T> {
    /// Brings a layout to a GPU, with room for its results.
    ///
    /// # Errors
    /// [`Error::Request`] for too many results or samples, or too little memory.
    pub fn new(gpu: &Cuda, layout: &SurfaceLayout<'_, T>) -> Result<Self> {
        if u32::try_from(layout.results).is_err() {
            let count = layout.results;
            return Err(Error::request(format!("{count} points of a surface on a GPU"))
                .with_help("ask for fewer samples, or fewer levels: results have 32-bit ids"));
        }
        if let Some(batch) =
            layout.patches.iter().find(|b| !(1..=MAX_LEAF_SAMPLES).contains(&b.samples))
        {
            return Err(Error::request(format!("{} samples per edge on a GPU", batch.samples))
                .with_help(format!("ask for 1 to {MAX_LEAF_SAMPLES} samples per edge")));
        }
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let sides = (1..STREAMS).map(|_| functions.new_stream()).collect::<Result<Vec<_>>>()?;
        let outputs = if layout.normals { 4 } else { 1 };
        let outputs =
            (0..outputs).map(|_| Buffer::empty(&stream, 3 * layout.results)).collect::<Result<_>>();
        let patches = layout.patches.iter().map(|batch| {
            Ok(Patches {
                samples: batch.samples,
                count: batch.starts.len() as u32,
                nets: Buffer::of(&stream, &batch.nets)?,
                starts: Buffer::of(&stream, &batch.starts)?,
                ends: Buffer::of(&stream, &batch.ends)?,
                weights: Buffer::of(&stream, &batch.weights)?,
            })
        });
        let patches = patches.collect::<Result<_>>()?;
        let tables = lay_tables(&functions, &stream, layout)?;
        let grids = Self {
            levels: LevelPoints::new(&stream, layout.controls, layout.levels)?,
            patches,
            tables,
            rows: PointRowArrays::new(&stream, &layout.rows)?,
            outputs: outputs?,
            functions,
            stream,
            sides,
            graph: None,
        };
        grids.stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(grids)
    }

    /// Takes positions of the control points.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn set_controls(&mut self, positions: &[[f64; 3]]) -> Result<()> {
        self.levels.set_controls(&self.stream, positions)
    }

    /// Evaluates everything; returns the seconds that it took on the device, where the
    /// results stay until the next call.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn evaluate(&mut self) -> Result<f64> {
        let broken = failed("the kernels cannot be launched");
        if self.graph.is_none() {
            let (first, chains) = self.launches()?;
            let enqueue = || self.enqueue(&first, &chains);
            // what a first launch loads cannot be recorded
            enqueue().map_err(&broken)?;
            self.graph = Graph::capture(&self.stream, enqueue).map_err(&broken)?;
        }
        let start = timed_event(&self.stream)?;
        match &self.graph {
            Some(graph) => graph.launch().map_err(broken)?,
            None => return Err(Error::request("CUDA: the launches cannot be recorded")),
        }
        seconds_since(&start, &self.stream)
    }

    /// Copies the results to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn read(&self) -> Result<SurfacePoints<T>> {
        let read = |i: usize| match self.outputs.get(i) {
            Some(buffer) => Ok(buffer.read(&self.stream)?.as_chunks::<3>().0.to_vec()),
            None => Ok(Vec::new()),
        };
        Ok(SurfacePoints {
            positions: read(0)?,
            derivatives: [read(1)?, read(2)?],
            normals: read(3)?,
        })
    }
}
