//! Systems L P = V of limit masks.

use rayon::prelude::*;

use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::mesh::check_value_count;
use crate::plan::adjoint::transposed;
use crate::scheme::Stencils;

/// The interval of eigenvalues for the Chebyshev iteration: 1/27 is the least of regular solids,
/// 1/9 of regular surfaces.
const EIGENVALUES: [f64; 2] = [1.0 / 30.0, 1.05];
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
/// Entries that are summed together.
const SUM_ENTRIES: usize = 4096;

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

    /// Controls `[vertex][width]` whose limits at the vertices are `values`, to 10⁻¹² of the
    /// largest difference of values or better. Where several exist, those nearest to `values`.
    ///
    /// # Errors
    /// [`Error::Request`] if there are not `width` values a vertex; [`Error::Mesh`] where no
    /// controls have these limits, with the vertex that is missed by most.
    pub fn solve(&self, values: &[f64], width: usize) -> Result<Vec<f64>> {
        check_value_count(values, width, self.rows.len())?;
        let scale = crate::mesh::component_ranges(values, width)
            .iter()
            .fold(0.0f64, |most, [low, high]| most.max(high - low));
        if scale == 0.0 {
            return Ok(values.to_vec());
        }
        let mut controls = values.to_vec();
        let mut residual = self.residual(values, &controls, width);
        let mut left = largest(&residual);
        for _ in 0..CHEBYSHEV_PASSES {
            if left <= SOLVED_FRACTION * scale {
                break;
            }
            let mut tried = controls.clone();
            self.chebyshev(&mut tried, residual.clone(), width);
            let after = self.residual(values, &tried, width);
            let now = largest(&after);
            if now < left {
                (controls, residual, left) = (tried, after, now);
            } else {
                // it has ended, or diverged
                break;
            }
        }
        if left > GOOD_FRACTION * scale {
            controls = self.conjugate_gradients(values, width);
            residual = self.residual(values, &controls, width);
            left = largest(&residual);
        }
        if left <= REFUSED_FRACTION * scale {
            return Ok(controls);
        }
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

    /// V − L P.
    fn residual(&self, values: &[f64], controls: &[f64], width: usize) -> Vec<f64> {
        let limits = self.rows.apply(controls, width);
        values.par_iter().zip(limits).map(|(v, l)| v - l).collect()
    }

    /// Adds to P the solution for a residual: Saad, "Iterative methods for sparse linear systems"
    /// (2003), Algorithm 12.1.
    fn chebyshev(&self, controls: &mut [f64], mut residual: Vec<f64>, width: usize) {
        let [low, high] = EIGENVALUES;
        let (center, half) = ((high + low) / 2.0, (high - low) / 2.0);
        let mut rho = half / center;
        let mut step: Vec<f64> = residual.iter().map(|r| r / center).collect();
        let mut product = vec![0.0; residual.len()];
        for _ in 0..CHEBYSHEV_STEPS {
            self.rows.apply_into(&step, width, &mut product);
            controls.par_iter_mut().zip(&step).for_each(|(x, d)| *x += d);
            residual.par_iter_mut().zip(&product).for_each(|(r, p)| *r -= p);
            let next = 1.0 / (2.0 * center / half - rho);
            let [keep, take] = [next * rho, 2.0 * next / half];
            step.par_iter_mut().zip(&residual).for_each(|(d, r)| *d = keep * *d + take * r);
            rho = next;
        }
    }

    /// The solution nearest to the values, by conjugate gradients of LᵀL: Björck, "Numerical
    /// methods for least squares problems" (1996), Algorithm 7.4.1.
    fn conjugate_gradients(&self, values: &[f64], width: usize) -> Vec<f64> {
        let (columns, weights) = transposed(&self.rows, self.rows.len());
        let back = |r: &[f64]| {
            let mut s = vec![0.0; r.len()];
            columns.gather(r, width, Some(&weights), &mut s);
            s
        };
        let mut x = values.to_vec();
        let mut r = self.residual(values, &x, width);
        let mut p = back(&r);
        let mut gamma = dot(&p, &p);
        let enough = GRADIENT_FRACTION * gamma;
        for _ in 0..GRADIENT_STEPS {
            if gamma <= enough {
                break;
            }
            let q = self.rows.apply(&p, width);
            let alpha = gamma / dot(&q, &q);
            x.par_iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
            r.par_iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
            let s = back(&r);
            let next = dot(&s, &s);
            p.par_iter_mut().zip(&s).for_each(|(p, s)| *p = s + next / gamma * *p);
            gamma = next;
        }
        x
    }
}

/// Largest magnitude; NaN if one is.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, x| if x.is_nan() { f64::NAN } else { most.max(x.abs()) })
}

/// Dot product, in an order that depends on the length alone.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let sums: Vec<f64> = a
        .par_chunks(SUM_ENTRIES)
        .zip(b.par_chunks(SUM_ENTRIES))
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum())
        .collect();
    sums.iter().sum()
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
