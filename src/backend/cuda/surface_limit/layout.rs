//! Tables as the kernel takes them.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::super::edge_friend::Real;
use super::super::functions::Functions;
use super::super::memory::Buffer;
use super::{Batch, Item, TABLE_THREADS, TableBatch, Tables, Tangents, table_variant};
use crate::error::Result;

/// Lays all tables one after another, and cuts the work into blocks.
pub(super) fn lay_tables<T: Real>(
    functions: &Functions,
    stream: &Arc<CudaStream>,
    tables: &[TableBatch<T>],
    normals: bool,
) -> Result<Tables<T>> {
    let vector = 16 / size_of::<T>();
    let (mut leaves_each, mut most_groups) = (1, 1);
    if !tables.is_empty() {
        let function = functions.get(&table_variant(T::PRECISION, normals), "surface_table")?;
        leaves_each = function.constant("surface_table_leaves")? as usize;
        most_groups = function.constant("surface_table_groups")? as usize;
    }
    let (mut nets, mut starts, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let (mut weights, mut batches, mut items) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tangents, mut tangent_weights) = (Vec::new(), Vec::new());
    for (number, table) in tables.iter().enumerate() {
        let (samples, leaves) = (table.places.len(), table.starts.len());
        let stride = samples.next_multiple_of(vector);
        batches.push(Batch {
            net: nets.len() as u64,
            weights: weights.len() as u64,
            leaf: starts.len() as u32,
            places: places.len() as u32,
            controls: table.controls as u32,
            samples: samples as u32,
            stride: stride as u32,
            dense: u32::from(table.places.iter().enumerate().all(|(i, &p)| i == p as usize)),
        });
        for (sample, row) in &table.tangents {
            let place = table.places[*sample as usize];
            tangents.extend((0..leaves).map(|leaf| Tangents {
                net: (nets.len() + leaf * table.controls) as u64,
                weights: tangent_weights.len() as u64,
                controls: table.controls as u32,
                result: table.starts[leaf] + place,
            }));
            tangent_weights.extend_from_slice(row);
        }
        for row in table.weights.chunks_exact(samples.max(1)) {
            weights.extend_from_slice(row);
            weights.resize(weights.len() + stride - samples, T::default());
        }
        nets.extend_from_slice(&table.nets);
        starts.extend_from_slice(&table.starts);
        places.extend_from_slice(&table.places);

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
    Ok(Tables {
        nets: Buffer::of(stream, &nets)?,
        starts: Buffer::of(stream, &starts)?,
        weights: Buffer::of(stream, &weights)?,
        places: Buffer::of(stream, &places)?,
        batches: Buffer::of(stream, &batches)?,
        items: Buffer::of(stream, &items)?,
        tangents: Buffer::of(stream, &tangents)?,
        tangent_weights: Buffer::of(stream, &tangent_weights)?,
    })
}
