//! The preconditioner M⁻¹ = L⁻¹ K₁⁻¹ L⁻ᵀ.

use rayon::prelude::*;

use super::Constraints;
use super::vertex_solver::{FreeSystem, VertexSolver};
use crate::assembly::{CellOperators, assemble_linear};
use crate::error::Result;
use crate::fit::LIMIT_EIGENVALUES;
use crate::limit::Solid;
use crate::numbers::chebyshev::Chebyshev;
use crate::plan::adjoint::{IndexRows, transposed};
use crate::scheme::Stencils;

/// Terms of the polynomial for L⁻¹: more save iterations that cost as much.
const CHEBYSHEV_STEPS: usize = 10;
/// Numbers of a work item at least.
const TASK_NUMBERS: usize = 8192;

/// Takes a residual to about the error of the solution; see [`crate::solve`].
pub struct LimitPreconditioner {
    limit: Stencils,
    // the columns of the limit masks
    columns: (IndexRows, Vec<f64>),
    constraints: Constraints,
    vertices: FreeSystem,
    // at work: a solution, a residual, a direction and its product
    vectors: [Vec<f64>; 4],
}

impl LimitPreconditioner {
    /// For the operator of a solid with these control points and constraints.
    ///
    /// # Errors
    /// As [`assemble_linear`]; [`Error::Mesh`](crate::Error::Mesh) if too little is fixed.
    pub fn new(
        solid: &Solid,
        controls: &[[f64; 3]],
        operators: &CellOperators,
        constraints: &Constraints,
        solver: VertexSolver,
    ) -> Result<Self> {
        let limit = solid.limit_matrix();
        let points = limit.apply(controls.as_flattened(), 3);
        let points = points.as_chunks::<3>().0;
        let matrix = assemble_linear(solid.topology(), points, operators)?;
        let vertices = FreeSystem::new(&matrix, points, constraints, solver)?;
        let columns = transposed(&limit, limit.len());
        let vectors = [(); 4].map(|()| vec![0.0; constraints.values().len()]);
        Ok(Self { limit, columns, constraints: constraints.clone(), vertices, vectors })
    }

    /// How K₁⁻¹ is applied.
    pub fn solver(&self) -> VertexSolver {
        self.vertices.solver()
    }

    /// Writes M⁻¹ `r` into `z`; fixed unknowns are 0 in both.
    pub fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let Self { limit, columns: (columns, weights), constraints, vertices, vectors } = self;
        let width = constraints.width();
        chebyshev(vectors, r, |x, y| {
            y.fill(0.0);
            columns.gather(x, width, Some(weights), y);
            constraints.clear(y);
        });
        let (solution, rest) = vectors.split_at_mut(1);
        vertices.apply(&solution[0], &mut rest[0]);
        z.copy_from_slice(&rest[0]);
        chebyshev(vectors, z, |x, y| {
            limit.apply_into(x, width, y);
            constraints.clear(y);
        });
        z.copy_from_slice(&vectors[0]);
    }
}

/// The Chebyshev iteration for the residual `rhs` from 0, into the first of the vectors.
fn chebyshev(
    [x, residual, direction, product]: &mut [Vec<f64>; 4],
    rhs: &[f64],
    mut apply: impl FnMut(&[f64], &mut [f64]),
) {
    let steps = Chebyshev::new(LIMIT_EIGENVALUES);
    let first = steps.first();
    residual.copy_from_slice(rhs);
    direction.iter_mut().zip(rhs).for_each(|(direction, r)| *direction = first * r);
    x.copy_from_slice(direction);
    for [a, b] in steps.take(CHEBYSHEV_STEPS - 1) {
        apply(direction, product);
        let pairs = (&mut *x, &mut *residual, &mut *direction, &*product);
        pairs.into_par_iter().with_min_len(TASK_NUMBERS).for_each(|(x, residual, direction, q)| {
            *residual -= q;
            *direction = a * *direction + b * *residual;
            *x += *direction;
        });
    }
}
