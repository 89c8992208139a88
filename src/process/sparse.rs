//! Sparse symmetric positive definite systems, by faer's Cholesky factors.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::LltError;
use faer::sparse::linalg::solvers::Llt;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};

use crate::error::{Error, Result};

/// Lower triangle of a symmetric matrix as a sum of entries.
#[derive(Default)]
pub(crate) struct SymmetricMatrix {
    entries: Vec<Triplet<usize, usize, f64>>,
}

impl SymmetricMatrix {
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
        let too_large = || {
            Error::mesh(format!("the linear system of {size} vertices is too large for the memory"))
                .with_help("use a coarser mesh, or free memory")
        };
        let matrix = SparseColMat::try_new_from_triplets(size, size, &self.entries)
            .map_err(|_| too_large())?;
        let factor = matrix.sp_cholesky(Side::Lower).map_err(|error| match error {
            LltError::Generic(_) => too_large(),
            LltError::Numeric(_) => Error::mesh(format!(
                "the linear system of {size} vertices has no solution in double precision"
            ))
            .with_help(
                "look for faces or cells that are nearly flat, and move their vertices apart",
            ),
        })?;
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
