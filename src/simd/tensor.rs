//! Grids of samples on regular cells by sum factorization.
//!
//! The axes are contracted one after another, u first: with rows of all samples
//! and components of u, `row = (u sample, component)`, every step is a sum of four
//! rows, in the order in which they lie in memory, and the last one writes whole
//! runs of the output. No shuffles are needed after the control points.
//!
//! ```text
//! control points [w 4][v 4][u 4][m] → x: [w 4][v 4][row]
//!                                   → y: [w 4][v sample][row]
//!                                   → out: [w sample][v sample][row]
//! ```
//!
//! Derivatives share what they can: x depends on the order in u alone, y on those
//! in u and v.

use super::axis::AxisWeights;
use super::buffer::fence;
use super::buffer::{AlignedBuffer, Scratch, Stores, padded};
use super::level::{Simd, SimdKernel};
use super::net::{
    NET, Nets, contract_rows, gather_regular, repeat_all, repeat_origin, repeated_len,
    repeated_stride,
};
use super::slab::{RepeatedOrigin, Slab, combine, load_four};
use crate::basis::bspline::Order;
use crate::numbers::{Lanes, Real};

/// A grid of samples on regular cells: reusable for all cells and control points.
#[derive(Clone, Debug)]
pub struct Tensor<T> {
    m: usize,
    /// Samples on u, v, w.
    samples: [usize; 3],
    /// u: `[order][control][row]`
    u: AlignedBuffer<T>,
    /// Padded length of a row of u.
    row: usize,
    /// v: `[order][sample][control]`
    v: [Vec<[T; 4]>; 3],
    /// w: `[order][sample][control]`
    w: [Vec<[T; 4]>; 3],
}

/// One quantity of all cells, written by [`Tensor::evaluate`].
#[derive(Debug)]
pub struct TensorOutput<'a, 'o, T> {
    /// Derivative order on u, v, w; all [`Order::Value`] is the position.
    pub orders: [Order; 3],
    /// For each cell its slot, `[w sample][v sample][u sample][m]`.
    pub cells: &'a mut [&'o mut [T]],
}

impl<T: Real> Tensor<T> {
    /// The grid of samples on axes u, v, w, of control points with `m` ≥ 1 components.
    pub fn new(axes: [&AxisWeights; 3], m: usize) -> Self {
        let (u, row) = axes[0].expand(m);
        let samples = axes.map(AxisWeights::samples);
        Self { m, samples, u, row, v: axes[1].narrow(), w: axes[2].narrow() }
    }

    /// Numbers of one cell's output.
    pub fn cell_len(&self) -> usize {
        self.samples.iter().product::<usize>() * self.m
    }

    /// Evaluates all `outputs` of regular cells.
    ///
    /// `nets`: control points `[w 4][v 4][u 4]`.
    ///
    /// # Panics
    /// Lengths differ from those said, or a vertex id is outside `controls`.
    pub fn evaluate(
        &self,
        simd: Simd,
        scratch: &mut Scratch<T>,
        controls: &[f64],
        nets: Nets<'_, [u32; 64]>,
        outputs: &mut [TensorOutput<'_, '_, T>],
    ) {
        assert_eq!(nets.ids.len(), nets.ends.len(), "one set of ends a cell");
        for output in outputs.iter() {
            assert_eq!(output.cells.len(), nets.ids.len(), "one place a cell");
            let len = self.cell_len();
            assert!(output.cells.iter().all(|out| out.len() == len), "room for every sample");
        }
        simd.run(Run { tensor: self, scratch, controls, nets, outputs });
    }
}

struct Run<'a, 'b, 'o, T> {
    tensor: &'a Tensor<T>,
    scratch: &'a mut Scratch<T>,
    controls: &'a [f64],
    nets: Nets<'a, [u32; 64]>,
    outputs: &'a mut [TensorOutput<'b, 'o, T>],
}

