//! Quadrature on the device: positions, Jacobians and derivatives of basis functions in
//! space, leaf by leaf of a batch that shares its basis, by `kernels/mapping.cu`.

use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::Cuda;
use super::device::failed;
use super::functions::{Functions, Shape};
use super::launch::{Argument, Launch};
use super::memory::{Buffer, timed_event};
use super::sources::{MAPPING, Variant};
use crate::backend::Precision;
use crate::error::{Error, Result};

/// What the leaves of a batch share, and their control points.
#[derive(Clone, Copy, Debug)]
pub struct MappingBatch<'a> {
    /// Number of control points of a leaf.
    pub controls: usize,
    /// Basis functions, `[sample][control]`.
    pub values: &'a [f64],
    /// Their derivatives by u, v, w, `[sample][3][control]`.
    pub gradients: &'a [f64],
    /// Their second derivatives by uu, vv, ww, uv, uw, vw, `[sample][6][control]`, or none.
    pub second: &'a [f64],
    /// Weights of the samples in the element's parameters.
    pub weights: &'a [f64],
    /// Control points, `[leaf][control]`.
    pub control_ids: &'a [u32],
}

/// A batch on the device.
struct Batch {
    controls: usize,
    samples: usize,
    leaves: usize,
    values: Buffer<f64>,
    gradients: Buffer<f64>,
    second: Buffer<f64>,
    weights: Buffer<f64>,
    control_ids: Buffer<u32>,
}

/// Batches on the device, for any positions of the control points.
pub struct DeviceMapping {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    batches: Vec<Batch>,
    positions: Buffer<f64>,
    results: Option<Results>,
}

/// Memory of results.
struct Results {
    points: Buffer<f64>,
    jacobians: Buffer<f64>,
    determinants: Buffer<f64>,
    measures: Buffer<f64>,
    inverses: Buffer<f64>,
    second: Buffer<f64>,
    derivatives: Buffer<f64>,
    // whether second derivatives are those of the last evaluation
    has_second: bool,
    samples: usize,
}

/// Results copied to the host, `[leaf][sample]` each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MappedArrays {
    /// `[3]`: positions.
    pub points: Vec<f64>,
    /// `[xyz][uvw]`: Jacobians.
    pub jacobians: Vec<f64>,
    /// Their determinants.
    pub determinants: Vec<f64>,
    /// Weights times determinants.
    pub measures: Vec<f64>,
    /// `[uvw][xyz]`: inverse Jacobians.
    pub inverse_jacobians: Vec<f64>,
    /// `[6][xyz]`: second derivatives of the position, if the batch has those of its basis.
    pub second: Vec<f64>,
    /// `[3][control]`: derivatives of the basis functions by x, y, z, if they were wanted.
    pub derivatives: Vec<f64>,
}

impl DeviceMapping {
    /// Brings batches and positions to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small.
    pub fn new(gpu: &Cuda, batches: &[MappingBatch<'_>], positions: &[[f64; 3]]) -> Result<Self> {
        let functions = gpu.functions.clone();
        let stream = functions.device().context.new_stream().map_err(failed("no stream"))?;
        let upload = |batch: &MappingBatch<'_>| {
            Ok(Batch {
                controls: batch.controls,
                samples: batch.weights.len(),
                leaves: batch.control_ids.len() / batch.controls.max(1),
                values: Buffer::of(&stream, batch.values)?,
                gradients: Buffer::of(&stream, batch.gradients)?,
                second: Buffer::of(&stream, batch.second)?,
                weights: Buffer::of(&stream, batch.weights)?,
                control_ids: Buffer::of(&stream, batch.control_ids)?,
            })
        };
        let batches = batches.iter().map(upload).collect::<Result<_>>()?;
        let positions = Buffer::of(&stream, positions.as_flattened())?;
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(Self { functions, stream, batches, positions, results: None })
    }

