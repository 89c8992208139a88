//! The last axis of a sum factorization: four layers of results become one per sample.
//!
//! Regular cells combine the four layers of their net that way, layered cells the four
//! planes of control points, each already a plane of samples.

use super::buffer::stream_copy;
use crate::numbers::{Lanes, Real};

/// Lengths of the layers that are combined, in numbers.
#[derive(Clone, Copy)]
pub(super) struct Slab {
    /// Numbers of one layer of the output.
    pub len: usize,
    /// Numbers from one layer of y to the next.
    pub stride: usize,
}

/// The origin of a net, whose components repeat as [`super::net::repeat_origin`] leaves them.
#[derive(Clone, Copy)]
pub(super) struct RepeatedOrigin<T> {
    pub numbers: *const T,
    /// Number of components.
    pub m: usize,
}

impl Slab {
    /// `out: [sample][len]` = Σₖ `table[sample][k]` · `y[k]`, and the origin, if any,
    /// added.
    ///
    /// With `stage`, of room for four layers, results stream past the caches, through
    /// it where `out` is not aligned. Layers go in blocks whose weights stay in registers.
    ///
    /// # Safety
    /// The SIMD level of `L` is there; `y` is readable for whole vectors, `out` writable for
    /// one layer a sample.
    #[inline(always)]
    pub unsafe fn combine<T: Real, L: Lanes<T>>(
        self,
        y: *const T,
        table: &[[T; 4]],
        origin: Option<RepeatedOrigin<T>>,
        out: *mut T,
        stage: Option<*mut T>,
    ) {
        // SAFETY: by the caller; without a position, the origin is not read.
        unsafe {
            match origin {
                Some(origin) => self.samples_of::<T, L, true>(y, table, origin, out, stage),
                None => {
                    let origin = RepeatedOrigin { numbers: y, m: 3 };
                    self.samples_of::<T, L, false>(y, table, origin, out, stage);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn samples_of<T: Real, L: Lanes<T>, const POSITION: bool>(
        self,
        y: *const T,
        table: &[[T; 4]],
        origin: RepeatedOrigin<T>,
        out: *mut T,
        stage: Option<*mut T>,
    ) {
        let whole = self.len.is_multiple_of(L::COUNT);
        let aligned = whole && out.align_offset(size_of::<L>()) == 0;
        let block = if L::REGISTERS >= 32 { 4 } else { 2 };
        let mut layer = 0;
        // SAFETY: layers and their lengths stay inside `out` and `stage`.
        unsafe {
            while layer < table.len() {
                let count = block.min(table.len() - layer);
                let to = out.add(layer * self.len);
                let table = &table[layer..layer + count];
                match stage {
                    Some(_) if aligned => {
                        self.layers_of::<T, L, POSITION, true>(y, table, origin, to);
                    }
                    Some(stage) => {
                        self.layers_of::<T, L, POSITION, false>(y, table, origin, stage);
                        stream_copy::<T, L>(to, stage, count * self.len);
                    }
                    None => self.layers_of::<T, L, POSITION, false>(y, table, origin, to),
                }
                layer += count;
            }
        }
    }

    #[inline(always)]
    unsafe fn layers_of<T: Real, L: Lanes<T>, const POSITION: bool, const STREAM: bool>(
        self,
        y: *const T,
        table: &[[T; 4]],
        origin: RepeatedOrigin<T>,
        out: *mut T,
    ) {
        // SAFETY: by the caller.
        unsafe {
            match *table {
                [a, b, c, d] => {
                    self.block::<T, L, 4, POSITION, STREAM>(y, [a, b, c, d], origin, out);
                }
                [a, b, c] => self.block::<T, L, 3, POSITION, STREAM>(y, [a, b, c], origin, out),
                [a, b] => self.block::<T, L, 2, POSITION, STREAM>(y, [a, b], origin, out),
                [a] => self.block::<T, L, 1, POSITION, STREAM>(y, [a], origin, out),
                _ => {}
            }
        }
    }

    /// `N` layers of the output at once.
    #[inline(always)]
    unsafe fn block<
        T: Real,
        L: Lanes<T>,
        const N: usize,
        const POSITION: bool,
        const STREAM: bool,
    >(
        self,
        y: *const T,
        table: [[T; 4]; N],
        origin: RepeatedOrigin<T>,
        out: *mut T,
    ) {
        let RepeatedOrigin { numbers: origin, m } = origin;
        // SAFETY: vectors that reach past the end of a layer are stored in part.
        unsafe {
            let mut weights = [[L::splat(T::default()); 4]; N];
            for (weights, row) in weights.iter_mut().zip(&table) {
                for (weight, &number) in weights.iter_mut().zip(row) {
                    *weight = L::splat(number);
                }
            }
            let (mut at, mut phase) = (0, 0);
            while at < self.len {
                let y = load_four::<T, L>(y.add(at), self.stride);
                let left = self.len - at;
                for (layer, weights) in weights.iter().enumerate() {
                    let mut sum = y[0].mul(weights[0]);
                    for w in 1..4 {
                        sum = y[w].mul_add(weights[w], sum);
                    }
                    if POSITION {
                        sum = sum.add(L::load(origin.add(phase)));
                    }
                    let to = out.add(layer * self.len + at);
                    if STREAM {
                        sum.stream(to);
                    } else if left >= L::COUNT {
                        sum.store(to);
                    } else {
                        sum.store_first(to, left);
                    }
                }
                at += L::COUNT;
                phase += L::COUNT;
                // The repeated origin holds three whole vectors for m = 3.
                phase = if m != 3 {
                    phase % m
                } else if phase == 3 * L::COUNT {
                    0
                } else {
                    phase
                };
            }
        }
    }
}

/// Vectors of four rows.
#[inline(always)]
pub(super) unsafe fn load_four<T: Real, L: Lanes<T>>(from: *const T, step: usize) -> [L; 4] {
    // SAFETY: by the caller, all four are readable.
    unsafe {
        [
            L::load(from),
            L::load(from.add(step)),
            L::load(from.add(2 * step)),
            L::load(from.add(3 * step)),
        ]
    }
}

/// Σ x · weights.
#[inline(always)]
pub(super) unsafe fn combine<T: Real, L: Lanes<T>>(x: [L; 4], weights: &[T; 4]) -> L {
    // SAFETY: x shows that the level is there.
    unsafe {
        let mut sum = x[0].mul(L::splat(weights[0]));
        for i in 1..4 {
            sum = x[i].mul_add(L::splat(weights[i]), sum);
        }
        sum
    }
}
