//! Systems L P = V of limit masks.

use crate::assembly::LIMIT_EIGENVALUES;
use crate::backend::{Backend, Cpu, SparseVectors};
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::mesh::check_value_count;
use crate::numbers::chebyshev::Chebyshev;
use crate::scheme::Stencils;

/// Products with L of a Chebyshev pass, and passes. A pass gains about 11 digits.
const CHEBYSHEV_STEPS: usize = 40;
const CHEBYSHEV_PASSES: usize = 3;
/// Products with L and its transpose at most, and the squared gradient at which they end, as a part
/// of the first.
const GRADIENT_STEPS: usize = 2000;
const GRADIENT_FRACTION: f64 = 1e-32;
/// A residual that counts as solved, as a fraction of the largest difference of the values.
const SOLVED_FRACTION: f64 = 1e-14;
/// A residual that needs no other method.
const GOOD_FRACTION: f64 = 1e-12;
/// A residual that is not refused.
const REFUSED_FRACTION: f64 = 1e-10;

// Vectors: limits V, controls P and those that are tried, V - L P, a direction, and a product.
const VALUES: usize = 0;
const CONTROLS: usize = 1;
const TRIED: usize = 2;
const RESIDUAL: usize = 3;
const DIRECTION: usize = 4;
const PRODUCT: usize = 5;
const VECTORS: usize = 6;

/// Limit masks of all vertices of a mesh, for control points from limit points.
#[derive(Debug)]
pub struct LimitSystem {
    // row v: the limit at vertex v
    rows: Stencils,
}

impl LimitSystem {
    /// Of limit masks, one row a vertex.
    pub fn new(rows: Stencils) -> Self {
        Self { rows }
    }

    /// The matrix L, `[vertex][control point]`.
    pub fn rows(&self) -> &Stencils {
        &self.rows
    }

    /// Brings L to a processor, to solve L P = V there again and again.
    ///
    /// # Errors
    /// As [`Backend::vectors`].
    pub fn solver(&self, backend: &dyn Backend) -> Result<LimitSolver<'_>> {
        let vectors = backend.vectors(&self.rows)?;
        Ok(LimitSolver { vectors, rows: self.rows.len(), seconds: 0.0 })
    }

    /// [`LimitSolver::solve`] on the CPU.
    ///
    /// # Errors
    /// As [`LimitSolver::solve`].
    pub fn solve(&self, values: &[f64], width: usize) -> Result<Vec<f64>> {
        self.solver(&Cpu::default())?.solve(values, width)
    }
}

/// A [`LimitSystem`] on a processor. Made by [`LimitSystem::solver`].
pub struct LimitSolver<'s> {
    vectors: Box<dyn SparseVectors + 's>,
    rows: usize,
    seconds: f64,
}

impl LimitSolver<'_> {
    /// Controls `[vertex][width]` whose limits at the vertices are `values`, to 10⁻¹² of the
    /// largest difference of values or better. Where several exist, those nearest to `values`.
    /// They are the same bits on all processors.
    ///
    /// # Errors
    /// [`Error::Request`] if there are not `width` values a vertex, and for too little memory of a
    /// device; [`Error::Mesh`] where no controls have these limits, with the vertex that is missed
    /// by most.
    pub fn solve(&mut self, values: &[f64], width: usize) -> Result<Vec<f64>> {
        check_value_count(values, width, self.rows)?;
        let scale = crate::mesh::component_ranges(values, width)
            .iter()
            .fold(0.0f64, |most, [low, high]| most.max(high - low));
        if scale == 0.0 {
            return Ok(values.to_vec());
        }
        self.vectors.start(width, VECTORS)?;
        self.vectors.set(VALUES, values)?;
        self.vectors.combine(CONTROLS, [0.0, 1.0], VALUES)?;
        let mut left = self.residual(CONTROLS)?;
        for _ in 0..CHEBYSHEV_PASSES {
            if left <= SOLVED_FRACTION * scale {
                break;
            }
            self.vectors.combine(TRIED, [0.0, 1.0], CONTROLS)?;
            self.chebyshev(TRIED)?;
            let now = self.residual(TRIED)?;
            if now < left {
                self.vectors.combine(CONTROLS, [0.0, 1.0], TRIED)?;
                left = now;
            } else {
                // it has ended, or diverged
                break;
            }
        }
        if left > GOOD_FRACTION * scale {
            self.conjugate_gradients()?;
            left = self.residual(CONTROLS)?;
        }
        self.seconds = self.vectors.seconds()?;
        if left <= REFUSED_FRACTION * scale {
            return self.vectors.read(CONTROLS);
        }
        let residual = self.vectors.read(RESIDUAL)?;
        let worst =
            (0..residual.len()).max_by(|&a, &b| residual[a].abs().total_cmp(&residual[b].abs()));
        let vertex = worst.unwrap_or(0) / width;
        Err(Error::mesh(message!(
            "no control points have these limits: ",
            Vertex.id(vertex as u32),
            format!(" is missed by {left:.1e}")
        ))
        .with_help(
            "refine the mesh once, or fit to a target, which misses vertices by least squares",
        ))
    }

    /// Seconds that the last solution took on the processor, without copies to and from a device.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Makes the residual V − L P of some controls; returns its largest magnitude.
    fn residual(&mut self, controls: usize) -> Result<f64> {
        self.vectors.apply(controls, RESIDUAL)?;
        self.vectors.combine(RESIDUAL, [-1.0, 1.0], VALUES)?;
        self.vectors.largest(RESIDUAL)
    }

    /// Adds to controls the solution for their residual.
    fn chebyshev(&mut self, controls: usize) -> Result<()> {
        let vectors = &mut *self.vectors;
        let steps = Chebyshev::new(LIMIT_EIGENVALUES);
        vectors.combine(DIRECTION, [0.0, steps.first()], RESIDUAL)?;
        for factors in steps.take(CHEBYSHEV_STEPS) {
            vectors.apply(DIRECTION, PRODUCT)?;
            vectors.combine(controls, [1.0, 1.0], DIRECTION)?;
            vectors.combine(RESIDUAL, [1.0, -1.0], PRODUCT)?;
            vectors.combine(DIRECTION, factors, RESIDUAL)?;
        }
        Ok(())
    }

    /// The solution nearest to the values, by conjugate gradients of LᵀL: Björck, "Numerical
    /// methods for least squares problems" (1996), Algorithm 7.4.1.
    fn conjugate_gradients(&mut self) -> Result<()> {
        self.vectors.combine(CONTROLS, [0.0, 1.0], VALUES)?;
        self.residual(CONTROLS)?;
        let vectors = &mut *self.vectors;
        vectors.apply_transposed(RESIDUAL, DIRECTION)?;
        let mut gamma = vectors.dot(DIRECTION, DIRECTION)?;
        let enough = GRADIENT_FRACTION * gamma;
        for _ in 0..GRADIENT_STEPS {
            if gamma <= enough {
                break;
            }
            vectors.apply(DIRECTION, PRODUCT)?;
            let alpha = gamma / vectors.dot(PRODUCT, PRODUCT)?;
            vectors.combine(CONTROLS, [1.0, alpha], DIRECTION)?;
            vectors.combine(RESIDUAL, [1.0, -alpha], PRODUCT)?;
            vectors.apply_transposed(RESIDUAL, PRODUCT)?;
            let next = vectors.dot(PRODUCT, PRODUCT)?;
            vectors.combine(DIRECTION, [next / gamma, 1.0], PRODUCT)?;
            gamma = next;
        }
        Ok(())
    }
}
