//! The inverse of the limit masks of the vertices, about.

use rayon::prelude::*;

use crate::backend::operations::Polynomial;
use crate::numbers::Csr;
use crate::numbers::chebyshev::Chebyshev;
use crate::plan::adjoint::{IndexRows, transposed};
use crate::scheme::Stencils;

/// The interval of eigenvalues for the Chebyshev iteration: 1/27 is the least of regular solids,
/// 1/9 of regular surfaces.
pub(crate) const LIMIT_EIGENVALUES: [f64; 2] = [1.0 / 30.0, 1.05];
/// Terms of the polynomial: more save iterations that cost as much.
const CHEBYSHEV_STEPS: usize = 10;
/// Numbers of a work item at least.
const TASK_NUMBERS: usize = 8192;

/// A Chebyshev polynomial in the limit masks L of the vertices, for L⁻¹, and its transpose.
pub(crate) struct LimitInverse {
    limit: Stencils,
    // the columns of the masks, made when first asked for
    columns: Option<(IndexRows, Vec<f64>)>,
    // at work: a solution, a residual, a direction and its product
    vectors: [Vec<f64>; 4],
}

impl LimitInverse {
    /// For vectors of `width` numbers a vertex.
    pub fn new(limit: Stencils, width: usize) -> Self {
        let vectors = [(); 4].map(|()| vec![0.0; limit.len() * width]);
        Self { limit, columns: None, vectors }
    }

    /// L and Lᵀ.
    pub fn rows(&self) -> [Csr; 2] {
        let (ends, columns, weights) = self.limit.arrays();
        let starts = std::iter::once(0).chain(ends.iter().copied()).collect();
        let (columns, values) = (columns.to_vec(), weights.to_vec());
        let rows = Csr { starts, columns, values, width: self.limit.len() };
        let transposed = rows.transposed();
        [rows, transposed]
    }

    /// The polynomial for both inverses.
    pub fn polynomial() -> Polynomial {
        let steps = Chebyshev::new(LIMIT_EIGENVALUES);
        let (first, steps) = steps.polynomial(CHEBYSHEV_STEPS - 1);
        Polynomial { first, steps }
    }

    /// About L⁻¹ `rhs`; `clear` sets numbers that are fixed to 0.
    pub fn solve(&mut self, rhs: &[f64], clear: impl Fn(&mut [f64])) -> &[f64] {
        let (limit, width) = (&self.limit, rhs.len() / self.limit.len().max(1));
        polynomial(&mut self.vectors, rhs, |x, y| {
            limit.apply_into(x, width, y);
            clear(y);
        });
        &self.vectors[0]
    }

    /// About L⁻ᵀ `rhs`.
    pub fn solve_transposed(&mut self, rhs: &[f64], clear: impl Fn(&mut [f64])) -> &[f64] {
        let limit = &self.limit;
        let (columns, weights) = self.columns.get_or_insert_with(|| transposed(limit, limit.len()));
        let width = rhs.len() / self.limit.len().max(1);
        polynomial(&mut self.vectors, rhs, |x, y| {
            y.fill(0.0);
            columns.gather(x, width, Some(weights), y);
            clear(y);
        });
        &self.vectors[0]
    }
}

/// The Chebyshev iteration for the residual `rhs` from 0, into the first of the vectors.
fn polynomial(
    [x, residual, direction, product]: &mut [Vec<f64>; 4],
    rhs: &[f64],
    mut apply: impl FnMut(&[f64], &mut [f64]),
) {
    let Polynomial { first, steps } = LimitInverse::polynomial();
    residual.copy_from_slice(rhs);
    direction.iter_mut().zip(rhs).for_each(|(direction, r)| *direction = first * r);
    x.copy_from_slice(direction);
    for [a, b] in steps {
        apply(direction, product);
        let pairs = (&mut *x, &mut *residual, &mut *direction, &*product);
        pairs.into_par_iter().with_min_len(TASK_NUMBERS).for_each(|(x, residual, direction, q)| {
            *residual -= q;
            *direction = a * *direction + b * *residual;
            *x += *direction;
        });
    }
}
