//! The preconditioner M⁻¹ = L⁻¹ K₁⁻¹ L⁻ᵀ.

use rayon::prelude::*;

use super::vertex_solver::{FreeSystem, VertexSolver};
use super::{Constraints, UnknownSystem};
use crate::assembly::{CellOperators, assemble_linear};
use crate::error::Result;
use crate::fit::LIMIT_EIGENVALUES;
use crate::limit::Solid;
use crate::numbers::chebyshev::Chebyshev;
use crate::plan::adjoint::{IndexRows, transposed};
use crate::process::sparse::{Factor, SymmetricMatrix};
use crate::scheme::Stencils;
use crate::topology::Topology;

/// Terms of the polynomial for L⁻¹: more save iterations that cost as much.
const CHEBYSHEV_STEPS: usize = 10;
/// Unknowns of the strip along the boundary up to which a factor of all of them is taken.
const MAX_STRIP: usize = 40_000;
/// Numbers of a work item at least.
const TASK_NUMBERS: usize = 8192;

/// Takes a residual to about the error of the solution; see [`crate::solve`].
pub struct LimitPreconditioner {
    limit: Stencils,
    // the columns of the limit masks
    columns: (IndexRows, Vec<f64>),
    // and of ghosts all fixed
    constraints: Constraints,
    vertices: FreeSystem,
    strip: BoundaryStrip,
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
        Self::over((solid, controls), None, operators, constraints, solver)
    }

    /// `images`: the vertex whose value each has.
    fn over(
        (solid, controls): (&Solid, &[[f64; 3]]),
        images: Option<&[u32]>,
        operators: &CellOperators,
        constraints: &Constraints,
        solver: VertexSolver,
    ) -> Result<Self> {
        let limit = solid.limit_matrix();
        let points = limit.apply(controls.as_flattened(), 3);
        let points = points.as_chunks::<3>().0;
        let mut matrix = assemble_linear(solid.topology(), points, operators)?;
        if let Some(images) = images {
            matrix = matrix.identified(images);
        }
        let vertices = FreeSystem::new(&matrix, points, constraints, solver)?;
        let columns = transposed(&limit, limit.len());
        let vectors = [(); 4].map(|()| vec![0.0; constraints.values().len()]);
        let constraints = constraints.clone();
        Ok(Self { limit, columns, constraints, vertices, strip: BoundaryStrip::default(), vectors })
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
        let images = system.basis().images();
        let mut own = Self::over((solid, controls), images, operators, &natural, solver)?;
        own.limit = system.basis().natural_limits(&own.limit);
        own.columns = transposed(&own.limit, own.limit.len());
        own.strip = BoundaryStrip::new(solid.topology(), system, constraints)?;
        Ok(own)
    }

    /// How K₁⁻¹ is applied.
    pub fn solver(&self) -> VertexSolver {
        self.vertices.solver()
    }

    /// Writes M⁻¹ `r` into `z`; fixed unknowns are 0 in both.
    pub fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let Self { limit, columns: (columns, weights), constraints, vertices, strip, vectors } =
            self;
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
        strip.add(r, z);
    }
}

/// Unknowns at the boundary that are free: bends, and if they are few those of all vertices of cells
/// that touch it, too.
#[derive(Default)]
struct BoundaryStrip {
    // indices into [unknown][width], ascending
    unknowns: Vec<usize>,
    factor: Option<Factor>,
}

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
        let factor = if unknowns.is_empty() { None } else { Some(lower.factor(unknowns.len())?) };
        Ok(Self { unknowns, factor })
    }

    /// Adds the solution for a residual.
    fn add(&self, r: &[f64], z: &mut [f64]) {
        let Some(factor) = &self.factor else { return };
        let own: Vec<f64> = self.unknowns.iter().map(|&i| r[i]).collect();
        self.unknowns.iter().zip(factor.solve(&own)).for_each(|(&i, x)| z[i] += x);
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
