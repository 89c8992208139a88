//! Tables as the kernel takes them.

use crate::numbers::Real;
use cudarc::driver::DeviceRepr;
use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::super::device::failed;

use super::super::functions::Functions;
use super::super::launch::Argument;
use super::super::memory::Buffer;
use super::super::program::Kernels;
use super::super::sources::{SURFACE_TABLE, Variant};
use super::records::{
    Batch, Item, Square, SquareBatch, SurfaceLayout, TableWeights, Tables, Tangents,
};
use crate::backend::Precision;
use crate::error::Result;

/// Blocks that lay out one square; `SQUARE_BLOCKS` in `kernels/surface/table.cu`.
const SQUARE_BLOCKS: u32 = 32;

/// Threads of a block of `kernels/surface/table.cu`.
pub(super) const TABLE_THREADS: u32 = 128;

pub(crate) fn table_variant(precision: Precision, normals: bool) -> Variant {
    Variant::new(&SURFACE_TABLE, precision).with("NORMALS", usize::from(normals))
}

/// Lays all tables one after another, and cuts the work into blocks.
pub(super) fn lay_tables<T: Real + DeviceRepr>(
    functions: &Functions,
    stream: &Arc<CudaStream>,
    layout: &SurfaceLayout<'_, T>,
) -> Result<Tables<T>> {
    let tables = &layout.tables;
    let variant = table_variant(T::PRECISION, layout.normals);
    let vector = 16 / size_of::<T>();
    let (mut leaves_each, mut most_groups) = (1, 1);
    if !tables.is_empty() {
        let function = functions.get(&variant, "surface_table")?;
        leaves_each = function.constant("surface_table_leaves")? as usize;
        most_groups = function.constant("surface_table_groups")? as usize;
    }
    // samples of a square come first, one after another, then those of any tables
    let sizes = layout.squares.iter().map(|square| (square.size * square.size) as u32);
    let mut places: Vec<u32> = (0..sizes.max().unwrap_or(0)).collect();
    let nets_len = tables.iter().map(|table| table.nets.len()).sum();
    let (mut nets, mut starts) = (Vec::with_capacity(nets_len), Vec::new());
    let (mut weights, mut batches, mut items) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tangents, mut tangent_weights) = (Vec::new(), Vec::new());
    let first_weights = first_weights(&layout.squares);
    let (mut squares, mut laid) = (Vec::new(), 0);
    for (number, table) in tables.iter().enumerate() {
        let leaves = table.starts.len();
        let samples = match &table.weights {
            TableWeights::Own { places, .. } => places.len(),
            TableWeights::Square { square, .. } => layout.squares[*square].size.pow(2),
        };
        let stride = samples.next_multiple_of(vector);
        let mut batch = Batch {
            net: nets.len() as u64,
            weights: weights.len() as u64,
            leaf: starts.len() as u32,
            places: 0,
            controls: table.controls as u32,
            samples: samples as u32,
            stride: stride as u32,
            leaves: leaves as u32,
        };
        match &table.weights {
            TableWeights::Own { weights: own, places: own_places } => {
                batch.places = places.len() as u32;
                places.extend_from_slice(own_places);
                for row in own.chunks_exact(samples.max(1)) {
                    weights.extend_from_slice(row);
                    weights.resize(weights.len() + stride - samples, T::default());
                }
                for (sample, row) in &table.tangents {
                    let place = own_places[*sample as usize];
                    tangents.extend((0..leaves).map(|leaf| Tangents {
                        net: (nets.len() + leaf) as u64,
                        weights: tangent_weights.len() as u64,
                        controls: table.controls as u32,
                        result: table.starts[leaf] + place,
                        stride: leaves as u32,
                        unused: 0,
                    }));
                    tangent_weights.extend_from_slice(row);
                }
            }
            &TableWeights::Square { square, start, along } => {
                // behind all others, which are not counted yet
                batch.weights = laid;
                squares.push((
                    number,
                    SquareBatch {
                        from: first_weights[square],
                        to: laid,
                        controls: table.controls as u32,
                        size: layout.squares[square].size as u32,
                        stride: stride as u32,
                        unused: 0,
                        start,
                        along,
                    },
                ));
                laid += (table.controls * stride) as u64;
            }
        }
        batches.push(batch);
        let control = |c: usize| table.nets.iter().skip(c).step_by(table.controls.max(1));
        nets.extend((0..table.controls).flat_map(control));
        starts.extend_from_slice(&table.starts);

        let threads = samples.div_ceil(vector).next_power_of_two().min(TABLE_THREADS as usize);
        let groups = (TABLE_THREADS as usize / threads).min(most_groups);
        let together = groups * leaves_each;
        for leaf in (0..leaves).step_by(together) {
            items.extend((0..samples).step_by(threads * vector).map(|sample| Item {
                batch: number as u32,
                leaf: leaf as u32,
                leaves: (leaves - leaf).min(together) as u32,
                sample: sample as u32,
                threads: threads as u32,
                padding: 0,
            }));
        }
    }
    let own = weights.len() as u64;
    for (number, square) in &mut squares {
        batches[*number].weights += own;
        square.to += own;
    }
    let mut all_weights = Buffer::empty(stream, weights.len() + laid as usize)?;
    all_weights.fill(stream, &weights)?;
    let squares: Vec<SquareBatch> = squares.into_iter().map(|(_, square)| square).collect();
    if !squares.is_empty() {
        let kernels = Kernels::new(functions, variant);
        lay_squares(&kernels, stream, &layout.squares, &squares, &all_weights)?;
    }
    Ok(Tables {
        nets: Buffer::of(stream, &nets)?,
        starts: Buffer::of(stream, &starts)?,
        weights: all_weights,
        places: Buffer::of(stream, &places)?,
        batches: Buffer::of(stream, &batches)?,
        items: Buffer::of(stream, &items)?,
        tangents: Buffer::of(stream, &tangents)?,
        tangent_weights: Buffer::of(stream, &tangent_weights)?,
    })
}

/// Where the weights of each square begin among those of all.
fn first_weights(squares: &[Square<'_>]) -> Vec<u64> {
    let lengths = squares.iter().map(|square| square.weights.len() as u64);
    lengths.scan(0, |next, len| Some(std::mem::replace(next, *next + len))).collect()
}

/// Turns squares into tables on the device: one square, up to eight ways for a leaf to lie in it.
fn lay_squares<T: Real + DeviceRepr>(
    kernels: &Kernels<'_>,
    stream: &Arc<CudaStream>,
    squares: &[Square<'_>],
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
