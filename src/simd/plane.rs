//! Four planes of samples become the samples of a layered cell, along any of its axes.

use super::buffer::stream_copy;
use super::slab::{RepeatedOrigin, Slab, load_four};
use crate::numbers::{Lanes, MAX_LANES, Real};

/// The planes of samples `y: [layer 4][high][low][m]`, and how they become a cell.
///
/// # Safety
/// For all methods: the SIMD level of `L` is available, `y` is readable for whole vectors, `out`
/// is writable for all samples of the cell and `stage`, through which results stream,
/// as well; `origin` is repeated.
#[derive(Clone, Copy)]
pub(super) struct SamplePlanes {
    /// Components of a sample.
    pub m: usize,
    /// Samples of a plane.
    pub samples: usize,
    /// Samples of a row of it.
    pub low: usize,
    /// Numbers from one plane to the next.
    pub stride: usize,
}

impl SamplePlanes {
    /// `out: [high][across][low]`: rows of the planes, or whole planes if there is one row.
    #[inline(always)]
    pub unsafe fn combine_rows<T: Real, L: Lanes<T>>(
        self,
        y: *const T,
        table: &[[T; 4]],
        origin: Option<*const T>,
        out: *mut T,
        stage: Option<*mut T>,
    ) {
        let slab = Slab { len: self.low * self.m, stride: self.stride };
        let origin = origin.map(|numbers| RepeatedOrigin { numbers, m: self.m });
        for high in 0..self.samples / self.low {
            // SAFETY: by the caller, row by row.
            unsafe {
                let (y, out) = (y.add(high * slab.len), out.add(high * table.len() * slab.len));
                slab.combine::<T, L>(y, table, origin, out, stage);
            }
        }
    }

    /// `out: [high w][low v][u]`: every sample of the plane becomes a row.
    #[inline(always)]
    pub unsafe fn combine_samples<T: Real, L: Lanes<T>>(
        self,
        y: *const T,
        table: &[[T; 4]],
        origin: Option<*const T>,
        out: *mut T,
        stage: Option<*mut T>,
    ) {
        let row = table.len() * self.m;
        // SAFETY: by the caller; a row of three vectors is what the weights below fill.
        unsafe {
            if self.m == 3 && row == 3 * L::COUNT {
                let aligned = out.align_offset(size_of::<L>()) == 0;
                match stage {
                    Some(_) if aligned => {
                        self.rows_of_three::<T, L, true>(y, table, origin, out);
                    }
                    Some(stage) => {
                        self.rows_of_three::<T, L, false>(y, table, origin, stage);
                        stream_copy::<T, L>(out, stage, self.samples * row);
                    }
                    None => self.rows_of_three::<T, L, false>(y, table, origin, out),
                }
                return;
            }
            let to = stage.unwrap_or(out);
            for at in 0..self.samples * self.m {
                let (sample, c) = (at / self.m, at % self.m);
                let shift = origin.map_or(T::default(), |origin| *origin.add(c));
                for (u, weights) in table.iter().enumerate() {
                    let mut sum = *y.add(at) * weights[0];
                    for k in 1..4 {
                        sum = sum + *y.add(k * self.stride + at) * weights[k];
                    }
                    *to.add(sample * row + u * self.m + c) = sum + shift;
                }
            }
            if let Some(stage) = stage {
                stream_copy::<T, L>(out, stage, self.samples * row);
            }
        }
    }

    /// [`SamplePlanes::combine_samples`] where a row of points is three vectors.
    #[inline(always)]
    unsafe fn rows_of_three<T: Real, L: Lanes<T>, const STREAM: bool>(
        self,
        y: *const T,
        table: &[[T; 4]],
        origin: Option<*const T>,
        out: *mut T,
    ) {
        // SAFETY: by the caller; every array holds three vectors.
        unsafe {
            let mut weights = [[L::splat(T::default()); 3]; 4];
            for (k, weights) in weights.iter_mut().enumerate() {
                let mut row = [T::default(); 3 * MAX_LANES];
                for (i, weight) in row[..3 * L::COUNT].iter_mut().enumerate() {
                    *weight = table[i / 3][k];
                }
                for (i, vector) in weights.iter_mut().enumerate() {
                    *vector = L::load(row.as_ptr().add(i * L::COUNT));
                }
            }
            let mut shift = [L::splat(T::default()); 3];
            if let Some(origin) = origin {
                for (i, vector) in shift.iter_mut().enumerate() {
                    *vector = L::load(origin.add(i * L::COUNT));
                }
            }
            for sample in 0..self.samples {
                // not `map`, which would leave the instructions of the level
                let [a, b, c, d] = load_four::<T, L>(y.add(3 * sample), self.stride);
                let points = [a.repeat(), b.repeat(), c.repeat(), d.repeat()];
                for i in 0..3 {
                    let mut sum = points[0][i].mul_add(weights[0][i], shift[i]);
                    for k in 1..4 {
                        sum = points[k][i].mul_add(weights[k][i], sum);
                    }
                    let to = out.add((3 * sample + i) * L::COUNT);
                    if STREAM { sum.stream(to) } else { sum.store(to) }
                }
            }
        }
    }
}
