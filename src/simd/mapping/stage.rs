//! What follows from positions and derivatives, and its way to memory.

use std::marker::PhantomData;

use crate::basis::bspline::SECOND_AXES;
use crate::limit::AxisPermutation;
use crate::numbers::{Lanes, MAX_LANES};

/// Results, `[leaf][sample]` each.
#[derive(Debug)]
pub struct LeafMapOutput<'a> {
    /// Positions, `[xyz]`.
    pub points: &'a mut [f64],
    /// `[xyz][uvw]`, by the axes of the elements.
    pub jacobians: &'a mut [f64],
    /// Determinants of the Jacobians.
    pub determinants: &'a mut [f64],
    /// Weights times determinants.
    pub measures: &'a mut [f64],
    /// `[uvw][xyz]`, not finite where the determinant is 0.
    pub inverses: &'a mut [f64],
    /// `[uu, vv, ww, uv, uw, vw][xyz]`, if wanted.
    pub second: &'a mut [f64],
}

/// Results of some samples of as many leaves as a vector has lanes, array by array,
/// `[sample][number][leaf]`: as many samples as lanes, so that squares of lanes fill them.
pub struct Stage<L> {
    memory: *mut f64,
    permutation: SignedPermutation,
    samples: usize,
    filled: usize,
    lanes: PhantomData<L>,
}

/// A permutation as places and signs.
struct SignedPermutation {
    is_identity: bool,
    axes: [usize; 3],
    signs: [f64; 3],
    parity: f64,
    // of local uu, vv, ww, uv, uw, vw
    second: [(usize, f64); 6],
}

/// First number of points, Jacobians, determinants, measures, inverses and second
/// derivatives in the stage, each times the number of samples.
const STARTS: [usize; 6] = [0, 3, 12, 13, 14, 23];
/// Numbers of each.
const WIDTHS: [usize; 6] = [3, 9, 1, 1, 9, 18];

impl SignedPermutation {
    fn new(permutation: AxisPermutation) -> Self {
        let axes = permutation.axes.map(usize::from);
        let signs = permutation.flips.map(|flip| if flip { -1.0 } else { 1.0 });
        let second = SECOND_AXES.map(|[d, e]| {
            let pair = [axes[d].min(axes[e]), axes[d].max(axes[e])];
            let row = SECOND_AXES.iter().position(|&axes| axes == pair);
            (row.unwrap_or(0), signs[d] * signs[e])
        });
        let is_even = matches!(axes, [0, 1, 2] | [1, 2, 0] | [2, 0, 1]);
        let parity = if is_even { 1.0 } else { -1.0 };
        Self { is_identity: permutation == AxisPermutation::IDENTITY, axes, signs, parity, second }
    }
}

impl<L: Lanes<f64>> Stage<L> {
    /// Numbers of a sample.
    pub const NUMBERS: usize = 41;

    /// A stage in `memory`, of leaves with `samples` samples.
    pub fn new(memory: *mut f64, permutation: AxisPermutation, samples: usize) -> Self {
        Self {
            memory,
            permutation: SignedPermutation::new(permutation),
            samples,
            filled: 0,
            lanes: PhantomData,
        }
    }

