//! Solves with the stiffness K₁ of linear elements.

use super::Constraints;
use super::multigrid::Multigrid;
use crate::assembly::Matrix;
use crate::backend::operations::LevelArrays;
use crate::error::Result;
use crate::process::sparse::{Factor, SymmetricMatrix};

/// Unknowns up to which Cholesky factors are taken.
const MAX_EXACT: usize = 40_000;

/// How K₁⁻¹ is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexSolver {
    /// By a factor up to 40,000 free unknowns, else by multigrid.
    #[default]
    Auto,
    /// By a sparse Cholesky factor: the fewest iterations, but memory and time grow faster than the
    /// number of unknowns.
    Exact,
    /// By a V-cycle of smoothed aggregation.
    Multigrid,
}

/// K₁ at the free unknowns.
pub(super) struct FreeSystem {
    // the unknowns, ascending
    free: Vec<usize>,
    method: Method,
}

enum Method {
    // nothing to solve without free unknowns
    Exact(Option<Factor>),
    Multigrid(Box<Multigrid>),
}

impl FreeSystem {
    /// Takes away what is fixed. `points`: the vertices of the matrix.
    pub fn new(
        matrix: &Matrix,
        points: &[[f64; 3]],
        constraints: &Constraints,
        solver: VertexSolver,
    ) -> Result<Self> {
        let is_fixed = constraints.is_fixed();
        let free: Vec<usize> = (0..is_fixed.len()).filter(|&i| !is_fixed[i]).collect();
        let is_exact = match solver {
            VertexSolver::Auto => free.len() <= MAX_EXACT,
            VertexSolver::Exact => true,
            VertexSolver::Multigrid => false,
        };
        if !is_exact {
            let multigrid = Multigrid::new(matrix, points, constraints)?;
            return Ok(Self { free, method: Method::Multigrid(Box::new(multigrid)) });
        }
        let mut numbers = vec![usize::MAX; is_fixed.len()];
        free.iter().enumerate().for_each(|(number, &i)| numbers[i] = number);
        let (mut lower, mut row) = (SymmetricMatrix::default(), 0);
        let added: std::result::Result<(), std::convert::Infallible> =
            matrix.for_each_row(|columns, values| {
                let own = row;
                row += 1;
                if numbers[own] != usize::MAX {
                    for (&column, &value) in columns.iter().zip(values) {
                        let other = numbers[column as usize];
                        if other <= numbers[own] {
                            lower.add(numbers[own], other, value);
                        }
                    }
                }
                Ok(())
            });
        match added {
            Ok(()) => {}
        }
        let factor = if free.is_empty() { None } else { Some(lower.factor(free.len())?) };
        Ok(Self { free, method: Method::Exact(factor) })
    }

    pub fn solver(&self) -> VertexSolver {
        match self.method {
            Method::Exact(_) => VertexSolver::Exact,
            Method::Multigrid(_) => VertexSolver::Multigrid,
        }
    }

    /// Levels of multigrid, for a device; `None` for a factor.
    pub fn levels(&self) -> Option<(Vec<LevelArrays<'_>>, Vec<f64>)> {
        match &self.method {
            Method::Exact(_) => None,
            Method::Multigrid(multigrid) => multigrid.arrays(),
        }
    }

    /// Writes K₁⁻¹ `r`, or about that, into `z`; fixed unknowns are 0 in both.
    pub fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        match &mut self.method {
            Method::Exact(factor) => {
                z.fill(0.0);
                let Some(factor) = factor else { return };
                let own: Vec<f64> = self.free.iter().map(|&i| r[i]).collect();
                let found = factor.solve(&own);
                self.free.iter().zip(found).for_each(|(&i, x)| z[i] = x);
            }
            Method::Multigrid(multigrid) => multigrid.apply(r, z),
        }
    }
}
