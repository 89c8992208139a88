//! Quadrature on the device: positions, Jacobians, first and second derivatives of basis
//! functions in space, of the leaves of a batch that share their basis, by
//! `kernels/solid/mapping.cu`.

use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::CudaStream;
use rayon::prelude::*;

use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::{Buffer, timed_event};
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::device::{MappedArrays, MappingBatch, QuadratureMapping};
use crate::error::{Error, Result};
use crate::mesh::check_point_count;

mod launches;

pub(in crate::backend::cuda) use launches::variants;

/// A batch on the device.
struct Batch {
    controls: usize,
    samples: usize,
    leaves: usize,
    // for sums over control points: N and by u, v, w, [control][4][sample]; second derivatives,
    // [control][6][sample]
    columns: Buffer<f64>,
    second_columns: Buffer<f64>,
    // for derivatives of basis functions, as given
    gradients: Buffer<f64>,
    second: Buffer<f64>,
    weights: Buffer<f64>,
    control_ids: Buffer<u32>,
}

/// Batches on the device, for any positions of the control points.
pub(crate) struct Mapping {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    batches: Vec<Batch>,
    positions: Buffer<f64>,
    results: Option<ResultBuffers>,
}

/// Addresses on the device; see `Batch` and `ResultBuffers`.
pub(super) struct MappedAddresses {
    pub table: u64,
    pub control_ids: u64,
    pub measures: u64,
    pub inverses: u64,
}

/// Memory of results.
struct ResultBuffers {
    points: Buffer<f64>,
    jacobians: Buffer<f64>,
    determinants: Buffer<f64>,
    measures: Buffer<f64>,
    inverses: Buffer<f64>,
    second: Buffer<f64>,
    derivatives: Buffer<f64>,
    second_derivatives: Buffer<f64>,
    // of the last evaluation: samples, and numbers of second derivatives of the position and of
    // first and second ones of basis functions
    sizes: [usize; 4],
}

/// Leaves of a batch; see `Batch` in `kernels/solid/mapping.cu`.
#[derive(Clone, Copy)]
struct LeafRange {
    control_ids: u64,
    controls: u32,
    samples: u32,
    first: u32,
    count: u32,
}

impl LeafRange {
    fn argument(self) -> Argument {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        Argument::Words(Box::new([
            self.control_ids,
            pair(self.controls, self.samples),
            pair(self.first, self.count),
        ]))
    }
}

impl Mapping {
    /// Brings batches and positions to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small.
    pub fn new(gpu: &Cuda, batches: &[MappingBatch<'_>], positions: &[[f64; 3]]) -> Result<Self> {
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let upload = |batch| Batch::upload(&stream, batch);
        let batches = batches.iter().map(upload).collect::<Result<_>>()?;
        let positions = Buffer::of(&stream, positions.as_flattened())?;
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(Self { functions, stream, batches, positions, results: None })
    }

    /// Takes another batch in place of all.
    ///
    /// # Errors
    /// [`Error::Request`] if the device's memory is too small.
    pub(in crate::backend::cuda) fn load(&mut self, batch: &MappingBatch<'_>) -> Result<()> {
        self.batches.clear(); // gives its memory back first
        self.batches.push(Batch::upload(&self.stream, batch)?);
        Ok(())
    }

    /// The stream that all work is on.
    pub(in crate::backend::cuda) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Where the first batch and the last results are, for other kernels.
    pub(super) fn mapped(&self) -> Option<MappedAddresses> {
        let (batch, results) = (self.batches.first()?, self.results.as_ref()?);
        Some(MappedAddresses {
            table: batch.columns.address(0),
            control_ids: batch.control_ids.address(0),
            measures: results.measures.address(0),
            inverses: results.inverses.address(0),
        })
    }

    /// The launches of an evaluation, with memory for its results.
    pub(in crate::backend::cuda) fn prepare(
        &mut self,
        batch: usize,
        leaves: Range<usize>,
        derivatives: bool,
    ) -> Result<Vec<Launch>> {
        let stream = &self.stream;
        let Some(own) = self.batches.get(batch).filter(|own| leaves.end <= own.leaves) else {
            return Err(Error::request(format!("leaves {leaves:?} of batch {batch}"))
                .with_help("name a batch of the quadrature, and leaves that it has"));
        };
        let samples = leaves.len() * own.samples;
        let has_second = own.second.len() > 0;
        let sizes = [
            samples,
            if has_second { 18 * samples } else { 0 },
            if derivatives { 3 * samples * own.controls } else { 0 },
            if derivatives && has_second { 6 * samples * own.controls } else { 0 },
        ];
        if !self.results.as_ref().is_some_and(|results| results.fit(sizes)) {
            self.results = None; // gives its memory back first
            self.results = Some(ResultBuffers::new(stream, sizes)?);
        }
        if let Some(results) = &mut self.results {
            results.sizes = sizes;
        }
        let Some(results) = self.results.as_ref().filter(|_| !leaves.is_empty()) else {
            return Ok(Vec::new());
        };
        let shape = LeafRange {
            control_ids: own.control_ids.address(0),
            controls: own.controls as u32,
            samples: own.samples as u32,
            first: leaves.start as u32,
            count: leaves.len() as u32,
        };
        self.launches(own, shape, results)
    }
}

impl Batch {
    fn upload(stream: &Arc<CudaStream>, batch: &MappingBatch<'_>) -> Result<Self> {
        let (controls, samples) = (batch.controls, batch.weights.len());
        let first: [(&[f64], [usize; 2]); 4] = [
            (batch.values, [1, 0]),
            (batch.gradients, [3, 0]),
            (batch.gradients, [3, 1]),
            (batch.gradients, [3, 2]),
        ];
        let second = [0, 1, 2, 3, 4, 5].map(|k| (batch.second, [6, k]));
        let second = if batch.second.is_empty() { &[][..] } else { &second };
        Ok(Self {
            controls,
            samples,
            leaves: batch.control_ids.len() / controls.max(1),
            columns: Buffer::of(stream, &columns(&first, controls, samples))?,
            second_columns: Buffer::of(stream, &columns(second, controls, samples))?,
            gradients: Buffer::of(stream, batch.gradients)?,
            second: Buffer::of(stream, batch.second)?,
            weights: Buffer::of(stream, batch.weights)?,
            control_ids: Buffer::of(stream, batch.control_ids)?,
        })
    }
}

impl QuadratureMapping for Mapping {
    fn move_controls(&mut self, positions: &[[f64; 3]]) -> Result<()> {
        check_point_count(positions.len(), self.positions.len() / 3)?;
        self.positions.fill(&self.stream, positions.as_flattened())
    }