    /// Whether as many samples are there as lanes.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.filled == L::COUNT
    }

    /// Takes the position and derivatives by the local axes of one sample, second ones if N
    /// is 10.
    ///
    /// # Safety
    /// The SIMD level is there; the stage is not full.
    #[inline(always)]
    pub unsafe fn push<const N: usize>(&mut self, sums: &[[L; 3]; N], weight: L) {
        // SAFETY: by the caller.
        unsafe {
            // by the local axes, with the signs of the element's: [uvw][xyz]
            let mut g = [sums[1], sums[2], sums[3]];
            let mut parity = L::splat(1.0);
            if !self.permutation.is_identity {
                parity = L::splat(self.permutation.parity);
                for d in 0..3 {
                    for c in 0..3 {
                        g[d][c] = g[d][c].mul(L::splat(self.permutation.signs[d]));
                    }
                }
            }
            let cofactors = [cross(g[1], g[2]), cross(g[2], g[0]), cross(g[0], g[1])];
            let mut local = g[0][0].mul(cofactors[0][0]);
            for c in 1..3 {
                local = g[0][c].mul_add(cofactors[0][c], local);
            }
            let determinant = local.mul(parity);
            let scale = L::splat(1.0).div(local);
            self.put(2, 0, determinant);
            self.put(3, 0, determinant.mul(weight));
            for c in 0..3 {
                self.put(0, c, sums[0][c]);
            }
            for d in 0..3 {
                let axis = self.permutation.axes[d];
                for c in 0..3 {
                    self.put(1, 3 * c + axis, g[d][c]);
                    self.put(4, 3 * axis + c, cofactors[d][c].mul(scale));
                }
            }
            if N == 10 {
                for k in 0..6 {
                    let (row, sign) = self.permutation.second[k];
                    for c in 0..3 {
                        self.put(5, 3 * row + c, sums[4 + k][c].mul(L::splat(sign)));
                    }
                }
            }
        }
        self.filled += 1;
    }

    /// A number of an array, of the sample at hand.
    #[inline(always)]
    unsafe fn put(&self, array: usize, number: usize, x: L) {
        let at = STARTS[array] * L::COUNT + self.filled * WIDTHS[array] + number;
        // SAFETY: by the caller; the stage has room for all numbers of all samples.
        unsafe { x.store(self.memory.add(at * L::COUNT)) }
    }

    /// Writes the values to leaves `first` and so on, `count` of them, as the samples
    /// that end before `end`.
    ///
    /// # Safety
    /// The SIMD level is there, and `out` has these leaves and samples.
    #[inline(always)]
    pub unsafe fn flush<const N: usize>(
        &mut self,
        out: &mut LeafMapOutput<'_>,
        first: usize,
        count: usize,
        end: usize,
    ) {
        let start = end - self.filled;
        let arrays = [
            out.points.as_mut_ptr(),
            out.jacobians.as_mut_ptr(),
            out.determinants.as_mut_ptr(),
            out.measures.as_mut_ptr(),
            out.inverses.as_mut_ptr(),
            out.second.as_mut_ptr(),
        ];
        for array in 0..if N == 10 { 6 } else { 5 } {
            let width = WIDTHS[array];
            // SAFETY: by the caller.
            unsafe {
                let from = self.memory.add(STARTS[array] * L::COUNT * L::COUNT);
                for square in 0..width {
                    let left = (self.filled * width).saturating_sub(square * L::COUNT);
                    let mut rows = [L::splat(0.0); MAX_LANES];
                    let rows = &mut rows[..L::COUNT];
                    for i in 0..L::COUNT {
                        rows[i] = L::load(from.add((square * L::COUNT + i) * L::COUNT));
                    }
                    L::transpose(rows);
                    for leaf in 0..count {
                        let row = rows[leaf];
                        let at = ((first + leaf) * self.samples + start) * width;
                        let to = arrays[array].add(at + square * L::COUNT);
                        if left >= L::COUNT {
                            row.store(to);
                        } else if left > 0 {
                            row.store_first(to, left);
                        }
                    }
                }
            }
        }
        self.filled = 0;
    }
}

/// a × b, lane by lane.
#[inline(always)]
pub fn cross<L: Lanes<f64>>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}

/// Takes the sums of one sample after the other to the results.
pub struct Finish<'a, 'o, L> {
    pub stage: Stage<L>,
    pub origin: [L; 3],
    pub weights: &'a [f64],
    pub first: usize,
    pub count: usize,
    pub out: &'a mut LeafMapOutput<'o>,
}

impl<L: Lanes<f64>> Finish<'_, '_, L> {
    /// `sums`: position and derivatives by u, v, w, and second ones if there are 10.
    #[inline(always)]
    pub unsafe fn sample<const N: usize>(&mut self, sample: usize, mut sums: [[L; 3]; N]) {
        for d in 0..3 {
            sums[0][d] = sums[0][d].add(self.origin[d]);
        }
        // SAFETY: by the caller, the level is there, and it is a sample of the results.
        unsafe {
            self.stage.push(&sums, L::splat(self.weights[sample]));
            if self.stage.is_full() || sample + 1 == self.weights.len() {
                self.stage.flush::<N>(self.out, self.first, self.count, sample + 1);
            }
        }
    }
}
