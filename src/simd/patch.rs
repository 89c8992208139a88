//! Grids of points on regular quads by sum factorization: u first, then v.
//!
//! ```text
//! control points [v 4][u 4][3] → x: [v 4][row] → out: [v sample][row], row = (u sample, component)
//! ```
//!
//! The two steps of [`Tensor`](super::Tensor) that a surface has, on the same loops.

use super::axis::expand;
use super::buffer::fence;
use super::buffer::{AlignedBuffer, Scratch, Stores};
use super::level::{Simd, SimdKernel};
use super::net::{Nets, contract_rows, fill_ends, gather, repeat_origin};
use super::slab::{RepeatedOrigin, Slab};
use crate::numbers::{Lanes, MAX_LANES, Real};

/// Components of a point.
const M: usize = 3;

/// The control point at (1, 1), the one of the sixteen that exists at every boundary.
const PIVOT: usize = 5;

/// A grid of samples on regular quads, the same along u and v: reusable for all quads and
/// control points.
#[derive(Clone, Debug)]
pub struct PatchKernel<T> {
    samples: usize,
    // u: [order][control][row]
    u: AlignedBuffer<T>,
    // padded length of a row of u
    row: usize,
    // v: [order][sample][control]
    v: Vec<Vec<[T; 4]>>,
}

/// One quantity of all quads, written by [`PatchKernel::evaluate`].
#[derive(Debug)]
pub struct PatchOutput<'a, 'o, T> {
    /// Order of the derivatives by u and v of the weights; 0 on both is the position.
    pub orders: [usize; 2],
    /// For each quad its slot, `[v sample][u sample][3]`.
    pub quads: &'a mut [&'o mut [T]],
}

impl<T: Real> PatchKernel<T> {
    /// A grid by its weights along an axis, `[order][sample][control]`: weights of order 0 sum
    /// to 1 at each sample, of higher orders, which are for derivatives, to 0.
    ///
    /// # Panics
    /// There are no samples, or orders have different numbers of them.
    pub fn new(weights: &[Vec<[f64; 4]>]) -> Self {
        let samples = weights.first().map_or(0, Vec::len);
        assert!(samples > 0 && weights.iter().all(|order| order.len() == samples), "samples");
        let (u, row) = expand(weights, M);
        let narrow = |order: &Vec<[f64; 4]>| order.iter().map(|b| b.map(T::from_f64)).collect();
        Self { samples, u, row, v: weights.iter().map(narrow).collect() }
    }

    /// Numbers of one quad's output.
    pub fn quad_len(&self) -> usize {
        self.samples * self.samples * M
    }

    /// Evaluates all `outputs` of regular quads over `controls: [vertex][3]`.
    ///
    /// `nets`: control points `[v 4][u 4]`.
    ///
    /// # Panics
    /// Lengths differ from those said, an order has no weights, or a vertex id is outside
    /// `controls`.
    pub fn evaluate(
        &self,
        simd: Simd,
        scratch: &mut Scratch<T>,
        controls: &[f64],
        nets: Nets<'_, [u32; 16]>,
        outputs: &mut [PatchOutput<'_, '_, T>],
    ) {
        assert_eq!(nets.ids.len(), nets.ends.len(), "one set of ends a quad");
        for output in outputs.iter() {
            assert_eq!(output.quads.len(), nets.ids.len(), "one place a quad");
            assert!(output.orders.iter().all(|&order| order < self.v.len()), "weights");
            let len = self.quad_len();
            assert!(output.quads.iter().all(|out| out.len() == len), "room for every sample");
        }
        simd.run(Run { patch: self, scratch, controls, nets, outputs });
    }
}

struct Run<'a, 'b, 'o, T> {
    patch: &'a PatchKernel<T>,
    scratch: &'a mut Scratch<T>,
    controls: &'a [f64],
    nets: Nets<'a, [u32; 16]>,
    outputs: &'a mut [PatchOutput<'b, 'o, T>],
}

impl<T: Real> SimdKernel<T> for Run<'_, '_, '_, T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self) {
        let Self { patch, scratch, controls, nets: Nets { ids: nets, ends }, outputs } = self;
        let (row, used) = (patch.row, patch.samples * M);
        let slab = Slab { len: used, stride: row };
        scratch.stages[0].reserve(4 * row);
        scratch.out.reserve(4 * used);
        scratch.origin.reserve(3 * MAX_LANES);
        let x = scratch.stages[0].as_mut_ptr();
        let streamed = scratch.stores == Stores::Streamed;
        for (quad, (net, &ends)) in nets.iter().zip(ends).enumerate() {
            // number 16 is the origin
            let (local, origin) = scratch.local.numbers(17 * M).split_at_mut(16 * M);
            gather(controls, net, M, PIVOT, local, origin);
            fill_ends(local, M, ends.axis(0));
            fill_ends(local, 4 * M, ends.axis(1));
            let local = scratch.local.as_ptr();
            // SAFETY: the level is there, and every buffer was given its room above.
            unsafe {
                repeat_origin::<T, L>(local.add(16 * M), M, scratch.origin.as_mut_ptr());
                for u in 0..patch.v.len() {
                    if !outputs.iter().any(|output| output.orders[0] == u) {
                        continue;
                    }
                    let weights = patch.u.as_ptr().add(u * 4 * row);
                    contract_rows::<T, L>(M, local, x, 4, weights, row, used, x);
                    for output in outputs.iter_mut().filter(|output| output.orders[0] == u) {
                        let table = &patch.v[output.orders[1]];
                        let out = output.quads[quad].as_mut_ptr();
                        let stage = streamed.then_some(scratch.out.as_mut_ptr());
                        let origin = RepeatedOrigin { numbers: scratch.origin.as_ptr(), m: M };
                        let origin = (output.orders == [0, 0]).then_some(origin);
                        slab.combine::<T, L>(x, table, origin, out, stage);
                    }
                }
            }
        }
        if streamed {
            fence();
        }
    }
}
