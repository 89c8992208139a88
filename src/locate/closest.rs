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
const MAX_STEPS: usize = 80;
/// Damping that is tried first when an undamped step fails.
const FIRST_DAMPING: f64 = 1e-6;
/// An undamped step is halved down to this part of it.
const MIN_STEP_FRACTION: f64 = 0.05;
const MAX_DAMPING: f64 = 1e10;
/// Most steps with second derivatives.
const NEWTON_STEPS: usize = 16;
/// Half of the way over which second derivatives are differences of first ones, in parameters.
const DIFFERENCE_STEP: f64 = 1e-5;
/// Cosine of the angle between the residual and a derivative at a place that is stationary, at
/// most.
const STATIONARY_COSINE: f64 = 1e-9;
/// A decrease that rounding hides, as a fraction of the squared distance.
const HIDDEN_DECREASE_FRACTION: f64 = 0.5 * f64::EPSILON;

/// A closest point.
#[derive(Clone, Copy, Debug)]
pub struct ClosestPoint {
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
) -> ClosestPoint {
    gauss_newton(&map, x.into(), domain, start, enough).closest()
}

/// Walks from `start` to a closest point of a box that `x` is not in, also where the box is folded.
pub fn closest_from_outside(
    map: impl Fn([f64; 3]) -> TricubicJet,
    x: [f64; 3],
    domain: SearchBox,
    start: [f64; 3],
) -> ClosestPoint {
    let x = Vector3::from(x);
    let found = gauss_newton(&map, x, domain, start, 0.0);
    if found.is_stationary(domain) {
        return found.closest();
    }
    newton(&map, x, domain, found).closest()
}

/// How far a walk has come.
struct WalkProgress {
    t: [f64; 3],
    jet: TricubicJet,
    residual: Vector3<f64>,
    squared: f64,
}

impl WalkProgress {
    fn at(map: impl Fn([f64; 3]) -> TricubicJet, x: Vector3<f64>, t: [f64; 3]) -> Self {
        let jet = map(t);
        let residual = jet.point - x;
        Self { t, jet, residual, squared: residual.norm_squared() }
    }

    fn closest(&self) -> ClosestPoint {
        ClosestPoint { parameters: self.t, distance: self.squared.sqrt() }
    }

    /// Half of the derivatives of the squared distance.
    fn gradient(&self) -> [f64; 3] {
        self.jet.derivatives.map(|j| j.dot(&self.residual))
    }

    /// Parameters that no side of the domain holds.
    fn free(&self, domain: SearchBox) -> [bool; 3] {
        let (t, gradient) = (self.t, self.gradient());
        std::array::from_fn(|d| {
            !(t[d] <= domain.low[d] && gradient[d] > 0.0
                || t[d] >= domain.high[d] && gradient[d] < 0.0)
        })
    }

    /// Whether the residual is normal to all derivatives that count.
    fn is_stationary(&self, domain: SearchBox) -> bool {
        let largest = self.jet.derivatives.iter().map(Vector3::norm).fold(0.0, f64::max);
        let (free, gradient) = (self.free(domain), self.gradient());
        let bound = STATIONARY_COSINE * largest * self.squared.sqrt();
        (0..3).all(|d| !free[d] || gradient[d].abs() <= bound)
    }
}

/// Walks on with second derivatives, as long as that comes nearer.
fn newton(
    map: &impl Fn([f64; 3]) -> TricubicJet,
    x: Vector3<f64>,
    domain: SearchBox,
    mut found: WalkProgress,
) -> WalkProgress {
    for _ in 0..NEWTON_STEPS {
        let (gradient, free) = (found.gradient(), found.free(domain));
        let Some(step) = newton_step(&hessian(map, x, domain, &found), gradient, free) else {
            break;
        };
        let nearer = (0..8).map(|halvings| 0.5_f64.powi(halvings)).find_map(|length| {
            let t = domain.clamp(std::array::from_fn(|d| found.t[d] + length * step[d]));
            let next = WalkProgress::at(map, x, t);
            (next.squared < found.squared).then_some(next)
        });
        let Some(next) = nearer else { break };
        found = next;
        if found.is_stationary(domain) {
            break;
        }
    }
    found
}

/// Half of the second derivatives of the squared distance, by central differences that stay in
/// the domain.
fn hessian(
    map: &impl Fn([f64; 3]) -> TricubicJet,
    x: Vector3<f64>,
    domain: SearchBox,
    found: &WalkProgress,
) -> Matrix3<f64> {
    let mut all = Matrix3::zeros();
    for d in 0..3 {
        let [a, b] = [-DIFFERENCE_STEP, DIFFERENCE_STEP].map(|by| {
            let mut t = found.t;
            t[d] += by;
            domain.clamp(t)
        });
        let [ga, gb] = [a, b].map(|t| Vector3::from(WalkProgress::at(map, x, t).gradient()));
        all.set_column(d, &((gb - ga) / (b[d] - a[d])));
    }
    0.5 * (all + all.transpose())
}

/// A step down from second derivatives, which are made positive definite if they are not.
fn newton_step(hessian: &Matrix3<f64>, gradient: [f64; 3], free: [bool; 3]) -> Option<[f64; 3]> {
    let (mut a, mut b) = (*hessian, -Vector3::from(gradient));
    for i in (0..3).filter(|&i| !free[i]) {
        a.fill_row(i, 0.0);
        a.fill_column(i, 0.0);
        a[(i, i)] = 1.0;
        b[i] = 0.0;
    }
    let largest = hessian.diagonal().amax();
    let damped = |damping: f64| (a + Matrix3::from_diagonal_element(damping * largest)).cholesky();
    let factor = [0.0, 1e-6, 1e-3, 1.0].into_iter().find_map(damped)?;
    Some(factor.solve(&b).into())
}

fn gauss_newton(
    map: &impl Fn([f64; 3]) -> TricubicJet,
    x: Vector3<f64>,
    domain: SearchBox,
    start: [f64; 3],
    enough: f64,
) -> WalkProgress {
    let mut found = WalkProgress::at(map, x, domain.clamp(start));
    let mut damping = 0.0;
    'steps: for _ in 0..MAX_STEPS {
        if found.squared <= enough * enough {
            break;
        }
        let (gradient, free) = (found.gradient(), found.free(domain));
        // undamped steps are shortened first, then damped
        let mut length = 1.0;
        loop {
            let step = descent(&found.jet.derivatives, gradient, free, damping);
            // what it promises is lost in rounding
            if step.is_some_and(|step| {
                promise(gradient, step) <= HIDDEN_DECREASE_FRACTION * found.squared
            }) {
                break 'steps;
            }
            let t = found.t;
            let next =
                step.map(|step| domain.clamp(std::array::from_fn(|d| t[d] + length * step[d])));
            if let Some(next) = next {
                let moved = (0..3).map(|d| (next[d] - t[d]).abs()).fold(0.0, f64::max);
                let next = WalkProgress::at(map, x, next);
                if next.squared < found.squared {
                    found = next;
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
    found
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
