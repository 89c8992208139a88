//! The preconditioner M⁻¹ = L⁻¹ K₁⁻¹ L⁻ᵀ.

use super::vertex_solver::{FreeSystem, VertexSolver};
use super::{Constraints, UnknownSystem};
use crate::assembly::{BoundaryBasis, CellOperators, LimitInverse, assemble_linear};
use crate::backend::operations::{PreconditionerArrays, Strip};
use crate::error::Result;
use crate::limit::Solid;
use crate::process::sparse::SymmetricMatrix;
use crate::topology::Topology;

/// Unknowns of the strip along the boundary up to which a factor of all of them is taken.
const MAX_STRIP: usize = 40_000;

/// Takes a residual to about the error of the solution; see [`crate::solve`].
pub struct LimitPreconditioner {
    limit: LimitInverse,
    // and of ghosts all fixed
    constraints: Constraints,
    vertices: FreeSystem,
    strip: BoundaryStrip,
    // at work: a solution at the vertices
    solution: Vec<f64>,
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
        Self::over((solid, controls), None, operators, constraints, solver)
    }

    /// `basis`: of the unknowns, if these are no control values.
    fn over(
        (solid, controls): (&Solid, &[[f64; 3]]),
        basis: Option<&BoundaryBasis>,
        operators: &CellOperators,
        constraints: &Constraints,
        solver: VertexSolver,
    ) -> Result<Self> {
        let limit = solid.limit_matrix();
        let points = limit.apply(controls.as_flattened(), 3);
        let points = points.as_chunks::<3>().0;
        let mut matrix = assemble_linear(solid.topology(), points, operators)?;
        if let Some(images) = basis.and_then(BoundaryBasis::images) {
            matrix = matrix.identified(images);
        }
        let vertices = FreeSystem::new(&matrix, points, constraints, solver)?;
        let limit = basis.map(|own| own.natural_limits(&limit)).unwrap_or(limit);
        let limit = LimitInverse::new(limit, constraints.width());
        let solution = vec![0.0; constraints.values().len()];
        let (constraints, strip) = (constraints.clone(), BoundaryStrip::default());
        Ok(Self { limit, constraints, vertices, strip, solution })
    }

    /// For a system over values on the boundary and bends, with constraints on these.
    ///
    /// # Errors
    /// As [`LimitPreconditioner::new`].
    pub fn of_unknowns(
        (solid, controls): (&Solid, &[[f64; 3]]),
        system: &UnknownSystem<'_>,
        operators: &CellOperators,
        constraints: &Constraints,
        solver: VertexSolver,
    ) -> Result<Self> {
        let is_bend = system.basis().is_bend();
        if !is_bend.contains(&true) {
            return Self::new(solid, controls, operators, constraints, solver);
        }
        let mut natural = constraints.clone();
        for (v, _) in (0..).zip(is_bend).filter(|(_, is_bend)| **is_bend) {
            (0..constraints.width()).for_each(|d| natural.fix(v, d, 0.0));
        }
        let basis = Some(system.basis());
        let mut own = Self::over((solid, controls), basis, operators, &natural, solver)?;
        own.strip = BoundaryStrip::new(solid.topology(), system, constraints)?;
        Ok(own)
    }

    /// How K₁⁻¹ is applied.
    pub fn solver(&self) -> VertexSolver {
        self.vertices.solver()
    }

    /// What a device takes; `None` where K₁⁻¹ is a factor.
    pub(super) fn arrays(&self) -> Option<PreconditionerArrays<'_>> {
        let (levels, coarsest) = self.vertices.levels()?;
        let BoundaryStrip { unknowns, solve } = &self.strip;
        let strip = solve.as_ref().map(|solve| Strip { numbers: unknowns, solve: &**solve });
        let (limit, limit_polynomial) = (self.limit.rows(), LimitInverse::polynomial());
        let is_fixed = self.constraints.is_fixed();
        Some(PreconditionerArrays { is_fixed, limit, limit_polynomial, levels, coarsest, strip })
    }

    /// Writes M⁻¹ `r` into `z`; fixed unknowns are 0 in both.
    pub fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let Self { limit, constraints, vertices, strip, solution } = self;
        let clear = |y: &mut [f64]| constraints.clear(y);
        vertices.apply(limit.solve_transposed(r, clear), solution);
        z.copy_from_slice(limit.solve(solution, clear));
        strip.add(r, z);
    }
}

/// Unknowns at the boundary that are free: bends, and if they are few those of all vertices of cells
/// that touch it, too.
#[derive(Default)]
struct BoundaryStrip {
    // indices into [unknown][width], ascending
    unknowns: Vec<usize>,
    solve: Option<StripSolver>,
}

/// A factor of the rows and columns of the strip.
type StripSolver = Box<dyn Fn(&[f64]) -> Vec<f64> + Send + Sync>;

impl BoundaryStrip {
    fn new(
        topology: &Topology,
        system: &UnknownSystem<'_>,
        constraints: &Constraints,
    ) -> Result<Self> {
        let (is_bend, width) = (system.basis().is_bend(), constraints.width());
        let mut is_near = is_bend.to_vec();
        for cell in (0..topology.cell_count() as u32).filter(|&cell| !topology.is_ghost(cell)) {
            let corners = topology.cells().vertices(cell as usize);
            if corners.iter().any(|&v| topology.is_on_solid_boundary(v)) {
                corners.iter().for_each(|&v| is_near[v as usize] = true);
            }
        }
        let free = |among: &[bool]| -> Vec<usize> {
            let all = 0..constraints.values().len();
            all.filter(|&i| among[i / width] && !constraints.is_fixed()[i]).collect()
        };
        let mut unknowns = free(&is_near);
        if unknowns.len() > MAX_STRIP {
            unknowns = free(is_bend);
        }
        let block = system.block(&unknowns)?;
        let mut lower = SymmetricMatrix::default();
        for row in 0..block.rows() {
            block.row(row).for_each(|(column, value)| lower.add(row, column as usize, value));
        }
        if unknowns.is_empty() {
            return Ok(Self::default());
        }
        let factor = lower.factor(unknowns.len())?;
        Ok(Self { unknowns, solve: Some(Box::new(move |r| factor.solve(r))) })
    }

    /// Adds the solution for a residual.
    fn add(&self, r: &[f64], z: &mut [f64]) {
        let Some(solve) = &self.solve else { return };
        let own: Vec<f64> = self.unknowns.iter().map(|&i| r[i]).collect();
        self.unknowns.iter().zip(solve(&own)).for_each(|(&i, x)| z[i] += x);
    }
}
