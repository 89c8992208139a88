//! Positions and derivatives of one sample after the other, of as many leaves as a vector
//! has lanes.

use super::super::axis::AxisWeights;
use super::super::slab::{combine, load_four};
use super::stage::Finish;
use crate::basis::bspline::Order;
use crate::numbers::Lanes;

/// By sum factorization, w first, so that intermediate sums stay small and
/// samples come in their order, u fastest.
///
/// ```text
/// nets: [w 4][v 4][u 4][xyz] → y: [order in w][v 4][u 4][xyz], for a w sample
///                            → z: [orders in w and v][u 4][xyz], for a v sample
///                            → sums: [orders][xyz]
/// ```
pub struct GridSums<'a> {
    pub axis: &'a AxisWeights,
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

impl GridSums<'_> {
    /// Vectors of y.
    pub const Y: usize = 3 * 48;
    /// Vectors of z.
    pub const Z: usize = 6 * 12;

    /// Sums of every sample, with second derivatives if N is 10, without if it is 4.
    ///
    /// # Safety
    /// The SIMD level is there, and the arrays have their lengths.
    #[inline(always)]
    pub unsafe fn for_each<L: Lanes<f64>, const N: usize>(&self, finish: &mut Finish<'_, '_, L>) {
        let (orders, planes) = if N == 10 { (3, 6) } else { (2, 3) };
        let tables = [Order::Value, Order::First, Order::Second].map(|o| self.axis.weights(o));
        let n = self.axis.samples();
        // SAFETY: by the caller.
        unsafe {
            for w in 0..n {
                for i in 0..48 {
                    let line = load_four::<f64, L>(self.nets.add(i * L::COUNT), 48 * L::COUNT);
                    for order in 0..orders {
                        let sum = combine(line, &tables[order][w]);
                        sum.store(self.y.add((order * 48 + i) * L::COUNT));
                    }
                }
                for v in 0..n {
                    for plane in 0..planes {
                        let [along_w, along_v] = PLANES[plane];
                        for i in 0..12 {
                            let from = self.y.add((48 * along_w + i) * L::COUNT);
                            let sum = combine(
                                load_four::<f64, L>(from, 12 * L::COUNT),
                                &tables[along_v][v],
                            );
                            sum.store(self.z.add((12 * plane + i) * L::COUNT));
                        }
                    }
                    for u in 0..n {
                        let mut sums = [[L::splat(0.0); 3]; N];
                        for row in 0..N {
                            let [plane, order] = SUMS[row];
                            for d in 0..3 {
                                let from = self.z.add((12 * plane + d) * L::COUNT);
                                sums[row][d] = combine(
                                    load_four::<f64, L>(from, 3 * L::COUNT),
                                    &tables[order][u],
                                );
                            }
                        }
                        finish.sample((w * n + v) * n + u, sums);
                    }
                }
            }
        }
    }
}

/// By tables of basis functions.
pub struct TableSums<'a> {
    pub controls: usize,
    pub values: &'a [f64],
    pub gradients: &'a [f64],
    pub second: &'a [f64],
    pub nets: *const f64,
}

impl TableSums<'_> {
    /// Sums of every sample, with second derivatives if N is 10, without if it is 4.
    ///
    /// # Safety
    /// The SIMD level is there, and the arrays have their lengths.
    #[inline(always)]
    pub unsafe fn for_each<L: Lanes<f64>, const N: usize>(
        &self,
        samples: usize,
        finish: &mut Finish<'_, '_, L>,
    ) {
        let n = self.controls;
        for sample in 0..samples {
            // SAFETY: by the caller.
            unsafe {
                let mut sums = [[L::splat(0.0); 3]; N];
                let values = self.values.as_ptr().add(sample * n);
                self.rows::<L>(values, &mut sums[..1]);
                let gradients = self.gradients.as_ptr().add(3 * sample * n);
                self.rows::<L>(gradients, &mut sums[1..4]);
                if N == 10 {
                    let second = self.second.as_ptr().add(6 * sample * n);
                    self.rows::<L>(second, &mut sums[4..7]);
                    self.rows::<L>(second.add(3 * n), &mut sums[7..]);
                }
                finish.sample(sample, sums);
            }
        }
    }

    /// As many rows of a table times the nets as there are sums, in as large tiles as
    /// registers allow.
    #[inline(always)]
    unsafe fn rows<L: Lanes<f64>>(&self, from: *const f64, sums: &mut [[L; 3]]) {
        let mut row = 0;
        // SAFETY: by the caller.
        unsafe {
            if sums.len() == 3 && L::REGISTERS >= 16 {
                let tile = self.tile::<L, 3>(from);
                (sums[0], sums[1], sums[2]) = (tile[0], tile[1], tile[2]);
                return;
            }
            while row < sums.len() {
                [sums[row]] = self.tile::<L, 1>(from.add(row * self.controls));
                row += 1;
            }
        }
    }

    #[inline(always)]
    unsafe fn tile<L: Lanes<f64>, const R: usize>(&self, from: *const f64) -> [[L; 3]; R] {
        // SAFETY: by the caller.
        unsafe {
            let mut sums = [[L::splat(0.0); 3]; R];
            for control in 0..self.controls {
                let net = self.nets.add(3 * control * L::COUNT);
                let point =
                    [L::load(net), L::load(net.add(L::COUNT)), L::load(net.add(2 * L::COUNT))];
                for row in 0..R {
                    let weight = L::splat(*from.add(row * self.controls + control));
                    for d in 0..3 {
                        sums[row][d] = point[d].mul_add(weight, sums[row][d]);
                    }
                }
            }
            sums
        }
    }
}