    fn evaluate(&mut self, batch: usize, leaves: Range<usize>, derivatives: bool) -> Result<f64> {
        let launches = self.prepare(batch, leaves, derivatives)?;
        let start = timed_event(&self.stream)?;
        for launch in &launches {
            // SAFETY: all arrays live in `self` and are as large as the counts say.
            unsafe { launch.enqueue(&self.stream) }
                .map_err(failed("a kernel cannot be launched"))?;
        }
        let end = timed_event(&self.stream)?;
        let elapsed = start.elapsed_ms(&end).map_err(failed("the quadrature failed"))?;
        Ok(f64::from(elapsed) * 1e-3)
    }

    fn read(&self) -> Result<MappedArrays> {
        let Some(results) = &self.results else { return Ok(MappedArrays::default()) };
        let [samples, seconds, derivatives, second_derivatives] = results.sizes;
        let read = |buffer: &Buffer<f64>, count: usize| {
            let mut values = if count > 0 { buffer.read(&self.stream)? } else { Vec::new() };
            values.truncate(count);
            Ok(values)
        };
        Ok(MappedArrays {
            points: read(&results.points, 3 * samples)?,
            jacobians: read(&results.jacobians, 9 * samples)?,
            determinants: read(&results.determinants, samples)?,
            measures: read(&results.measures, samples)?,
            inverse_jacobians: read(&results.inverses, 9 * samples)?,
            second: read(&results.second, seconds)?,
            derivatives: read(&results.derivatives, derivatives)?,
            second_derivatives: read(&results.second_derivatives, second_derivatives)?,
        })
    }
}

impl ResultBuffers {
    /// Memory for as many numbers as `sizes` says.
    fn new(stream: &Arc<CudaStream>, sizes: [usize; 4]) -> Result<Self> {
        let [samples, seconds, derivatives, second_derivatives] = sizes;
        Ok(Self {
            points: Buffer::empty(stream, 3 * samples)?,
            jacobians: Buffer::empty(stream, 9 * samples)?,
            determinants: Buffer::empty(stream, samples)?,
            measures: Buffer::empty(stream, samples)?,
            inverses: Buffer::empty(stream, 9 * samples)?,
            second: Buffer::empty(stream, seconds)?,
            derivatives: Buffer::empty(stream, derivatives)?,
            second_derivatives: Buffer::empty(stream, second_derivatives)?,
            sizes,
        })
    }

    fn fit(&self, [samples, seconds, derivatives, second_derivatives]: [usize; 4]) -> bool {
        self.points.len() >= 3 * samples
            && self.second.len() >= seconds
            && self.derivatives.len() >= derivatives
            && self.second_derivatives.len() >= second_derivatives
    }
}

/// Rows of tables, `[sample][rows][control]` and which row each, side by side by samples:
/// `[control][row][sample]`.
fn columns(rows: &[(&[f64], [usize; 2])], controls: usize, samples: usize) -> Vec<f64> {
    let mut columns = vec![0.0; rows.len() * controls * samples];
    if columns.is_empty() {
        return columns;
    }
    let parts = columns.par_chunks_exact_mut(rows.len() * samples).enumerate();
    parts.for_each(|(control, part)| {
        for (to, &(table, [width, row])) in part.chunks_exact_mut(samples).zip(rows) {
            for (sample, to) in to.iter_mut().enumerate() {
                *to = table[(sample * width + row) * controls + control];
            }
        }
    });
    columns
}
