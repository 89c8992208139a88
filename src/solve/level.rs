//! A level of multigrid.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::tentative::Tentative;
use crate::backend::operations::{LevelArrays, Polynomial};
use crate::numbers::Csr;
use crate::numbers::chebyshev::Chebyshev;
use crate::numbers::sum::dot;

/// Terms of the polynomial that smooths, and the part of the spectrum that it smooths.
const SMOOTHING_STEPS: usize = 3;
const SMOOTHED: [f64; 2] = [0.07, 1.05];
/// Steps of the Lanczos iteration for the largest eigenvalue.
const LANCZOS_STEPS: usize = 12;
/// Numbers of a work item at least.
const TASK_NUMBERS: usize = 8192;

/// A matrix, what smooths, and what goes to the next level. Entries are in single precision: half of
/// the memory and time, and a correction needs a few digits.
pub(super) struct Level {
    matrix: Csr<f32>,
    // 1 / diagonal
    inverse: Vec<f64>,
    polynomial: Polynomial,
    prolongation: Csr<f32>,
    restriction: Csr<f32>,
    // at work: a residual, a direction, the next one
    vectors: [Vec<f64>; 3],
}

impl Level {
    /// Smooths the tentative prolongation P; with Pᵀ A P.
    pub fn new(matrix: Csr, tentative: &Tentative) -> (Self, Csr) {
        let inverse: Vec<f64> =
            matrix.diagonal().into_iter().map(|d| if d > 0.0 { 1.0 / d } else { 1.0 }).collect();
        let largest = largest_eigenvalue(&matrix, &inverse);
        let prolongation = tentative.smoothed(&matrix, &inverse, 4.0 / (3.0 * largest));
        let product = matrix.times(&prolongation);
        let matrix = matrix.single();
        let restriction = prolongation.transposed();
        let prolongation = prolongation.single();
        let coarse = restriction.times(&product);
        drop(product);
        let steps = Chebyshev::new(SMOOTHED.map(|part| part * largest));
        let (first, steps) = steps.polynomial(SMOOTHING_STEPS - 1);
        let polynomial = Polynomial { first, steps };
        let vectors = [(); 3].map(|()| vec![0.0; matrix.rows()]);
        let restriction = restriction.single();
        let own = Self { matrix, inverse, polynomial, prolongation, restriction, vectors };
        (own, with_empty_rows(coarse))
    }

    pub fn arrays(&self) -> LevelArrays<'_> {
        LevelArrays {
            matrix: &self.matrix,
            inverse: &self.inverse,
            polynomial: self.polynomial.clone(),
            prolongation: &self.prolongation,
            restriction: &self.restriction,
        }
    }

    /// Writes about the solution for `r` into `x`; `coarse` takes a residual of the next level to a
    /// solution there.
    pub fn cycle(&mut self, r: &[f64], x: &mut [f64], coarse: impl FnOnce(&[f64]) -> Vec<f64>) {
        x.fill(0.0);
        self.vectors[0].copy_from_slice(r);
        self.smooth(x);
        self.make_residual(r, x);
        let mut rest = vec![0.0; self.restriction.rows()];
        self.restriction.apply(&self.vectors[0], &mut rest);
        let correction = coarse(&rest);
        let rows = x.par_iter_mut().with_min_len(TASK_NUMBERS).enumerate();
        rows.for_each(|(row, x)| *x += self.prolongation.row_product(row, &correction));
        self.make_residual(r, x);
        self.smooth(x);
    }

    /// Makes the residual r − A x.
    fn make_residual(&mut self, r: &[f64], x: &[f64]) {
        let Self { matrix, vectors: [residual, ..], .. } = self;
        let rows = (residual, r).into_par_iter().with_min_len(TASK_NUMBERS).enumerate();
        rows.for_each(|(row, (residual, r))| *residual = r - matrix.row_product(row, x));
    }

    /// Adds to `x` the Chebyshev polynomial of the residual.
    fn smooth(&mut self, x: &mut [f64]) {
        let Self { matrix, inverse, vectors, polynomial, .. } = self;
        let Polynomial { first, steps } = &*polynomial;
        let [residual, direction, next] = vectors;
        let rows = (&mut *x, &mut *direction, &*residual, &*inverse);
        rows.into_par_iter().with_min_len(TASK_NUMBERS).for_each(
            |(x, direction, residual, inverse)| {
                *direction = first * inverse * residual;
                *x += *direction;
            },
        );
        for [a, b] in steps {
            let before = &*direction;
            let rows = (&mut *x, &mut *residual, &mut *next, &*inverse);
            rows.into_par_iter().with_min_len(TASK_NUMBERS).enumerate().for_each(
                |(row, (x, residual, next, inverse))| {
                    *residual -= matrix.row_product(row, before);
                    *next = a * before[row] + b * inverse * *residual;
                    *x += *next;
                },
            );
            std::mem::swap(direction, next);
        }
    }
}

