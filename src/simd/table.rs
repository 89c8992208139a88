//! Weight tables: many cells of one structure, any samples.
//!
//! `out[cell][sample] = Σ W[control][sample] · C[cell][control]`, cells side by side
//! in register tiles.

use super::buffer::fence;
use super::buffer::{Scratch, Stores, padded};
use super::level::{Simd, SimdKernel};
use super::net::gather;
use super::product::{
    PackedWeights, ProductColumns, ProductFinish, assert_order, deliver, product, tile_columns,
};
use crate::error::Result;
use crate::numbers::{Lanes, Real};

/// Weights of all samples of one structure for one quantity.
#[derive(Clone, Debug)]
pub struct TableKernel<T> {
    packed: PackedWeights<T>,
    position: bool,
}

/// Where the cells of one [`TableKernel::evaluate`] go.
#[derive(Debug)]
pub struct TableOutput<'a, 'o, T> {
    /// Place of the results of each cell, `[sample][m]`.
    pub cells: &'a mut [&'o mut [T]],
    /// Place of each sample of the table in the cell, where the table's own frame is
    /// permuted against the cell's.
    pub order: Option<&'a [u32]>,
    /// Negates the result: a derivative along an axis that the permutation reverses.
    pub negate: bool,
}

impl<T: Real> TableKernel<T> {
    /// A table of `weights: [control][sample]` for `controls` control points.
    ///
    /// `position`: every sample's weights sum to 1 (else to 0, a derivative).
    ///
    /// # Errors
    /// `weights` has no whole rows.
    pub fn new(weights: &[f64], controls: usize, position: bool) -> Result<Self> {
        Ok(Self { packed: PackedWeights::new(weights, controls)?, position })
    }

    /// Number of samples.
    pub fn samples(&self) -> usize {
        self.packed.samples
    }

    /// Number of control points of a cell.
    pub fn controls(&self) -> usize {
        self.packed.controls
    }

    /// Evaluates the cells whose control points are `nets: [cell][control]`, out of
    /// `controls: [vertex][m]`.
    ///
    /// # Panics
    /// Lengths differ from those said, a vertex id is outside `controls`, or
    /// `negate` is asked of positions.
    pub fn evaluate(
        &self,
        simd: Simd,
        scratch: &mut Scratch<T>,
        controls: &[f64],
        m: usize,
        nets: &[u32],
        output: TableOutput<'_, '_, T>,
    ) {
        assert_eq!(nets.len(), output.cells.len() * self.controls(), "one net a cell");
        let len = self.samples() * m;
        assert!(output.cells.iter().all(|out| out.len() == len), "room for every sample");
        assert!(!(output.negate && self.position), "positions have no sign");
        assert_order(output.order, self.samples());
        simd.run(Run { table: self, scratch, controls, m, nets, output });
    }
}

struct Run<'a, 'b, 'o, T> {
    table: &'a TableKernel<T>,
    scratch: &'a mut Scratch<T>,
    controls: &'a [f64],
    m: usize,
    nets: &'a [u32],
    output: TableOutput<'b, 'o, T>,
}

impl<T: Real> SimdKernel<T> for Run<'_, '_, '_, T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self) {
        let Self { table, scratch, controls, m, nets, output } = self;
        let packed = &table.packed;
        let (count, len) = (packed.controls, packed.samples * m);
        let tile = tile_columns::<T, L>();
        // Cells whose columns fill one register tile; one cell if it alone fills more.
        let batch = (tile / m).max(1);
        let stride = (batch * m).next_multiple_of(tile);
        let place = padded(len);
        scratch.out.reserve(if output.order.is_some() { batch * place } else { 0 });
        let streamed = scratch.stores == Stores::Streamed;
        let cells = nets.chunks(batch * count).zip(output.cells.chunks_mut(batch));
        let mut targets = Vec::with_capacity(batch);
        for (nets, cells) in cells {
            let local = scratch.local.numbers(count * m);
            let panel = scratch.stages[0].numbers(count * stride);
            let origin = scratch.origin.numbers(stride + m);
            for (cell, net) in nets.chunks_exact(count).enumerate() {
                gather(controls, net, m, 0, local, &mut origin[cell * m..]);
                side_by_side(local, m, cell, stride, panel);
            }
            targets.clear();
            for (cell, out) in cells.iter_mut().enumerate() {
                targets.push(match output.order {
                    None => out.as_mut_ptr(),
                    Some(_) => scratch.out.as_mut_ptr().wrapping_add(cell * place),
                });
            }
            let columns = ProductColumns {
                panel: panel.as_ptr(),
                stride,
                m,
                finish: match (table.position, output.negate) {
                    (true, _) => ProductFinish::Origin(origin.as_ptr()),
                    (false, true) => ProductFinish::Negate,
                    (false, false) => ProductFinish::Nothing,
                },
                targets: &targets,
                stream: streamed && output.order.is_none(),
            };
            // SAFETY: panel and origin have whole tiles of columns, each target its place.
            unsafe { product::<T, L>(packed, columns) };
            if let Some(order) = output.order {
                let results = scratch.out.numbers(batch * place);
                for (from, to) in results.chunks_exact(place).zip(cells) {
                    let stage = streamed.then_some(&mut scratch.stages[1]);
                    // SAFETY: the level is there.
                    unsafe { deliver::<T, L>(&from[..len], order, m, to, stage) };
                }
            }
        }
        if streamed {
            fence();
        }
    }
}

/// Puts the control points of a cell, `[control][m]`, into its columns of the panel.
#[inline(always)]
fn side_by_side<T: Real>(local: &[T], m: usize, cell: usize, stride: usize, panel: &mut [T]) {
    let rows = panel.chunks_exact_mut(stride);
    if m == 3 {
        // The same with a length the compiler knows.
        for (row, point) in rows.zip(local.as_chunks::<3>().0) {
            row[3 * cell..][..3].copy_from_slice(point);
        }
        return;
    }
    for (row, point) in rows.zip(local.chunks_exact(m)) {
        row[cell * m..][..m].copy_from_slice(point);
    }
}
