//! The transpose of an evaluation on the device, by `kernels/solid/adjoint.cu`.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::LEAF_THREADS;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::device_arrays::{
    DeviceArray, DeviceMemory, ForeignArray, ResultMemory, wait,
};
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{ADJOINT, Variant};
use crate::error::Result;
use crate::plan::Adjoint;
use crate::plan::adjoint::{IndexRows, check_gradients};

/// Threads of a block that gathers.
const THREADS: u32 = 128;

/// A leaf; `Leaf` in `kernels/solid/adjoint.cu`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct AdjointLeaf {
    weights: u64,
    samples: u64,
    place: u64,
    first: u64,
    controls: u32,
    count: u32,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for AdjointLeaf {}

/// What the leaves need, before it is brought to the device.
#[derive(Default)]
struct AdjointArrays {
    leaves: Vec<AdjointLeaf>,
    weights: Vec<f64>,
    samples: Vec<u32>,
    places: usize,
}

impl AdjointArrays {
    fn of(adjoint: &Adjoint) -> Self {
        let mut all = Self::default();
        let mut tables = Vec::with_capacity(adjoint.tables.len());
        for table in &adjoint.tables {
            tables.push(AdjointLeaf {
                weights: all.weights.len() as u64,
                samples: all.samples.len() as u64,
                controls: table.controls as u32,
                count: table.results.len() as u32,
                ..AdjointLeaf::default()
            });
            all.weights.extend_from_slice(&table.weights);
            all.samples.extend_from_slice(&table.results);
        }
        for leaf in &adjoint.leaves {
            let table = tables[leaf.table as usize];
            let (place, first) = (all.places as u64, leaf.first as u64);
            all.leaves.push(AdjointLeaf { place, first, ..table });
            all.places += table.controls as usize;
        }
        all
    }
}

/// Rows of indices, with a weight each or none.
struct RowTables {
    starts: Buffer<u64>,
    items: Buffer<u64>,
    weights: Option<Buffer<f64>>,
}

/// An [`Adjoint`] on a GPU: in double precision, with the bits of the CPU.
pub struct DeviceAdjoint {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    leaves: Buffer<AdjointLeaf>,
    weights: Buffer<f64>,
    samples: Buffer<u32>,
    sources: RowTables,
    levels: Vec<RowTables>,
    level_starts: Vec<usize>,
    // control points of all leaves
    places: usize,
    orders: usize,
    results: usize,
    vertices: usize,
}

/// Gradients at the results.
#[derive(Clone, Copy, Debug)]
pub enum Gradient<'a> {
    /// Gradients on the host, `[result][width]`.
    Host(&'a [f64]),
    /// Gradients on the device, `[result][width]`.
    Device(ForeignArray),
}

impl Gradient<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Host(numbers) => numbers.len(),
            Self::Device(array) => array.len,
        }
    }
}

impl DeviceAdjoint {
    pub(in crate::backend::cuda) fn new(
        functions: Arc<Functions>,
        adjoint: &Adjoint,
    ) -> Result<Self> {
        let stream = functions.new_stream()?;
        let AdjointArrays { leaves, weights, samples, places } = AdjointArrays::of(adjoint);
        let rows = |rows: &IndexRows, weights: Option<&[f64]>| {
            let long = |numbers: &[usize]| numbers.iter().map(|&x| x as u64).collect::<Vec<_>>();
            Ok(RowTables {
                starts: Buffer::of(&stream, &long(&rows.starts))?,
                items: Buffer::of(&stream, &long(&rows.items))?,
                weights: weights.map(|weights| Buffer::of(&stream, weights)).transpose()?,
            })
        };
        let levels = adjoint.levels.iter().map(|(of, weights)| rows(of, Some(weights)));
        let this = Self {
            leaves: Buffer::of(&stream, &leaves)?,
            weights: Buffer::of(&stream, &weights)?,
            samples: Buffer::of(&stream, &samples)?,
            sources: rows(&adjoint.sources, None)?,
            levels: levels.collect::<Result<_>>()?,
            level_starts: adjoint.level_starts.clone(),
            places,
            orders: adjoint.orders,
            results: adjoint.results,
            vertices: adjoint.vertices,
            functions,
            stream,
        };
        this.stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(this)
    }

    /// The stream of all work, as the driver's handle.
    pub fn stream(&self) -> *mut std::ffi::c_void {
        self.stream.cu_stream().cast()
    }

