//! Single points of a surface on the device, by `kernels/surface/points.cu`: of regular
//! quads from their parameters, all others as rows of weights.

use crate::numbers::Real;
use cudarc::driver::DeviceRepr;
use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::level_points::LevelPoints;
use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::SURFACE_POINT_THREADS as THREADS;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::{Kernels, run_once};
use crate::backend::cuda::driver::sources::{SURFACE_POINTS, Variant};
use crate::backend::cuda::single_points::{RegularPoint, WeightedPoint};
use crate::error::Result;
use crate::scheme::Stencils;

/// Points as rows of weights.
#[derive(Clone, Debug, Default)]
pub struct PointRows<T> {
    /// `[row]`: end of its control points.
    pub ends: Vec<usize>,
    /// `[row][control]`: points of all levels; none of the rows is empty.
    pub columns: Vec<u32>,
    /// `[row][quantity][control]`.
    pub weights: Vec<T>,
    /// `[row]`: result.
    pub results: Vec<u32>,
    /// Quantities of a row.
    pub quantities: usize,
}

/// Rows on the device.
pub(super) struct PointRowArrays<T> {
    nets: Buffer<u32>,
    weights: Buffer<T>,
    points: Buffer<WeightedPoint>,
}

/// Where results go: `Outputs` in `kernels/surface/points.cu`.
pub(super) struct Outputs([u64; 6]);

impl Outputs {
    pub fn new(addresses: [u64; 6]) -> Self {
        Self(addresses)
    }

    fn argument(&self) -> Argument {
        Argument::Words(Box::new(self.0))
    }
}

/// Lanes that share a row.
const SHARE: u32 = 8;

pub(in crate::backend::cuda) fn variant(
    precision: Precision,
    order: usize,
    normals: bool,
) -> Variant {
    Variant::new(&SURFACE_POINTS, precision)
        .with("ORDER", order)
        .with("NORMALS", usize::from(normals))
}

impl<T: Real + DeviceRepr> PointRowArrays<T> {
    pub fn new(stream: &Arc<CudaStream>, rows: &PointRows<T>) -> Result<Self> {
        let mut start = 0;
        let point = |(&end, &row): (&usize, &u32)| {
            let first = std::mem::replace(&mut start, end);
            WeightedPoint {
                weights: (rows.quantities * first) as u64,
                net: first as u64,
                controls: (end - first) as u32,
                row,
            }
        };
        let points: Vec<WeightedPoint> = rows.ends.iter().zip(&rows.results).map(point).collect();
        Ok(Self {
            nets: Buffer::of(stream, &rows.columns)?,
            weights: Buffer::of(stream, &rows.weights)?,
            points: Buffer::of(stream, &points)?,
        })
    }

    /// The launch over the points at an address, if there is any row.
    pub fn launch(
        &self,
        functions: &Functions,
        points: u64,
        order: usize,
        normals: bool,
        outputs: Outputs,
    ) -> Result<Option<Launch>> {
        let count = self.points.len() as u32;
        if count == 0 {
            return Ok(None);
        }
        let kernels = Kernels::new(functions, variant(T::PRECISION, order, normals));
        let launch = kernels.blocks(
            "weighted_surface_points",
            count.div_ceil(THREADS / SHARE),
            THREADS,
            vec![
                Argument::Address(points),
                Argument::Address(self.nets.address(0)),
                Argument::Address(self.weights.address(0)),
                Argument::Address(self.points.address(0)),
                Argument::Number(count),
                outputs.argument(),
            ],
        )?;
        Ok(Some(launch))
    }
}

/// Single points and all that they need.
#[derive(Clone, Debug)]
pub(crate) struct PointLayout<'a, T> {
    /// Control points of the mesh.
    pub controls: usize,
    /// Local levels of refinement.
    pub levels: &'a [Stencils],
    /// `[net][v 4][u 4]`: control points of regular quads.
    pub nets: Vec<u32>,
    /// Points of regular quads, neighbors together.
    pub regular: Vec<RegularPoint<2>>,
    /// Points that are not in regular quads, as rows of weights.
    pub rows: PointRows<T>,
    /// Number of results.
    pub results: usize,
    /// Derivatives up to this order, 0 to 2.
    pub order: usize,
    /// Rows are a position and two tangents; normals are wanted beside positions. There are
    /// no regular points then.
    pub normals: bool,
}

/// Single points on a device.
pub(crate) struct SinglePoints<T> {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    levels: LevelPoints,
    nets: Buffer<u32>,
    regular: Buffer<RegularPoint<2>>,
    rows: PointRowArrays<T>,
    // [result][3] each
    outputs: Vec<Buffer<T>>,
    order: usize,
    normals: bool,
}

impl<T: Real + DeviceRepr> SinglePoints<T> {
    /// Brings points to a GPU, with room for their results.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for too little memory.
    pub fn new(gpu: &Cuda, layout: &PointLayout<'_, T>) -> Result<Self> {
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let outputs = if layout.normals { 2 } else { [1, 3, 6][layout.order.min(2)] };
        let outputs = (0..outputs).map(|_| Buffer::empty(&stream, 3 * layout.results));
        let points = Self {
            levels: LevelPoints::new(&stream, layout.controls, layout.levels)?,
            nets: Buffer::of(&stream, &layout.nets)?,
            regular: Buffer::of(&stream, &layout.regular)?,
            rows: PointRowArrays::new(&stream, &layout.rows)?,
            outputs: outputs.collect::<Result<_>>()?,
            order: layout.order,
            normals: layout.normals,
            functions,
            stream,
        };
        points.stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(points)
    }

    /// Takes positions of the control points.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of them.
    pub fn set_controls(&mut self, positions: &[[f64; 3]]) -> Result<()> {
        self.levels.set_controls(&self.stream, positions)
    }

    /// Evaluates all points; returns the seconds that it took on the device, where the
    /// results stay until the next call.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) with the driver's words if a kernel fails.
    pub fn evaluate(&mut self) -> Result<f64> {
        let mut launches = self.levels.launches(&self.functions)?;
        let points = self.levels.address();
        let outputs = || {
            let address = |i: usize| self.outputs.get(i).map_or(0, |buffer| buffer.address(0));
            Outputs::new(std::array::from_fn(address))
        };
        let count = self.regular.len() as u32;
        if count > 0 {
            let variant = variant(T::PRECISION, self.order, self.normals);
            launches.push(Kernels::new(&self.functions, variant).items(
                "regular_surface_points",
                self.regular.len(),
                THREADS,
                vec![
                    Argument::Address(points),
                    Argument::Address(self.nets.address(0)),
                    Argument::Address(self.regular.address(0)),
                    Argument::Number(count),
                    outputs().argument(),
                ],
            )?);
        }
        let rows =
            self.rows.launch(&self.functions, points, self.order, self.normals, outputs())?;
        launches.extend(rows);
        // SAFETY: all arrays live in `self` and are as long as the counts say.
        unsafe { run_once(&launches, &self.stream) }
    }

    /// Output `i` copied to the host, `[result]`; empty if there is none.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the copy fails.
    pub fn read(&self, i: usize) -> Result<Vec<[T; 3]>> {
        match self.outputs.get(i) {
            Some(buffer) => Ok(buffer.read(&self.stream)?.as_chunks::<3>().0.to_vec()),
            None => Ok(Vec::new()),
        }
    }
}
