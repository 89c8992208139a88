//! Matrices on a GPU, batch by batch.
//!
//! The host lists which rows of element matrices add to which rows of the sparse matrices, while
//! the device works on the leaves before. Nothing but the sums leaves the device.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::Operator;
use super::matrix::{Matrix, Pattern};
use crate::backend::device::{AddedRows, Device, MappingBatch, MatrixForm, SparsePattern};
use crate::error::Result;
use crate::mesh::Controls;
use crate::quadrature::Quadrature;
use crate::topology::NONE;

/// Bytes of element matrices at once: more do not make them faster.
const MAX_MATRIX_BYTES: u64 = 1 << 30;
/// Element matrices take at most 1/`PART` of the device's memory.
const PART: u64 = 32;
/// Numbers at a quadrature point beside them.
const POINT: usize = 23;

/// The matrices of some operators, and the seconds that the kernels took. They have the same bits
/// on every call. `memory`: the device's, in bytes.
pub(super) fn assemble(
    (device, memory): (&dyn Device, u64),
    quadrature: &Quadrature<'_>,
    controls: Controls<'_>,
    operators: &[Operator],
    mut progress: impl FnMut(usize),
) -> Result<(Vec<Matrix>, f64)> {
    let left_handed = quadrature.is_left_handed(controls.positions);
    let forms: Vec<MatrixForm> = operators.iter().map(|operator| operator.form()).collect();
    let pattern = Arc::new(Pattern::of(quadrature));
    let SparsePattern { columns, .. } = pattern.arrays();
    let mut sums = device.assembly(pattern.arrays(), &forms, controls.positions)?;
    let widest = forms.iter().map(|form| form.width().pow(2)).max().unwrap_or(0);
    let most = (memory / PART).min(MAX_MATRIX_BYTES) as usize / size_of::<f64>();
    let mut lists = RowLists::new(quadrature.solid().topology().vertex_count());
    // bases that are made on demand are made side by side
    for pieces in pieces(quadrature, widest, most).chunks(rayon::current_num_threads()) {
        let tables: Vec<_> = pieces
            .par_iter()
            .map(|&(b, _)| (quadrature.basis(b), quadrature.element_weights(b, left_handed)))
            .collect();
        for ((b, leaves), (basis, weights)) in pieces.iter().zip(&tables) {
            let all = &quadrature.batches()[*b].control_ids;
            let ids = &all[leaves.start * basis.controls..leaves.end * basis.controls];
            let rows = lists.rows(ids);
            sums.add(&MappingBatch::new(basis, weights, ids), &rows)?;
            progress(leaves.len() * basis.samples);
        }
    }
    let mut matrices = Vec::with_capacity(forms.len());
    for (m, form) in forms.iter().enumerate() {
        let mut values = vec![0.0; columns.len() * form.width().pow(2)];
        sums.read(m, &mut values)?;
        matrices.push(Matrix::new(pattern.clone(), form.width(), values));
    }
    Ok((matrices, sums.seconds()?))
}

/// Batches in parts whose element matrices and quadrature points have `most` numbers, but at least
/// one leaf each.
fn pieces(quadrature: &Quadrature<'_>, widest: usize, most: usize) -> Vec<(usize, Range<usize>)> {
    let mut pieces = Vec::new();
    for (b, batch) in quadrature.batches().iter().enumerate() {
        let numbers = batch.controls.pow(2) * widest + quadrature.samples(b) * POINT;
        let (leaves, step) = (batch.leaves.len(), (most / numbers.max(1)).max(1));
        let starts = (0..leaves).step_by(step);
        pieces.extend(starts.map(|start| (b, start..(start + step).min(leaves))));
    }
    pieces
}

/// Makes [`AddedRows`].
struct RowLists {
    // place of each vertex in a list, or NONE
    places: Vec<u32>,
}

impl RowLists {
    fn new(vertices: usize) -> Self {
        Self { places: vec![NONE; vertices] }
    }

    /// Of control points, `[leaf][control]`.
    fn rows(&mut self, ids: &[u32]) -> AddedRows {
        let (mut rows, mut counts) = (Vec::new(), Vec::new());
        for &id in ids {
            let place = &mut self.places[id as usize];
            if *place == NONE {
                *place = rows.len() as u32;
                rows.push(id);
                counts.push(0_u32);
            }
            counts[*place as usize] += 1;
        }
        let mut starts = vec![0; rows.len() + 1];
        for (r, count) in counts.iter().enumerate() {
            starts[r + 1] = starts[r] + count;
        }
        let (mut ends, mut entries) = (starts.clone(), vec![0; ids.len()]);
        for (entry, &id) in (0..).zip(ids) {
            let end = &mut ends[self.places[id as usize] as usize];
            entries[*end as usize] = entry;
            *end += 1;
        }
        rows.iter().for_each(|&row| self.places[row as usize] = NONE);
        AddedRows { rows, starts, entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_list_their_entries_by_leaves() {
        let mut lists = RowLists::new(9);
        for _ in 0..2 {
            let AddedRows { rows, starts, entries } = lists.rows(&[7, 2, 5, 2, 0, 7]);
            assert_eq!(rows, [7, 2, 5, 0]);
            assert_eq!(starts, [0, 2, 4, 5, 6]);
            assert_eq!(entries, [0, 5, 1, 3, 2, 4]);
        }
        assert_eq!(lists.rows(&[]).starts, [0]);
    }
}
