//! Tables as the kernel takes them.

use crate::numbers::Real;
use cudarc::driver::DeviceRepr;
use std::sync::Arc;

use cudarc::driver::CudaStream;

use crate::backend::cuda::driver::constants::SQUARE_BLOCKS;
pub(super) use crate::backend::cuda::driver::constants::TABLE_THREADS;
use crate::backend::cuda::driver::device::failed;

use super::records::{
    SquareBatch, SquareWeights, SurfaceLayout, TableBatch, TableBatchRecord, TableItem,
    TableWeights, Tables, Tangents,
};
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{SURFACE_TABLE, Variant};
use crate::error::Result;

pub(crate) fn table_variant(precision: Precision, normals: bool) -> Variant {
    Variant::new(&SURFACE_TABLE, precision).with("NORMALS", usize::from(normals))
}

/// Lays all tables one after another, and cuts the work into blocks.
pub(super) fn lay_tables<T: Real + DeviceRepr>(
    functions: &Functions,
    stream: &Arc<CudaStream>,
    layout: &SurfaceLayout<'_, T>,
) -> Result<Tables<T>> {
    let variant = table_variant(T::PRECISION, layout.normals);
    let limits = if layout.tables.is_empty() {
        BlockLimits { leaves: 1, groups: 1 }
    } else {
        BlockLimits::of(functions, &variant)?
    };
    let mut laid = HostTables::new(layout, limits);
    layout.tables.iter().for_each(|table| laid.push(table));
    laid.into_device(&Kernels::new(functions, variant), stream)
}

/// What a block of the kernel takes at most.
struct BlockLimits {
    /// Leaves of a group of threads.
    leaves: usize,
    /// Groups of threads.
    groups: usize,
}

impl BlockLimits {
    fn of(functions: &Functions, variant: &Variant) -> Result<Self> {
        let function = functions.get(variant, "surface_table")?;
        Ok(Self {
            leaves: function.constant("surface_table_leaves")? as usize,
            groups: function.constant("surface_table_groups")? as usize,
        })
    }
}

/// The tables on the host, one after another.
struct HostTables<'l, T> {
    layout: &'l SurfaceLayout<'l, T>,
    limits: BlockLimits,
    nets: Vec<u32>,
    starts: Vec<u32>,
    // samples of a square come first, one after another, then the tables
    places: Vec<u32>,
    weights: Vec<T>,
    batches: Vec<TableBatchRecord>,
    items: Vec<TableItem>,
    tangents: Vec<Tangents>,
    tangent_weights: Vec<f64>,
    // where the weights of each square begin in the array
    first_weights: Vec<u64>,
    // tables that squares become, and their batches
    squares: Vec<(usize, SquareBatch)>,
    // weights of these tables, which stand behind all others
    square_weights: u64,
}

impl<'l, T: Real + DeviceRepr> HostTables<'l, T> {
    /// Numbers of 16 bytes.
    const VECTOR: usize = 16 / size_of::<T>();

    fn new(layout: &'l SurfaceLayout<'l, T>, limits: BlockLimits) -> Self {
        let sizes = layout.squares.iter().map(|square| (square.size * square.size) as u32);
        let nets = layout.tables.iter().map(|table| table.nets.len()).sum();
        Self {
            layout,
            limits,
            nets: Vec::with_capacity(nets),
            starts: Vec::new(),
            places: (0..sizes.max().unwrap_or(0)).collect(),
            weights: Vec::new(),
            batches: Vec::new(),
            items: Vec::new(),
            tangents: Vec::new(),
            tangent_weights: Vec::new(),
            first_weights: first_weights(&layout.squares),
            squares: Vec::new(),
            square_weights: 0,
        }
    }

    fn push(&mut self, table: &TableBatch<T>) {
        let samples = match &table.weights {
            TableWeights::Own { places, .. } => places.len(),
            TableWeights::Square { square, .. } => self.layout.squares[*square].size.pow(2),
        };
        let mut batch = TableBatchRecord {
            net: self.nets.len() as u64,
            weights: self.weights.len() as u64,
            leaf: self.starts.len() as u32,
            places: 0,
            controls: table.controls as u32,
            samples: samples as u32,
            stride: samples.next_multiple_of(Self::VECTOR) as u32,
            leaves: table.starts.len() as u32,
        };
        match &table.weights {
            TableWeights::Own { weights, places } => {
                batch.places = self.places.len() as u32;
                self.places.extend_from_slice(places);
                self.push_weights(&batch, weights);
                self.push_tangents(table, places);
            }
            &TableWeights::Square { square, start, along } => {
                // behind all others, which are not counted yet
                batch.weights = self.square_weights;
                let laid = SquareBatch {
                    from: self.first_weights[square],
                    to: self.square_weights,
                    controls: batch.controls,
                    size: self.layout.squares[square].size as u32,
                    stride: batch.stride,
                    unused: 0,
                    start,
                    along,
                };
                self.squares.push((self.batches.len(), laid));
                self.square_weights += u64::from(batch.controls) * u64::from(batch.stride);
            }
        }
        let control = |c: usize| table.nets.iter().skip(c).step_by(table.controls.max(1));
        self.nets.extend((0..table.controls).flat_map(control));
        self.starts.extend_from_slice(&table.starts);
        self.push_items(&batch);
        self.batches.push(batch);
    }

