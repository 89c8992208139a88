//! Positions and derivatives of one sample after the other, of as many leaves as a vector
//! has lanes.

use super::super::axis::Axis;
use super::super::lanes::Lanes;
use crate::basis::bspline::Order;

/// By sum factorisation, w first, so that what is kept between the axes stays small and
/// samples come in their order, u fastest.
///
/// ```text
/// nets: [w 4][v 4][u 4][xyz] → y: [order in w][v 4][u 4][xyz], for a w sample
///                            → z: [orders in w and v][u 4][xyz], for a v sample
///                            → sums: [orders][xyz]
/// ```
pub struct Grid<'a> {
    pub axis: &'a Axis,
    pub nets: *const f64,
    pub y: *mut f64,
    pub z: *mut f64,
}

/// Orders along w and v of the entries of z; the first three serve first derivatives.
const PLANES: [[usize; 2]; 6] = [[0, 0], [0, 1], [1, 0], [0, 2], [1, 1], [2, 0]];
/// Entry of z and order along u of the position and the derivatives by u, v, w, uu, vv, ww,
/// uv, uw, vw.
const SUMS: [[usize; 2]; 10] =
    [[0, 0], [0, 1], [1, 0], [2, 0], [0, 2], [3, 0], [5, 0], [1, 1], [2, 1], [4, 0]];

impl Grid<'_> {
    /// Vectors of y.
    pub const Y: usize = 3 * 48;
    /// Vectors of z.
    pub const Z: usize = 6 * 12;

    /// Calls `f` with every sample and its sums.
    ///
    /// # Safety
    /// The level is there, and the arrays have their lengths.
    #[inline(always)]
    pub unsafe fn for_each<L: Lanes<f64>, const SECOND: bool>(
        &self,
        f: &mut impl FnMut(usize, [[L; 3]; 10]),
    ) {
        let (orders, planes, count) = if SECOND { (3, 6, 10) } else { (2, 3, 4) };
        let n = self.axis.samples();
        // SAFETY: by the caller.
        unsafe {
            let weights = |order: usize, sample: usize| -> [L; 4] {
                let weights = self.axis.weights(Order::ALL[order])[sample];
                [0, 1, 2, 3].map(|i| L::splat(weights[i]))
            };
            for w in 0..n {
                for i in 0..48 {
                    let line = load_four::<L>(self.nets.add(i * L::COUNT), 48);
                    for order in 0..orders {
                        let at = order * 48 + i;
                        combine(line, weights(order, w)).store(self.y.add(at * L::COUNT));
                    }
                }
                for v in 0..n {
                    for (plane, [along_w, along_v]) in PLANES[..planes].iter().enumerate() {
                        let weights = weights(*along_v, v);
                        for i in 0..12 {
                            let from = self.y.add((48 * along_w + i) * L::COUNT);
                            let sum = combine(load_four::<L>(from, 12), weights);
                            sum.store(self.z.add((12 * plane + i) * L::COUNT));
                        }
                    }
                    for u in 0..n {
                        let mut sums = [[L::splat(0.0); 3]; 10];
                        for (sums, &[plane, order]) in sums[..count].iter_mut().zip(&SUMS) {
                            let weights = weights(order, u);
                            for (d, sum) in sums.iter_mut().enumerate() {
                                let from = self.z.add((12 * plane + d) * L::COUNT);
                                *sum = combine(load_four::<L>(from, 3), weights);
                            }
                        }
                        f((w * n + v) * n + u, sums);
                    }
                }
            }
        }
    }
}

/// By tables of basis functions.
pub struct Table<'a> {
    pub controls: usize,
    pub values: &'a [f64],
    pub gradients: &'a [f64],
    pub second: &'a [f64],
    pub nets: *const f64,
}

impl Table<'_> {
    /// Calls `f` with every sample and its sums.
    ///
    /// # Safety
    /// The level is there, and the arrays have their lengths.
    #[inline(always)]
    pub unsafe fn for_each<L: Lanes<f64>, const SECOND: bool>(
        &self,
        samples: usize,
        f: &mut impl FnMut(usize, [[L; 3]; 10]),
    ) {
        let n = self.controls;
        for sample in 0..samples {
            // SAFETY: by the caller.
            unsafe {
                let values = self.values.as_ptr().add(sample * n);
                let gradients = self.gradients.as_ptr().add(3 * sample * n);
                let [u, v, w] = [0, 1, 2].map(|d| gradients.add(d * n));
                let mut sums = [[L::splat(0.0); 3]; 10];
                sums[..4].copy_from_slice(&self.rows::<L, 4>([values, u, v, w]));
                if SECOND {
                    let second = self.second.as_ptr().add(6 * sample * n);
                    let rows = [0, 1, 2, 3, 4, 5].map(|k| second.add(k * n));
                    sums[4..].copy_from_slice(&self.rows::<L, 6>(rows));
                }
                f(sample, sums);
            }
        }
    }

    /// Rows of a table times the nets.
    #[inline(always)]
    unsafe fn rows<L: Lanes<f64>, const N: usize>(&self, rows: [*const f64; N]) -> [[L; 3]; N] {
        // SAFETY: by the caller.
        unsafe {
            let mut sums = [[L::splat(0.0); 3]; N];
            for control in 0..self.controls {
                let net = self.nets.add(3 * control * L::COUNT);
                let point = [0, 1, 2].map(|d| L::load(net.add(d * L::COUNT)));
                for (sums, row) in sums.iter_mut().zip(rows) {
                    let weight = L::splat(*row.add(control));
                    for (sum, x) in sums.iter_mut().zip(point) {
                        *sum = x.mul_add(weight, *sum);
                    }
                }
            }
            sums
        }
    }
}

/// Four vectors, `step` vectors apart.
#[inline(always)]
unsafe fn load_four<L: Lanes<f64>>(from: *const f64, step: usize) -> [L; 4] {
    // SAFETY: by the caller.
    unsafe { [0, 1, 2, 3].map(|i| L::load(from.add(i * step * L::COUNT))) }
}

#[inline(always)]
fn combine<L: Lanes<f64>>(x: [L; 4], weights: [L; 4]) -> L {
    let sum = x[0].mul(weights[0]);
    x[3].mul_add(weights[3], x[2].mul_add(weights[2], x[1].mul_add(weights[1], sum)))
}
