//! Sparse symmetric positive definite systems, by faer's Cholesky factors.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::Llt;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};

use crate::error::{Error, Result};

/// Lower triangle of a symmetric matrix as a sum of entries.
#[derive(Default)]
pub(crate) struct Symmetric {
    entries: Vec<Triplet<usize, usize, f64>>,
}

impl Symmetric {
    /// Adds to an entry; those above the diagonal are left to their mirror images.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        if row >= column {
            self.entries.push(Triplet::new(row, column, value));
        }
    }

    /// The Cholesky factor.
    ///
    /// # Errors
    /// [`Error::Mesh`] if the matrix is not positive definite, or memory ends.
    pub fn factor(&self, size: usize) -> Result<Factor> {
        let failed = |why: String| {
            Error::mesh(format!("the system of {size} vertices has no Cholesky factor: {why}"))
                .with_help("look for flat cells or faces and huge coordinates, or take less memory")
        };
        let matrix = SparseColMat::try_new_from_triplets(size, size, &self.entries)
            .map_err(|e| failed(format!("{e:?}")))?;
        let factor = matrix.sp_cholesky(Side::Lower).map_err(|e| failed(format!("{e:?}")))?;
        Ok(Factor { factor, size })
    }
}

/// A factor, for any number of right-hand sides.
#[derive(Debug)]
pub(crate) struct Factor {
    factor: Llt<usize, f64>,
    size: usize,
}

impl Factor {
    /// The solution for one right-hand side.
    pub fn solve(&self, rhs: &[f64]) -> Vec<f64> {
        let mut x = Mat::from_fn(self.size, 1, |i, _| rhs[i]);
        self.factor.solve_in_place(&mut x);
        (0..self.size).map(|i| x[(i, 0)]).collect()
    }
}