    /// Weights of a table, each row filled up to the stride.
    fn push_weights(&mut self, batch: &TableBatchRecord, weights: &[T]) {
        let (samples, stride) = (batch.samples as usize, batch.stride as usize);
        for row in weights.chunks_exact(samples.max(1)) {
            self.weights.extend_from_slice(row);
            self.weights.resize(self.weights.len() + stride - samples, T::default());
        }
    }

    /// Samples whose normals come from tangents; before the nets of the table.
    fn push_tangents(&mut self, table: &TableBatch<T>, places: &[u32]) {
        let leaves = table.starts.len();
        for (sample, row) in &table.tangents {
            let place = places[*sample as usize];
            self.tangents.extend((0..leaves).map(|leaf| Tangents {
                net: (self.nets.len() + leaf) as u64,
                weights: self.tangent_weights.len() as u64,
                controls: table.controls as u32,
                result: table.starts[leaf] + place,
                stride: leaves as u32,
                unused: 0,
            }));
            self.tangent_weights.extend_from_slice(row);
        }
    }

    /// The work of the next batch, an item a block.
    fn push_items(&mut self, batch: &TableBatchRecord) {
        let (samples, leaves) = (batch.samples as usize, batch.leaves as usize);
        let most_threads = TABLE_THREADS as usize;
        let threads = samples.div_ceil(Self::VECTOR).next_power_of_two().min(most_threads);
        let groups = (most_threads / threads).min(self.limits.groups);
        let together = groups * self.limits.leaves;
        let number = self.batches.len() as u32;
        for leaf in (0..leaves).step_by(together) {
            let samples = (0..samples).step_by(threads * Self::VECTOR);
            self.items.extend(samples.map(|sample| TableItem {
                batch: number,
                leaf: leaf as u32,
                leaves: (leaves - leaf).min(together) as u32,
                sample: sample as u32,
                threads: threads as u32,
                padding: 0,
            }));
        }
    }

    /// Copies the tables to the device, and lays out there those that squares become.
    fn into_device(mut self, kernels: &Kernels<'_>, stream: &Arc<CudaStream>) -> Result<Tables<T>> {
        let own = self.weights.len() as u64;
        for (number, square) in &mut self.squares {
            self.batches[*number].weights += own;
            square.to += own;
        }
        let mut weights = Buffer::empty(stream, (own + self.square_weights) as usize)?;
        weights.fill(stream, &self.weights)?;
        let squares: Vec<SquareBatch> =
            self.squares.into_iter().map(|(_, square)| square).collect();
        if !squares.is_empty() {
            lay_squares(kernels, stream, &self.layout.squares, &squares, &weights)?;
        }
        Ok(Tables {
            nets: Buffer::of(stream, &self.nets)?,
            starts: Buffer::of(stream, &self.starts)?,
            weights,
            places: Buffer::of(stream, &self.places)?,
            batches: Buffer::of(stream, &self.batches)?,
            items: Buffer::of(stream, &self.items)?,
            tangents: Buffer::of(stream, &self.tangents)?,
            tangent_weights: Buffer::of(stream, &self.tangent_weights)?,
        })
    }
}

/// Where the weights of each square begin in the array.
fn first_weights(squares: &[SquareWeights<'_>]) -> Vec<u64> {
    let lengths = squares.iter().map(|square| square.weights.len() as u64);
    lengths.scan(0, |next, len| Some(std::mem::replace(next, *next + len))).collect()
}

/// Turns squares into tables on the device: one square, up to eight ways for a leaf to lie in it.
fn lay_squares<T: Real + DeviceRepr>(
    kernels: &Kernels<'_>,
    stream: &Arc<CudaStream>,
    squares: &[SquareWeights<'_>],
    batches: &[SquareBatch],
    weights: &Buffer<T>,
) -> Result<()> {
    let parts: Vec<&[f64]> = squares.iter().map(|square| square.weights).collect();
    let given = Buffer::of(stream, &parts.concat())?;
    let on_device = Buffer::of(stream, batches)?;
    let arguments = vec![
        Argument::Address(given.address(0)),
        Argument::Address(on_device.address(0)),
        Argument::Address(weights.address(0)),
    ];
    let blocks = SQUARE_BLOCKS * batches.len() as u32;
    let launch = kernels.blocks("lay_squares", blocks, TABLE_THREADS, arguments)?;
    // SAFETY: both arrays are freed behind the kernel, on its stream.
    unsafe { launch.enqueue(stream) }.map_err(failed("a kernel cannot be launched"))
}
