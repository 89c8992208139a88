//! Sparse symmetric positive definite systems, by faer's Cholesky factors.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::LltError;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{Argsort, Pair, SparseColMat, SymbolicSparseColMat};
use faer::{Mat, Side};

use crate::error::{Error, Result};

/// Lower triangle of a symmetric matrix as a sum of entries.
#[derive(Default)]
pub(crate) struct SymmetricMatrix {
    indices: Vec<Pair<usize, usize>>,
    values: Vec<f64>,
}

/// How matrices whose entries are added in the same order are eliminated.
#[derive(Debug)]
pub(crate) struct Elimination {
    size: usize,
    columns: SymbolicSparseColMat<usize>,
    order: Argsort<usize>,
    factor: SymbolicLlt<usize>,
}

impl SymmetricMatrix {
    /// Adds to an entry; those above the diagonal are left to their mirror images.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        if row >= column {
            self.indices.push(Pair::new(row, column));
            self.values.push(value);
        }
    }

    /// # Errors
    /// [`Error::Mesh`] if memory ends.
    pub fn elimination(&self, size: usize) -> Result<Elimination> {
        let (columns, order) =
            SymbolicSparseColMat::try_new_from_indices(size, size, &self.indices)
                .map_err(|_| too_large(size))?;
        let factor =
            SymbolicLlt::try_new(columns.as_ref(), Side::Lower).map_err(|_| too_large(size))?;
        Ok(Elimination { size, columns, order, factor })
    }

    /// The Cholesky factor.
    ///
    /// # Errors
    /// [`Error::Mesh`] if the matrix is not positive definite, or memory ends.
    pub fn factor(&self, size: usize) -> Result<Factor> {
        self.factor_by(&self.elimination(size)?)
    }

    /// [`SymmetricMatrix::factor`] by the elimination of a matrix with the same entries.
    pub fn factor_by(&self, by: &Elimination) -> Result<Factor> {
        let size = by.size;
        let matrix = SparseColMat::new_from_argsort(by.columns.clone(), &by.order, &self.values)
            .map_err(|_| too_large(size))?;
        let factor = Llt::try_new_with_symbolic(by.factor.clone(), matrix.as_ref(), Side::Lower);
        let factor = factor.map_err(|error| match error {
            LltError::Generic(_) => too_large(size),
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

fn too_large(size: usize) -> Error {
    Error::mesh(format!("the linear system of {size} vertices is too large for the memory"))
        .with_help("use a coarser mesh, or free memory")
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
