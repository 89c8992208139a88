//! What a backend takes to sum matrices.
//!
//! For a device the host lists which rows of element matrices add to which rows of the sparse
//! matrices, while the device works on the leaves before. Nothing but the sums leaves the device.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::matrix::Pattern;
use super::sums::{AssembledLeaves, assemble_forms};
use crate::backend::operations::{
    AddedRows, AssembledMatrices, MappingBatch, MatrixForm, MatrixSource, SparsePattern,
};
use crate::error::Result;
use crate::mesh::Controls;
use crate::quadrature::{Mapping, Quadrature};
use crate::topology::NONE;

/// Bytes of element matrices at once: more do not make them faster.
const MAX_MATRIX_BYTES: u64 = 1 << 30;
/// Element matrices take at most 1/`PART` of the device's memory.
const PART: u64 = 32;
/// Numbers at a quadrature point beside them.
const POINT: usize = 23;

/// Matrices over a quadrature. They have the same bits on every call.
pub(super) struct AssemblySource<'a, P> {
    pub quadrature: &'a Quadrature<'a>,
    pub controls: Controls<'a>,
    pub forms: &'a [MatrixForm],
    pub pattern: &'a Arc<Pattern>,
    /// Takes the number of quadrature points that have been summed since the last call.
    pub progress: P,
}

impl<P: FnMut(usize)> MatrixSource for AssemblySource<'_, P> {
    fn here(&mut self) -> Result<AssembledMatrices> {
        let start = Instant::now();
        let mapping = Mapping::new(self.quadrature, self.controls)?;
        let forms = self.forms;
        let leaves = AssembledLeaves::all(self.quadrature, self.pattern);
        let matrices = assemble_forms(&mapping, leaves, forms, |_| forms, &mut self.progress)?;
        let values = matrices.into_iter().map(|matrix| matrix.into_values()).collect();
        Ok(AssembledMatrices { values, seconds: start.elapsed().as_secs_f64() })
    }

    fn pattern(&self) -> SparsePattern<'_> {
        self.pattern.arrays()
    }

    fn forms(&self) -> &[MatrixForm] {
        self.forms
    }

    fn positions(&self) -> &[[f64; 3]] {
        self.controls.positions
    }

    fn add_batches(
        &mut self,
        memory: u64,
        add: &mut dyn FnMut(&MappingBatch<'_>, &AddedRows) -> Result<()>,
    ) -> Result<()> {
        let quadrature = self.quadrature;
        let left_handed = quadrature.is_left_handed(self.controls.positions);
        let widest = self.forms.iter().map(|form| form.width().pow(2)).max().unwrap_or(0);
        let most = (memory / PART).min(MAX_MATRIX_BYTES) as usize / size_of::<f64>();
        let mut lists = RowLists::new(quadrature.solid().topology().vertex_count());
        // bases that are made on demand are made side by side
        for pieces in pieces(quadrature, widest, most).chunks(rayon::current_num_threads()) {
            let batch = |(b, leaves): &(usize, Range<usize>)| {
                let all = quadrature.mapping_batch(*b, left_handed);
                let controls = all.basis.controls;
                let own = leaves.start * controls..leaves.end * controls;
                MappingBatch { control_ids: &all.control_ids[own], ..all }
            };
            let batches: Vec<MappingBatch<'_>> = pieces.par_iter().map(batch).collect();
            for ((_, leaves), batch) in pieces.iter().zip(&batches) {
                add(batch, &lists.rows(batch.control_ids))?;
                (self.progress)(leaves.len() * batch.weights.len());
            }
        }
        Ok(())
    }
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
