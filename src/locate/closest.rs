//! The point of a curved box that is closest to a point in space, by damped
//! Gauss-Newton steps that stay in the box.
//!
//! Inside, the residual vanishes and a step is Newton's: it converges
//! quadratically. Parameters that a step would push out of the box are held at its
//! side. Damping (Levenberg-Marquardt) carries over places where the Jacobian
//! degenerates, as at the smooth edges of a box-shaped mesh.

use nalgebra::{Matrix3, Vector3};

use super::tricubic::TricubicJet;

/// Most steps; degenerate roots halve the error a step.
const STEPS: usize = 80;
/// Damping that is tried first when an undamped step fails.
const FIRST_DAMPING: f64 = 1e-6;
/// An undamped step is halved down to this part of it.
const MIN_STEP_FRACTION: f64 = 0.05;
const MAX_DAMPING: f64 = 1e10;
/// A decrease that rounding hides, as a fraction of the squared distance.
const HIDDEN: f64 = 0.5 * f64::EPSILON;

/// A closest point.
#[derive(Clone, Copy, Debug)]
pub struct Closest {
    /// Parameters of the point in the box.
    pub parameters: [f64; 3],
    /// Distance of the point, in length units.
    pub distance: f64,
}

/// A box of parameters.
#[derive(Clone, Copy, Debug)]
pub struct SearchBox {
    pub low: [f64; 3],
    pub high: [f64; 3],
}

impl SearchBox {
    pub const UNIT: Self = Self { low: [0.0; 3], high: [1.0; 3] };

    pub fn clamp(&self, t: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|d| t[d].clamp(self.low[d], self.high[d]))
    }
}

/// Walks from `start` to a closest point; nearer than `enough` will do.
pub fn closest(
    map: impl Fn([f64; 3]) -> TricubicJet,
    x: [f64; 3],
    domain: SearchBox,
    start: [f64; 3],
    enough: f64,
) -> Closest {
    let x = Vector3::from(x);
    let mut t = domain.clamp(start);
    let mut jet = map(t);
    let mut residual = jet.point - x;
    let mut squared = residual.norm_squared();
    let mut damping = 0.0;
    'steps: for _ in 0..STEPS {
        if squared <= enough * enough {
            break;
        }
        let gradient = jet.derivatives.map(|j| j.dot(&residual));
        let free: [bool; 3] = std::array::from_fn(|d| {
            !(t[d] <= domain.low[d] && gradient[d] > 0.0
                || t[d] >= domain.high[d] && gradient[d] < 0.0)
        });
        // undamped steps are shortened first, then damped
        let mut length = 1.0;
        loop {
            let step = descent(&jet.derivatives, gradient, free, damping);
            // what it promises is lost in rounding
            if step.is_some_and(|step| promise(gradient, step) <= HIDDEN * squared) {
                break 'steps;
            }
            let next =
                step.map(|step| domain.clamp(std::array::from_fn(|d| t[d] + length * step[d])));
            if let Some(next) = next {
                let moved = (0..3).map(|d| (next[d] - t[d]).abs()).fold(0.0, f64::max);
                let next_jet = map(next);
                let next_residual = next_jet.point - x;
                let next_squared = next_residual.norm_squared();
                if next_squared < squared {
                    (t, jet, residual, squared) = (next, next_jet, next_residual, next_squared);
                    damping = if damping > FIRST_DAMPING { 0.1 * damping } else { 0.0 };
                    break;
                }
                // as near as rounding lets it come
                if moved < 1e-13 {
                    break 'steps;
                }
            }
            if next.is_some() && damping == 0.0 && length > MIN_STEP_FRACTION {
                length *= 0.5;
            } else {
                length = 1.0;
                damping = if damping == 0.0 { FIRST_DAMPING } else { 10.0 * damping };
                if damping > MAX_DAMPING {
                    break 'steps;
                }
            }
        }
    }
    Closest { parameters: t, distance: squared.sqrt() }
}

/// By how much a step lowers the squared distance if that is as its model says, at least.
fn promise(gradient: [f64; 3], step: [f64; 3]) -> f64 {
    -(0..3).map(|d| gradient[d] * step[d]).sum::<f64>()
}

/// Solves (JᵀJ + damping · diagonal) step = −gradient for the free parameters, by
/// Cholesky; `None` if that fails.
fn descent(
    derivatives: &[Vector3<f64>; 3],
    gradient: [f64; 3],
    free: [bool; 3],
    damping: f64,
) -> Option<[f64; 3]> {
    let mut a = Matrix3::zeros();
    let mut b = Vector3::zeros();
    let largest = derivatives.iter().map(Vector3::norm_squared).fold(0.0, f64::max);
    for i in 0..3 {
        for j in 0..3 {
            if free[i] && free[j] {
                a[(i, j)] = derivatives[i].dot(&derivatives[j]);
            }
        }
        // a share of the largest, so that vanishing derivatives are damped too
        a[(i, i)] += damping * (a[(i, i)] + 1e-3 * largest);
        if free[i] {
            b[i] = -gradient[i];
        } else {
            a[(i, i)] = 1.0;
        }
    }
    let factor = a.cholesky()?;
    let pivot = |i: usize| factor.l_dirty()[(i, i)].powi(2);
    // what rounding leaves of a singular matrix
    let is_regular = (0..3).all(|i| pivot(i) > 1e-15 * a[(i, i)]);
    is_regular.then(|| factor.solve(&b).into())
}
