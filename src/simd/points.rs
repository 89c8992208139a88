//! Scattered points in one regular cell; lanes run over points.

use super::buffer::Scratch;
use super::level::{Simd, SimdKernel};
use super::net::{NET, gather_regular};
use crate::basis::MissingLayers;
use crate::numbers::{Lanes, MAX_LANES, Real};

/// Evaluation of scattered points of regular cells.
#[derive(Clone, Copy, Debug)]
pub struct PointKernel {
    /// Components of a control point, ≥ 1.
    pub m: usize,
    /// Highest derivatives wanted: 0, 1 or 2.
    pub derivatives: usize,
}

impl PointKernel {
    /// Quantities a point: 1, 4 or 10, in the order position, u, v, w, uu, vv, ww,
    /// uv, uw, vw.
    pub fn quantities(&self) -> usize {
        [1, 4, 10][self.derivatives.min(2)]
    }

    /// Evaluates one cell at `parameters`, (u, v, w) in [0, 1]³ each.
    ///
    /// `net: [w 4][v 4][u 4]`; `ends` as in [`Tensor::evaluate`](super::Tensor::evaluate).
    /// `out: [point][quantity][m]`.
    ///
    /// # Panics
    /// `out` has another length, or a vertex id is outside `controls`.
    #[expect(clippy::too_many_arguments, reason = "the cell, its points and their places")]
    pub fn evaluate<T: Real>(
        &self,
        simd: Simd,
        scratch: &mut Scratch<T>,
        controls: &[f64],
        net: &[u32; 64],
        ends: MissingLayers,
        parameters: &[[f64; 3]],
        out: &mut [T],
    ) {
        assert_eq!(out.len(), parameters.len() * self.quantities() * self.m, "room for all points");
        simd.run(Run { points: *self, scratch, controls, net, ends, parameters, out });
    }
}

struct Run<'a, T> {
    points: PointKernel,
    scratch: &'a mut Scratch<T>,
    controls: &'a [f64],
    net: &'a [u32; 64],
    ends: MissingLayers,
    parameters: &'a [[f64; 3]],
    out: &'a mut [T],
}

impl<T: Real> SimdKernel<T> for Run<'_, T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self) {
        let m = self.points.m;
        let local = self.scratch.local.numbers(NET * m);
        let origin = self.scratch.origin.numbers(m);
        gather_regular(self.controls, self.net, m, self.ends, local, origin);
        // SAFETY: the level is there.
        unsafe {
            match self.points.derivatives {
                0 => all_points::<T, L, 1, 1>(m, local, origin, self.parameters, self.out),
                1 => all_points::<T, L, 2, 4>(m, local, origin, self.parameters, self.out),
                _ => all_points::<T, L, 3, 10>(m, local, origin, self.parameters, self.out),
            }
        }
    }
}

/// Derivative orders on u, v, w of each quantity.
const ORDERS: [[usize; 3]; 10] = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
];

/// `O` orders per axis, `Q` quantities.
#[inline(always)]
unsafe fn all_points<T: Real, L: Lanes<T>, const O: usize, const Q: usize>(
    m: usize,
    local: &[T],
    origin: &[T],
    parameters: &[[f64; 3]],
    out: &mut [T],
) {
    let batches = parameters.chunks(L::COUNT).zip(out.chunks_mut(L::COUNT * Q * m));
    for (parameters, out) in batches {
        let mut uvw = [[T::default(); MAX_LANES]; 3];
        for (lane, parameter) in parameters.iter().enumerate() {
            for axis in 0..3 {
                uvw[axis][lane] = T::from_f64(parameter[axis]);
            }
        }
        // SAFETY: the level is there; `uvw` has at least COUNT numbers per axis.
        unsafe {
            let basis = [
                basis::<T, L, O>(L::load(uvw[0].as_ptr())),
                basis::<T, L, O>(L::load(uvw[1].as_ptr())),
                basis::<T, L, O>(L::load(uvw[2].as_ptr())),
            ];
            for c in 0..m {
                let mut sums = component::<T, L, O, Q>(local.as_ptr().add(c), m, &basis);
                sums[0] = sums[0].add(L::splat(origin[c]));
                for (quantity, sum) in sums.into_iter().enumerate() {
                    let mut numbers = [T::default(); MAX_LANES];
                    sum.store(numbers.as_mut_ptr());
                    let points = out.chunks_exact_mut(Q * m);
                    for (point, number) in points.zip(numbers) {
                        point[quantity * m + c] = number;
                    }
                }
            }
        }
    }
}

/// One component of all quantities.
#[inline(always)]
unsafe fn component<T: Real, L: Lanes<T>, const O: usize, const Q: usize>(
    local: *const T,
    m: usize,
    [u, v, w]: &[[[L; 4]; O]; 3],
) -> [L; Q] {
    // SAFETY: the level is there; `local` holds 64 control points.
    unsafe {
        let zero = L::splat(T::default());
        let mut sums = [zero; Q];
        for layer in 0..4 {
            // rows: [order in u][order in v], summed over u and v
            let mut plane = [[zero; O]; O];
            for line in 0..4 {
                let row = local.add((layer * 4 + line) * 4 * m);
                let points = [
                    L::splat(*row),
                    L::splat(*row.add(m)),
                    L::splat(*row.add(2 * m)),
                    L::splat(*row.add(3 * m)),
                ];
                for order_u in 0..O {
                    let u = &u[order_u];
                    // Two short chains of sums rather than a long one.
                    let low = points[1].mul_add(u[1], points[0].mul(u[0]));
                    let row = points[3].mul_add(u[3], points[2].mul_add(u[2], low));
                    for order_v in 0..O - order_u {
                        plane[order_u][order_v] =
                            row.mul_add(v[order_v][line], plane[order_u][order_v]);
                    }
                }
            }
            for (sum, [order_u, order_v, order_w]) in sums.iter_mut().zip(ORDERS) {
                *sum = plane[order_u][order_v].mul_add(w[order_w][layer], *sum);
            }
        }
        sums
    }
}

/// The cubic basis and its derivatives up to order `O` - 1, as in `basis::bspline`.
#[inline(always)]
unsafe fn basis<T: Real, L: Lanes<T>, const O: usize>(u: L) -> [[L; 4]; O] {
    // SAFETY: u shows that the level is there.
    unsafe {
        let number = |x: f64| T::from_f64(x);
        let sixth = L::splat(number(1.0 / 6.0));
        let half = L::splat(number(0.5));
        let (two, three) = (L::splat(number(2.0)), L::splat(number(3.0)));
        let (minus_one, minus_two) = (L::splat(number(-1.0)), L::splat(number(-2.0)));
        let two_thirds = L::splat(number(2.0 / 3.0));
        let three_halves = L::splat(number(1.5));
        let s = L::splat(number(1.0)).sub(u);
        let (uu, ss) = (u.mul(u), s.mul(s));
        let mut out = [[u; 4]; O];
        out[0] = [
            ss.mul(s).mul(sixth),
            uu.mul_add(half.mul(u).add(minus_one), two_thirds),
            ss.mul_add(half.mul(s).add(minus_one), two_thirds),
            uu.mul(u).mul(sixth),
        ];
        if O > 1 {
            let near = u.mul(three_halves.mul_add(u, minus_two));
            let far = s.mul(three_halves.mul_add(s, minus_two)).mul(minus_one);
            out[1] = [ss.mul(half).mul(minus_one), near, far, uu.mul(half)];
        }
        if O > 2 {
            out[2] = [s, three.mul(u).sub(two), three.mul(s).sub(two), u];
        }
        out
    }
}
