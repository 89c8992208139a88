//! The operator of a solution, as a matrix or without one.

use super::super::assemble::assembled_by_cells;
use super::super::{Notes, backend_for};
use super::request::{OperatorForm, SolveRequest};
use crate::assembly::{CellOperators, Matrix, MatrixFree, check_memory, cost, matrix_bytes};
use crate::error::Result;
use crate::memory::physical_memory;
use crate::mesh::SolidMesh;
use crate::quadrature::Mapping;
use crate::solve::{ControlOperator, VertexSolver};

/// A matrix is made where it takes 1/`MATRIX_PART` of the memory or less.
const MATRIX_PART: u64 = 8;

/// The stiffness in one of its forms.
pub(super) enum Stiffness<'a> {
    Matrix(Matrix),
    MatrixFree(Box<MatrixFree<'a>>),
}

impl<'a> Stiffness<'a> {
    /// That of a request.
    pub fn new(
        request: &SolveRequest,
        mapping: &'a Mapping<'a>,
        mesh: &SolidMesh,
        operators: &CellOperators,
        notes: &mut dyn Notes,
    ) -> Result<Self> {
        let by_matrix = match request.operator {
            OperatorForm::Auto => {
                let need = matrix_bytes(mapping.quadrature(), &[operators.of(0)]);
                physical_memory().is_none_or(|memory| need <= u128::from(memory / MATRIX_PART))
            }
            form => form == OperatorForm::Matrix,
        };
        if by_matrix {
            check_memory(mapping.quadrature(), &[operators.of(0)])?;
            let matrix = assembled_by_cells(request.backend, mapping, mesh, operators, notes)?;
            return Ok(Self::Matrix(matrix));
        }
        let (mut done, mut stopped, all) = (0, Ok(()), mapping.quadrature().sample_count());
        let found = MatrixFree::new(mapping, operators, |points| {
            done += points;
            if stopped.is_ok() {
                stopped = notes.progress(done, all);
            }
        });
        let mut found = stopped.and(found)?;
        if !request.backend.allows_cpu() {
            let cost = cost(mapping.quadrature(), &[operators.of(0)]);
            found = found.on(&*backend_for(request.backend, &cost, notes)?)?;
        }
        Ok(Self::MatrixFree(Box::new(found)))
    }

    pub fn operator(&self) -> &dyn ControlOperator {
        match self {
            Self::Matrix(matrix) => matrix,
            Self::MatrixFree(free) => &**free,
        }
    }

    /// How K₁⁻¹ is applied: by levels where vectors stay on a device.
    pub fn vertex_solver(&self) -> VertexSolver {
        match self {
            Self::MatrixFree(free) if free.is_on_device() => VertexSolver::Multigrid,
            _ => VertexSolver::Auto,
        }
    }

    /// Its name, the number of entries that are stored, and bytes of all that is stored.
    pub fn summary(&self) -> (&'static str, usize, usize) {
        match self {
            Self::Matrix(matrix) => ("matrix", matrix.len(), matrix.bytes()),
            Self::MatrixFree(free) => ("matrix-free", free.rest().len(), free.bytes()),
        }
    }
}
