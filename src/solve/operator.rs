//! Operators on the unknowns of a system: control values, or those of a basis of theirs.

use super::Constraints;
use crate::assembly::{BoundaryBasis, Matrix, MatrixFree};
use crate::backend::operations::LeafProducts;
use crate::error::Result;
use crate::numbers::Csr;

/// A symmetric operator on the unknowns of a solid, `[unknown][width]`.
pub trait LinearOperator: Sync {
    /// Number of rows, and of columns.
    fn size(&self) -> usize;

    /// Writes the product with `x` into `y`: the same bits on every call.
    fn apply(&self, x: &[f64], y: &mut [f64]);

    /// What a device has of it, if one multiplies it.
    fn on_device(&self) -> Option<DeviceOperator<'_>> {
        None
    }
}

/// An operator that a device multiplies: Cᵀ (A + R) C.
#[derive(Clone, Copy, Debug)]
pub struct DeviceOperator<'a> {
    /// A: leaves on the device.
    pub leaves: &'a dyn LeafProducts,
    /// R: the matrix of all other leaves.
    pub rest: &'a Matrix,
    /// C, control values over unknowns, and Cᵀ; `None` where these are the same.
    pub basis: Option<[&'a Csr; 2]>,
}

impl LinearOperator for Matrix {
    fn size(&self) -> usize {
        Matrix::size(self)
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        Matrix::apply(self, x, y);
    }
}

/// An operator on control values, `[vertex][width]`.
pub trait ControlOperator: LinearOperator {
    /// The entries of the diagonal.
    ///
    /// # Errors
    /// As the operator was made.
    fn diagonal(&self) -> Result<Vec<f64>>;

    /// The rows and columns of the vertices that are used; all others are empty.
    ///
    /// # Errors
    /// As the operator was made.
    fn block(&self, is_used: &[bool]) -> Result<Csr>;
}

impl ControlOperator for Matrix {
    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(Matrix::diagonal(self))
    }

    fn block(&self, is_used: &[bool]) -> Result<Csr> {
        Ok(Matrix::block(self, is_used))
    }
}

impl LinearOperator for MatrixFree<'_> {
    fn size(&self) -> usize {
        MatrixFree::size(self)
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        MatrixFree::apply(self, x, y);
    }

    fn on_device(&self) -> Option<DeviceOperator<'_>> {
        let leaves = self.device()?;
        Some(DeviceOperator { leaves, rest: self.rest(), basis: None })
    }
}

impl ControlOperator for MatrixFree<'_> {
    fn diagonal(&self) -> Result<Vec<f64>> {
        MatrixFree::diagonal(self)
    }

    fn block(&self, is_used: &[bool]) -> Result<Csr> {
        MatrixFree::block(self, is_used)
    }
}

/// Cᵀ K C: an operator on control values K, by the unknowns of a basis.
pub struct UnknownSystem<'a> {
    operator: &'a dyn ControlOperator,
    basis: &'a BoundaryBasis,
    width: usize,
}

impl<'a> UnknownSystem<'a> {
    /// Of an operator and a basis of the same solid.
    pub fn new(operator: &'a dyn ControlOperator, basis: &'a BoundaryBasis) -> Self {
        let width = operator.size() / basis.is_bend().len().max(1);
        Self { operator, basis, width }
    }

    /// The basis of the unknowns.
    pub fn basis(&self) -> &'a BoundaryBasis {
        self.basis
    }

    /// Fixes the unknowns whose functions are 0 in the solid.
    ///
    /// # Errors
    /// As [`ControlOperator::diagonal`].
    pub fn fix_empty(&self, constraints: &mut Constraints) -> Result<()> {
        let mut is_empty = vec![true; self.basis.is_bend().len()];
        for (v, entries) in self.operator.diagonal()?.chunks(self.width).enumerate() {
            if entries.iter().any(|&d| d != 0.0) {
                self.basis
                    .matrix()
                    .row(v)
                    .for_each(|(unknown, _)| is_empty[unknown as usize] = false);
            }
        }
        for (unknown, _) in (0..).zip(is_empty).filter(|(_, is_empty)| *is_empty) {
            (0..self.width).for_each(|d| constraints.fix(unknown, d, 0.0));
        }
        Ok(())
    }

    /// The rows and columns of some unknowns, ascending indices into `[unknown][width]`.
    pub(super) fn block(&self, unknowns: &[usize]) -> Result<Csr> {
        let width = self.width;
        let mut columns = Csr { starts: vec![0], width: unknowns.len(), ..Csr::default() };
        let mut is_used = vec![false; self.operator.size() / width];
        for control in 0..self.operator.size() {
            for (unknown, weight) in self.basis.matrix().row(control / width) {
                let unknown = unknown as usize * width + control % width;
                if let Ok(at) = unknowns.binary_search(&unknown) {
                    columns.push(at as u32, weight);
                    is_used[control / width] = true;
                }
            }
            columns.starts.push(columns.columns.len());
        }
        let own = self.operator.block(&is_used)?;
        Ok(columns.transposed().times(&own.times(&columns)))
    }
}

impl LinearOperator for UnknownSystem<'_> {
    fn size(&self) -> usize {
        self.operator.size()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let mut product = vec![0.0; x.len()];
        self.operator.apply(&self.basis.control_values(x, self.width), &mut product);
        y.copy_from_slice(&self.basis.unknown_loads(&product, self.width));
    }

    fn on_device(&self) -> Option<DeviceOperator<'_>> {
        let own = self.operator.on_device()?;
        // without bends unknowns are control values
        let basis = self.basis.is_bend().contains(&true).then(|| self.basis.matrices());
        Some(DeviceOperator { basis, ..own })
    }
}
