//! Sparse symmetric positive definite systems, by faer's Cholesky factors.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::LltError;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{Pair, SparseColMat, SparseColMatRef, SymbolicSparseColMat};
use faer::{Mat, Side};

use crate::error::{Error, Result};

/// Lower triangle of a symmetric matrix as a sum of entries.
#[derive(Default)]
pub(crate) struct SymmetricMatrix {
    indices: Vec<Pair<usize, usize>>,
    values: Vec<f64>,
}

impl SymmetricMatrix {
    /// Adds to an entry; those above the diagonal are left to their mirror images.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        if row >= column {
            self.indices.push(Pair::new(row, column));
            self.values.push(value);
        }
    }

    /// The Cholesky factor.
    ///
    /// # Errors
    /// [`Error::Mesh`] if the matrix is not positive definite, or memory ends.
    pub fn factor(&self, size: usize) -> Result<Factor> {
        let (columns, order) =
            SymbolicSparseColMat::try_new_from_indices(size, size, &self.indices)
                .map_err(|_| too_large(size))?;
        let matrix = SparseColMat::new_from_argsort(columns, &order, &self.values)
            .map_err(|_| too_large(size))?;
        let (columns, entries) = matrix.into_parts();
        Elimination::new(columns)?.factor(&entries)
    }
}

/// How matrices with entries in the same places are eliminated.
#[derive(Debug)]
pub(crate) struct Elimination {
    columns: SymbolicSparseColMat<usize>,
    factor: SymbolicLlt<usize>,
}

impl Elimination {
    /// Of lower triangles with entries in the rows `starts[c]..starts[c + 1]` of `rows`, ascending, of
    /// every column c.
    ///
    /// # Errors
    /// [`Error::Mesh`] if memory ends.
    pub fn of_columns(starts: Vec<usize>, rows: Vec<usize>) -> Result<Self> {
        let size = starts.len() - 1;
        Self::new(SymbolicSparseColMat::new_checked(size, size, starts, None, rows))
    }

    fn new(columns: SymbolicSparseColMat<usize>) -> Result<Self> {
        let factor = SymbolicLlt::try_new(columns.as_ref(), Side::Lower)
            .map_err(|_| too_large(columns.ncols()))?;
        Ok(Self { columns, factor })
    }

    /// Rows of the entries of a column.
    pub fn column(&self, column: usize) -> &[usize] {
        self.columns.row_idx_of_col_raw(column)
    }

    /// The first entry of each column, and the number of all.
    pub fn starts(&self) -> &[usize] {
        self.columns.col_ptr()
    }

    /// The Cholesky factor of a matrix of these entries, column by column.
    ///
    /// # Errors
    /// [`Error::Mesh`] if the matrix is not positive definite, or memory ends.
    pub fn factor(&self, entries: &[f64]) -> Result<Factor> {
        let size = self.columns.ncols();
        let matrix = SparseColMatRef::new(self.columns.as_ref(), entries);
        let factor = Llt::try_new_with_symbolic(self.factor.clone(), matrix, Side::Lower);
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