/// A matrix with 1 on the diagonal of rows without entries, where a motion of an aggregate is none.
fn with_empty_rows(matrix: Csr) -> Csr {
    if matrix.starts.windows(2).all(|ends| ends[0] < ends[1]) {
        return matrix;
    }
    Csr::from_rows(
        matrix.rows(),
        matrix.width,
        || (),
        |row, (), columns, values| {
            let before = columns.len();
            for (column, value) in matrix.row(row) {
                columns.push(column);
                values.push(value);
            }
            if columns.len() == before {
                columns.push(row as u32);
                values.push(1.0);
            }
        },
    )
}

/// A number from -1 to 1 that does not follow from those before (splitmix64, Steele et al. 2014).
fn noise(i: u64) -> f64 {
    let mixed = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as i64 as f64 / i64::MAX as f64
}

/// The largest eigenvalue of diagonal⁻¹ matrix, from above but for chance: that of the Lanczos
/// iteration and its residual (Zhou, Li, "Bounding the spectrum of large Hermitian matrices", 2011).
fn largest_eigenvalue(matrix: &Csr, inverse: &[f64]) -> f64 {
    let scales: Vec<f64> = inverse.iter().map(|x| x.sqrt()).collect();
    // noise, the same on every call: waves lack the largest mode of a grid
    let mut v: Vec<f64> = (0..matrix.rows() as u64).map(noise).collect();
    let [mut before, mut scaled, mut next] = [(); 3].map(|()| vec![0.0; v.len()]);
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut norm = dot(&v, &v).sqrt();
    while norm > 0.0 && diagonal.len() < LANCZOS_STEPS {
        let rows = (&mut v, &mut scaled, &scales).into_par_iter().with_min_len(TASK_NUMBERS);
        rows.for_each(|(v, scaled, scale)| {
            *v /= norm;
            *scaled = scale * *v;
        });
        matrix.apply(&scaled, &mut next);
        let rows = (&mut next, &scales).into_par_iter().with_min_len(TASK_NUMBERS);
        rows.for_each(|(next, scale)| *next *= scale);
        let (alpha, beta) = (dot(&v, &next), beside.last().copied().unwrap_or(0.0));
        let rows = (&mut next, &v, &before).into_par_iter().with_min_len(TASK_NUMBERS);
        rows.for_each(|(next, v, before)| *next -= alpha * v + beta * before);
        norm = dot(&next, &next).sqrt();
        diagonal.push(alpha);
        beside.push(norm);
        // v becomes the vector before, next the vector
        std::mem::swap(&mut before, &mut v);
        std::mem::swap(&mut v, &mut next);
    }
    let count = diagonal.len();
    let tridiagonal = DMatrix::from_fn(count, count, |i, j| match i.abs_diff(j) {
        0 => diagonal[i],
        1 => beside[i.min(j)],
        _ => 0.0,
    });
    let eigen = tridiagonal.symmetric_eigen();
    let Some(at) =
        (0..count).max_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]))
    else {
        return 1.0;
    };
    eigen.eigenvalues[at] + norm * eigen.eigenvectors[(count - 1, at)].abs()
}
