//! Weights and places of samples, each laid once however many batches share it.

use std::collections::HashMap;

use super::arrays::{BatchRecord, PlanLayout};
use crate::backend::cuda::solid::fragments::fragments;
use crate::numbers::Real;
use crate::plan::{BatchKind, Kernel, Plan};
use cudarc::driver::DeviceRepr;

/// What has been laid, and where it begins.
#[derive(Default)]
pub(super) struct TableLayout {
    plain: TablePlaces,
    /// For tensor cores.
    matrices: TablePlaces,
    places: HashMap<(u32, bool), u64>,
}

/// Tables by id and the order of their samples.
#[derive(Default)]
struct TablePlaces(HashMap<(u32, Option<u32>), u64>);

impl<T: Real + DeviceRepr> PlanLayout<T> {
    /// Lays the tables of a batch of the plan, and where its samples go.
    pub(super) fn lay_tables(
        &mut self,
        plan: &Plan<'_>,
        index: usize,
        record: &mut BatchRecord,
        tables: &mut TableLayout,
    ) {
        let (batch, kernel) = (&plan.batches()[index], self.kernels[index]);
        let indices = &plan.patterns().orders[batch.order as usize].indices;
        let is_table = matches!(batch.kind, BatchKind::Irregular(_));
        // whole elements get their tables in the order of the results, layered ones those
        // of one layer
        let sorted = is_table && indices.len() == plan.samples_per_element();
        let order = (sorted || kernel == Kernel::Layered).then_some(batch.order);
        for (output, &id) in batch.tables.iter().enumerate() {
            let table = &plan.tables()[id as usize];
            if kernel.is_matrix_table() {
                let own = || fragments::<T>(&table.weights, table.samples, &by_result(indices));
                let order = Some(batch.order);
                record.tables[output] = tables.matrices.lay(&mut self.fragments, id, order, own);
                continue;
            }
            record.tables[output] = tables.plain.lay(&mut self.tables, id, order, || {
                let samples = match order {
                    None => (0..table.samples).collect(),
                    Some(_) => by_result(&indices[..table.samples]),
                };
                let weights =
                    |row: &[f64]| samples.iter().map(|&s| T::from_f64(row[s])).collect::<Vec<_>>();
                table.weights.chunks_exact(table.samples).flat_map(weights).collect()
            });
        }
        if is_table {
            record.places = tables.places(&mut self.places, batch.order, sorted, indices);
        }
    }
}

impl TablePlaces {
    /// Where a table begins, in the order given; laid now if it is new, so that four numbers
    /// can be read at once.
    fn lay<T: Copy + Default>(
        &mut self,
        all: &mut Vec<T>,
        id: u32,
        order: Option<u32>,
        weights: impl FnOnce() -> Vec<T>,
    ) -> u64 {
        *self.0.entry((id, order)).or_insert_with(|| {
            all.resize(all.len().next_multiple_of(4), T::default());
            let start = all.len() as u64;
            all.extend(weights());
            start
        })
    }
}

impl TableLayout {
    /// Where the places of an order begin, as [`PlanLayout::places`] has them.
    fn places(
        &mut self,
        all: &mut Vec<[u32; 2]>,
        order: u32,
        sorted: bool,
        indices: &[u32],
    ) -> u64 {
        *self.places.entry((order, sorted)).or_insert_with(|| {
            let start = all.len() as u64;
            if sorted {
                all.extend((0..indices.len() as u32).map(|i| [i, i]));
            } else {
                let mut places: Vec<[u32; 2]> =
                    indices.iter().enumerate().map(|(i, &result)| [i as u32, result]).collect();
                places.sort_unstable_by_key(|place| place[1]);
                all.extend(places);
            }
            start
        })
    }
}

/// Local samples in the order of their results.
fn by_result(indices: &[u32]) -> Vec<usize> {
    let mut samples: Vec<usize> = (0..indices.len()).collect();
    samples.sort_unstable_by_key(|&sample| indices[sample]);
    samples
}