    /// Takes other positions of as many control points.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn move_controls(&mut self, positions: &[[f64; 3]]) -> Result<()> {
        if 3 * positions.len() != self.positions.len() {
            let (found, expected) = (positions.len(), self.positions.len() / 3);
            return Err(Error::request(format!("{found} control points instead of {expected}")));
        }
        self.positions.fill(&self.stream, positions.as_flattened())
    }

    /// Evaluates leaves of a batch, with derivatives in space if they are wanted; returns
    /// the seconds that it took on the device. Results stay there until the next call.
    ///
    /// # Errors
    /// [`Error::Request`] if there are no such leaves, or the device's memory is too small.
    pub fn evaluate(
        &mut self,
        batch: usize,
        leaves: Range<usize>,
        derivatives: bool,
    ) -> Result<f64> {
        let stream = &self.stream;
        let Some(own) = self.batches.get(batch).filter(|own| leaves.end <= own.leaves) else {
            return Err(Error::request(format!("leaves {leaves:?} of batch {batch}")));
        };
        let samples = leaves.len() * own.samples;
        let numbers = if derivatives { 3 * samples * own.controls } else { 0 };
        let has_second = own.second.len() > 0;
        let seconds = if has_second { 18 * samples } else { 0 };
        let fits = |r: &Results| {
            r.points.len() >= 3 * samples
                && r.derivatives.len() >= numbers
                && r.second.len() >= seconds
        };
        if !self.results.as_ref().is_some_and(fits) {
            self.results = None; // gives its memory back first
            self.results = Some(Results {
                points: Buffer::empty(stream, 3 * samples)?,
                jacobians: Buffer::empty(stream, 9 * samples)?,
                determinants: Buffer::empty(stream, samples)?,
                measures: Buffer::empty(stream, samples)?,
                inverses: Buffer::empty(stream, 9 * samples)?,
                second: Buffer::empty(stream, seconds)?,
                derivatives: Buffer::empty(stream, numbers)?,
                has_second,
                samples: 0,
            });
        }
        let Some(results) = &mut self.results else { return Ok(0.0) };
        results.samples = samples;
        results.has_second = has_second;
        let function = self.functions.get(&variant(), "map_points")?;
        let shared = (24 * own.controls) as u32;
        function.occupancy(THREADS, shared)?;
        let counts = own.controls as u64 | (own.samples as u64) << 32;
        let batch = || {
            Argument::Words(Box::new([
                own.values.address(0),
                own.gradients.address(0),
                own.weights.address(0),
                own.control_ids.address(0),
                counts,
            ]))
        };
        let shape = Shape { blocks: leaves.len() as u32, threads: THREADS, shared };
        let positions = || Argument::Address(self.positions.address(0));
        let first = || Argument::Number(leaves.start as u32);
        let mut launches = vec![Launch {
            name: "mapping".into(),
            function,
            shape,
            arguments: vec![
                positions(),
                batch(),
                first(),
                Argument::Words(Box::new([
                    results.points.address(0),
                    results.jacobians.address(0),
                    results.determinants.address(0),
                    results.measures.address(0),
                    results.inverses.address(0),
                    if derivatives { results.derivatives.address(0) } else { 0 },
                ])),
            ],
        }];
        if has_second {
            let function = self.functions.get(&variant(), "map_second")?;
            function.occupancy(THREADS, shared)?;
            launches.push(Launch {
                name: "second derivatives".into(),
                function,
                shape,
                arguments: vec![
                    positions(),
                    batch(),
                    Argument::Address(own.second.address(0)),
                    first(),
                    Argument::Address(results.second.address(0)),
                ],
            });
        }
        let start = timed_event(stream)?;
        for launch in &launches {
            // SAFETY: all arrays live in `self` and are as large as the counts say.
            unsafe { launch.enqueue(stream) }.map_err(failed("a kernel cannot be launched"))?;
        }
        let end = timed_event(stream)?;
        let elapsed = start.elapsed_ms(&end).map_err(failed("the quadrature failed"))?;
        Ok(f64::from(elapsed) * 1e-3)
    }

    /// Copies the results of the last [`DeviceMapping::evaluate`] to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn read(&self) -> Result<MappedArrays> {
        let Some(results) = &self.results else { return Ok(MappedArrays::default()) };
        let read = |buffer: &Buffer<f64>, width: usize| {
            let mut values = buffer.read(&self.stream)?;
            values.truncate(width * results.samples);
            Ok(values)
        };
        Ok(MappedArrays {
            points: read(&results.points, 3)?,
            jacobians: read(&results.jacobians, 9)?,
            determinants: read(&results.determinants, 1)?,
            measures: read(&results.measures, 1)?,
            inverse_jacobians: read(&results.inverses, 9)?,
            second: if results.has_second { read(&results.second, 18)? } else { Vec::new() },
            derivatives: results.derivatives.read(&self.stream)?,
        })
    }
}

/// Threads of a block in `kernels/mapping.cu`.
const THREADS: u32 = 128;

pub(super) fn variant() -> Variant {
    Variant::new(&MAPPING, Precision::F64)
}