    /// [`Adjoint::apply`], whose result stays on the device: `[vertex][width]`. Gradients on the
    /// device have been read when this returns.
    ///
    /// # Errors
    /// As [`Adjoint::apply`]; [`Error::Request`](crate::Error::Request) for an address of
    /// another device, or too little memory.
    ///
    /// # Safety
    /// Gradients on the device are as they say until this returns, with streams of the
    /// device.
    pub unsafe fn apply(
        &self,
        gradients: &[Gradient<'_>],
        width: usize,
    ) -> Result<(DeviceMemory, DeviceArray)> {
        let lengths: Vec<usize> = gradients.iter().map(Gradient::len).collect();
        check_gradients(&lengths, self.results, self.orders, width)?;
        // SAFETY: by the caller.
        let result = unsafe { self.apply_checked(gradients, width) };
        if result.is_err() {
            // gradients of others may be read yet
            let _ = self.stream.synchronize();
        }
        result
    }

    /// # Safety
    /// As above.
    unsafe fn apply_checked(
        &self,
        gradients: &[Gradient<'_>],
        width: usize,
    ) -> Result<(DeviceMemory, DeviceArray)> {
        let expected = self.results * width;
        let mut given = Buffer::<f64>::empty(&self.stream, gradients.len() * expected)?;
        let mut read = None;
        for (order, gradient) in gradients.iter().enumerate() {
            match gradient {
                Gradient::Host(numbers) => {
                    given.fill_from(&self.stream, order * expected, numbers)?;
                }
                Gradient::Device(array) => {
                    let to = given.address(order * expected);
                    // SAFETY: by the caller; there is room for as many.
                    read = Some(unsafe { array.take(&self.functions, &self.stream, to, None) }?);
                }
            }
        }
        let nets = Buffer::<f64>::empty(&self.stream, self.places * width)?;
        let rows = self.sources.starts.len() - 1;
        let points = Arc::new(ResultMemory::new::<f64>(&self.stream, rows * width)?);
        let launches = self.launches(&given, &nets, &points, gradients.len(), width)?;
        for launch in launches {
            // SAFETY: all arrays are as long as the kernels take them to be; this call's own
            // are given back in the order of the stream.
            let launched = unsafe { launch.enqueue(&self.stream) };
            launched.map_err(failed("the kernels cannot be launched"))?;
        }
        let memory = DeviceMemory::of(&points, &self.stream)?;
        // the last one read is read after the others
        read.as_ref().map_or(Ok(()), wait)?;
        Ok((memory, DeviceArray::of::<f64>(&points, 0, [self.vertices, width])))
    }

    fn launches(
        &self,
        gradients: &Buffer<f64>,
        nets: &Buffer<f64>,
        points: &ResultMemory,
        orders: usize,
        width: usize,
    ) -> Result<Vec<Launch>> {
        let kernels = Kernels::new(&self.functions, Variant::new(&ADJOINT, Precision::F64));
        let mut launches = vec![kernels.blocks(
            "leaf_gradients",
            self.leaves.len() as u32,
            LEAF_THREADS,
            vec![
                Argument::Words(Box::new([
                    self.leaves.address(0),
                    self.weights.address(0),
                    self.samples.address(0),
                    orders as u64,
                    self.results as u64,
                ])),
                Argument::Address(gradients.address(0)),
                Argument::Address(nets.address(0)),
                Argument::Number(width as u32),
            ],
        )?];
        let mut gather = |rows: &RowTables, from: u64, to: u64| -> Result<()> {
            let count = rows.starts.len() - 1;
            launches.push(kernels.items(
                "gather_gradients",
                count * width,
                THREADS,
                vec![
                    Argument::Address(rows.starts.address(0)),
                    Argument::Address(rows.items.address(0)),
                    Argument::Address(rows.weights.as_ref().map_or(0, |w| w.address(0))),
                    Argument::Address(from),
                    Argument::Address(to),
                    Argument::Long(count as u64),
                    Argument::Number(width as u32),
                ],
            )?);
            Ok(())
        };
        gather(&self.sources, nets.address(0), points.address::<f64>(0))?;
        for (level, rows) in self.levels.iter().enumerate().rev() {
            let [coarse, fine] = [0, 1].map(|l| self.level_starts[level + l] * width);
            gather(rows, points.address::<f64>(fine), points.address::<f64>(coarse))?;
        }
        Ok(launches)
    }
}