impl<T: Real> SimdKernel<T> for Run<'_, '_, '_, T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self) {
        let Self { tensor, scratch, controls, nets: Nets { ids: nets, ends }, outputs } = self;
        let (m, [n_u, n_v, _]) = (tensor.m, tensor.samples);
        let slab = Slab { len: n_v * n_u * m, stride: padded(n_v * n_u * m) };
        let rows = RowLengths { row: tensor.row, used: n_u * m, stride: slab.stride };
        scratch.stages[0].reserve(16 * rows.row);
        scratch.stages[1].reserve(4 * slab.stride);
        scratch.stages[2].reserve(if m == 3 { 0 } else { repeated_len(NET + 1, m) });
        scratch.out.reserve(4 * slab.len);
        scratch.origin.reserve(rows.row.max(64));
        scratch.local.reserve((NET + 1) * m);
        let [x, y, repeated] = scratch.stages.each_mut().map(AlignedBuffer::as_mut_ptr);
        let streamed = scratch.stores == Stores::Streamed;

        for (cell, (net, &ends)) in nets.iter().zip(ends).enumerate() {
            // the origin follows the net
            let (local, origin) = scratch.local.numbers((NET + 1) * m).split_at_mut(NET * m);
            gather_regular(controls, net, m, ends, local, origin);
            let local = scratch.local.as_ptr();
            // SAFETY: the level is there, and every buffer was given its room above.
            unsafe {
                let origin = if m == 3 {
                    repeat_origin::<T, L>(local.add(NET * 3), 3, scratch.origin.as_mut_ptr());
                    scratch.origin.as_ptr()
                } else {
                    repeat_all::<T, L>(local, NET + 1, m, repeated);
                    repeated.add(NET * repeated_stride(m)).cast_const()
                };
                for u in Order::ALL {
                    if !outputs.iter().any(|output| output.orders[0] == u) {
                        continue;
                    }
                    let weights = tensor.u.as_ptr().add(u as usize * 4 * rows.row);
                    contract_rows::<T, L>(m, local, repeated, 16, weights, rows.row, rows.used, x);
                    for v in Order::ALL {
                        if !outputs.iter().any(|output| output.orders[..2] == [u, v]) {
                            continue;
                        }
                        rows.contract_v::<T, L>(x, &tensor.v[v as usize], y);
                        for output in outputs.iter_mut() {
                            let [u_order, v_order, w] = output.orders;
                            if (u_order, v_order) != (u, v) {
                                continue;
                            }
                            let table = &tensor.w[w as usize];
                            let out = output.cells[cell].as_mut_ptr();
                            let stage = streamed.then_some(scratch.out.as_mut_ptr());
                            let is_position = output.orders == [Order::Value; 3];
                            let origin =
                                is_position.then_some(RepeatedOrigin { numbers: origin, m });
                            slab.combine::<T, L>(y, table, origin, out, stage);
                        }
                    }
                }
            }
        }
        if streamed {
            fence();
        }
    }
}

/// Lengths of the intermediate arrays, in numbers.
#[derive(Clone, Copy)]
struct RowLengths {
    /// Padded row of x.
    row: usize,
    /// Numbers of a row that count.
    used: usize,
    /// Padded layer of y.
    stride: usize,
}

impl RowLengths {
    /// y: `[w 4][v sample][row]` from x: `[w 4][v 4][row]`.
    #[inline(always)]
    unsafe fn contract_v<T: Real, L: Lanes<T>>(self, x: *const T, table: &[[T; 4]], y: *mut T) {
        // SAFETY: x and y have their lengths; partial vectors end with their row.
        unsafe {
            for w in 0..4 {
                let (from, to) = (x.add(w * 4 * self.row), y.add(w * self.stride));
                let mut at = 0;
                while at < self.used {
                    let x = load_four::<T, L>(from.add(at), self.row);
                    let left = self.used - at;
                    for (sample, weights) in table.iter().enumerate() {
                        let sum = combine(x, weights);
                        let to = to.add(sample * self.used + at);
                        if left >= L::COUNT {
                            sum.store(to);
                        } else {
                            sum.store_first(to, left);
                        }
                    }
                    at += L::COUNT;
                }
            }
        }
    }
}
