//! Operators on the unknowns of a system: control values, or those of a basis of theirs.

use crate::assembly::{BoundaryBasis, Matrix};
use crate::numbers::Csr;

/// A symmetric operator on the unknowns of a solid, `[unknown][width]`.
pub trait LinearOperator: Sync {
    /// Number of rows, and of columns.
    fn size(&self) -> usize;

    /// Writes the product with `x` into `y`: the same bits on every call.
    fn apply(&self, x: &[f64], y: &mut [f64]);
}

impl LinearOperator for Matrix {
    fn size(&self) -> usize {
        Matrix::size(self)
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        Matrix::apply(self, x, y);
    }
}

/// Cᵀ K C: a matrix over control values K, by the unknowns of a basis.
pub struct UnknownSystem<'a> {
    matrix: &'a Matrix,
    basis: &'a BoundaryBasis,
    width: usize,
    diagonal: Vec<f64>,
}

impl<'a> UnknownSystem<'a> {
    /// Of a matrix and a basis of the same solid.
    pub fn new(matrix: &'a Matrix, basis: &'a BoundaryBasis) -> Self {
        let width = matrix.size() / basis.is_bend().len().max(1);
        Self { matrix, basis, width, diagonal: basis.diagonal(matrix) }
    }

    /// The basis of the unknowns.
    pub fn basis(&self) -> &'a BoundaryBasis {
        self.basis
    }

    /// The entries of the diagonal, `[unknown][width]`: 0 where a function is 0 in the solid.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The rows and columns of some unknowns, ascending indices into `[unknown][width]`.
    pub(super) fn block(&self, unknowns: &[usize]) -> Csr {
        let width = self.width;
        let mut columns = Csr { starts: vec![0], width: unknowns.len(), ..Csr::default() };
        for control in 0..self.matrix.size() {
            for (unknown, weight) in self.basis.matrix().row(control / width) {
                let unknown = unknown as usize * width + control % width;
                if let Ok(at) = unknowns.binary_search(&unknown) {
                    columns.push(at as u32, weight);
                }
            }
            columns.starts.push(columns.columns.len());
        }
        let is_used = |control: usize| columns.starts[control] < columns.starts[control + 1];
        let mut own = Csr { starts: vec![0], width: self.matrix.size(), ..Csr::default() };
        let Ok(()) = self.matrix.for_each_row(|ids, values| {
            if is_used(own.starts.len() - 1) {
                let both = ids.iter().zip(values).filter(|(id, _)| is_used(**id as usize));
                both.for_each(|(&id, &value)| own.push(id, value));
            }
            own.starts.push(own.columns.len());
            Ok::<(), std::convert::Infallible>(())
        });
        columns.transposed().times(&own.times(&columns))
    }
}

impl LinearOperator for UnknownSystem<'_> {
    fn size(&self) -> usize {
        self.matrix.size()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let product = self.matrix.times(&self.basis.control_values(x, self.width));
        y.copy_from_slice(&self.basis.unknown_loads(&product, self.width));
    }
}
