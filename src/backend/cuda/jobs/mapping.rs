//! Quadrature on the device: positions, Jacobians, first and second derivatives of basis
//! functions in space, of the leaves of a batch that share their basis, by
//! `kernels/solid/mapping.cu`.

use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::CudaStream;
use rayon::prelude::*;

use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::run_once;
use crate::backend::cuda::resident::Resident;
use crate::backend::operations::{
    LeafQuantities, MappingBatch, PhysicalDerivatives, QuadratureMapping,
};
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
        let (basis, samples) = (&*batch.basis, batch.weights.len());
        let controls = basis.controls;
        let first: [(&[f64], [usize; 2]); 4] = [
            (&basis.values, [1, 0]),
            (&basis.gradients, [3, 0]),
            (&basis.gradients, [3, 1]),
            (&basis.gradients, [3, 2]),
        ];
        let second = [0, 1, 2, 3, 4, 5].map(|k| (&basis.second[..], [6, k]));
        let second = if basis.second.is_empty() { &[][..] } else { &second };
        Ok(Self {
            controls,
            samples,
            leaves: batch.control_ids.len() / controls.max(1),
            columns: Buffer::of(stream, &columns(&first, controls, samples))?,
            second_columns: Buffer::of(stream, &columns(second, controls, samples))?,
            gradients: Buffer::of(stream, &basis.gradients)?,
            second: Buffer::of(stream, &basis.second)?,
            weights: Buffer::of(stream, &batch.weights)?,
            control_ids: Buffer::of(stream, batch.control_ids)?,
        })
    }
}

impl Mapping {
    /// Evaluates leaves of a batch; returns the seconds of the kernels. Results stay on the device
    /// until the next call.
    fn run(&mut self, batch: usize, leaves: Range<usize>, derivatives: bool) -> Result<f64> {
        let launches = self.prepare(batch, leaves, derivatives)?;
        // SAFETY: all arrays live in `self` and are as large as the counts say.
        unsafe { run_once(&launches, &self.stream) }
    }

    /// Copies the results of the last run to the host.
    fn read(
        &self,
        mapped: &mut LeafQuantities,
        derivatives: Option<&mut PhysicalDerivatives>,
    ) -> Result<()> {
        let Some(results) = &self.results else { return Ok(()) };
        let [samples, seconds, gradients, second_gradients] = results.sizes;
        let read = |buffer: &Buffer<f64>, count: usize| {
            let mut values = if count > 0 { buffer.read(&self.stream)? } else { Vec::new() };
            values.truncate(count);
            Ok::<_, Error>(values)
        };
        let rows = |buffer, count| Ok::<_, Error>(read(buffer, count)?.as_chunks::<3>().0.to_vec());
        let matrices =
            |buffer| Ok::<_, Error>(rows(buffer, 9 * samples)?.as_chunks::<3>().0.to_vec());
        mapped.points = rows(&results.points, 3 * samples)?;
        mapped.jacobians = matrices(&results.jacobians)?;
        mapped.determinants = read(&results.determinants, samples)?;
        mapped.measures = read(&results.measures, samples)?;
        mapped.inverse_jacobians = matrices(&results.inverses)?;
        mapped.second = rows(&results.second, seconds)?.as_chunks::<6>().0.to_vec();
        if let Some(derivatives) = derivatives {
            derivatives.gradients = read(&results.derivatives, gradients)?;
            derivatives.second = read(&results.second_derivatives, second_gradients)?;
        }
        Ok(())
    }
}

impl QuadratureMapping for Resident<Mapping> {
    fn move_controls(&mut self, positions: &[[f64; 3]]) -> Result<()> {
        let mut own = self.lock();
        let Mapping { stream, positions: to, .. } = &mut *own;
        check_point_count(positions.len(), to.len() / 3)?;
        to.fill(stream, positions.as_flattened())
    }

    fn evaluate(
        &self,
        batch: usize,
        leaves: Range<usize>,
        mapped: &mut LeafQuantities,
        derivatives: Option<&mut PhysicalDerivatives>,
    ) -> Result<()> {
        let mut own = self.lock();
        own.run(batch, leaves.clone(), derivatives.is_some())?;
        *mapped = LeafQuantities { batch, leaves, ..LeafQuantities::default() };
        own.read(mapped, derivatives)
    }

    fn time(&self, batch: usize, leaves: Range<usize>, derivatives: bool) -> Result<f64> {
        self.lock().run(batch, leaves, derivatives)
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
