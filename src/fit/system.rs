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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shape::Shape;
    use crate::scheme::Scheme;
    use crate::surface::boundary_surface;
    use crate::surface::limit::LimitSurface;

    fn masks(cells: [usize; 3], creased: bool) -> (LimitSystem, Vec<[f64; 3]>) {
        let mut mesh = Shape::Box { cells }.build().unwrap();
        if creased {
            crate::refine::crease_by_angle(&mut mesh, 40.0).unwrap();
        }
        let skin = boundary_surface(&mesh).unwrap();
        let surface = LimitSurface::of_mesh(&skin, Scheme::CatmullClark).unwrap();
        (LimitSystem::new(surface.vertex_masks().positions().clone()), skin.points)
    }

    #[test]
    fn limits_pass_through_values() {
        for (cells, creased) in [([2, 3, 4], false), ([2, 3, 4], true), ([5, 1, 1], false)] {
            let (system, points) = masks(cells, creased);
            let values: Vec<f64> =
                points.iter().flat_map(|&[x, y, z]| [x * x + 1e6, (y - z).sin(), z]).collect();
            let controls = system.solve(&values, 3).unwrap();
            let limits = system.rows().apply(&controls, 3);
            let most = limits.iter().zip(&values).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(most <= 1e-9, "{cells:?} {creased}: {most:e}");
        }
    }

    /// One solver for arrays of several widths, each as if it were alone.
    #[test]
    fn a_solver_is_used_again() {
        let (system, points) = masks([3, 2, 2], true);
        let mut solver = system.solver(&Cpu::default()).unwrap();
        let wave: Vec<f64> = points.iter().map(|p| (p[0] + 2.0 * p[1]).sin()).collect();
        for (values, width) in [(&wave[..], 1), (points.as_flattened(), 3), (&wave[..], 1)] {
            let controls = solver.solve(values, width).unwrap();
            assert_eq!(controls, system.solve(values, width).unwrap());
            let limits = system.rows().apply(&controls, width);
            assert!(limits.iter().zip(values).all(|(a, b)| (a - b).abs() < 1e-12));
            assert!(solver.seconds() > 0.0);
        }
        assert!(solver.solve(&wave, 2).is_err());
    }

    /// The limit of the smooth cube does not see vertices that move in and out by turns.
    #[test]
    fn a_singular_system_moves_as_little_as_it_can() {
        let (system, points) = masks([1; 3], false);
        let controls = system.solve(points.as_flattened(), 3).unwrap();
        // the cube about (1/2, 1/2, 1/2), by 24/12 = 2
        for (x, control) in points.as_flattened().iter().zip(&controls) {
            assert!((control - (2.0 * x - 0.5)).abs() < 1e-12, "{x} {control}");
        }
        let alternating: Vec<f64> =
            points.iter().map(|p| 1.0 - 2.0 * (p.iter().sum::<f64>() as u32 % 2) as f64).collect();
        let refused = system.solve(&alternating, 1).unwrap_err();
        assert!(refused.to_string().contains("no control points have these limits"), "{refused}");
    }
}
