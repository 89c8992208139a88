//! Minimization by L-BFGS: Nocedal and Wright, "Numerical optimization" (2006), Algorithm 7.4,
//! with a backtracking search (Algorithm 3.1).

use crate::interrupt::stop_point;
use std::collections::VecDeque;

use rayon::prelude::*;

/// Steps that the inverse Hessian is made from.
const KEPT_STEPS: usize = 10;
/// Vertices that are summed together.
const SUM_VERTICES: usize = 4096;

type Field = Vec<[f64; 3]>;

/// Minimizes from `points` for at most `steps` steps, the first no longer than `reach`; returns
/// the energy reached.
pub(super) fn minimize(
    points: &mut Field,
    steps: usize,
    reach: f64,
    function: impl Fn(&[[f64; 3]]) -> (f64, Field),
) -> f64 {
    let (mut value, mut gradient) = function(points);
    let mut memory: VecDeque<(Field, Field, f64)> = VecDeque::new();
    for _ in 0..steps {
        stop_point();
        let mut direction = descent(&gradient, &memory);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 && !memory.is_empty() {
            memory.clear();
            direction = descent(&gradient, &memory);
            slope = dot(&direction, &gradient);
        }
        if slope >= 0.0 || !slope.is_finite() {
            break;
        }
        let longest = direction.iter().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
        let mut step = if memory.is_empty() { (reach / longest).min(1.0) } else { 1.0 };
        let mut found = None;
        for _ in 0..40 {
            stop_point();
            let trial = combined(points, &direction, step);
            let (energy, slopes) = function(&trial);
            if energy <= value + 1e-4 * step * slope {
                found = Some((trial, energy, slopes));
                break;
            }
            step *= 0.5;
        }
        let Some((trial, energy, slopes)) = found else {
            if memory.is_empty() {
                break;
            }
            memory.clear();
            continue;
        };
        let moved = combined(&trial, points, -1.0);
        let change = combined(&slopes, &gradient, -1.0);
        let curvature = dot(&moved, &change);
        if curvature > 1e-12 * dot(&change, &change) * dot(&moved, &moved).sqrt().min(1.0) {
            if memory.len() == KEPT_STEPS {
                memory.pop_front();
            }
            memory.push_back((moved, change, 1.0 / curvature));
        }
        let fallen = value - energy;
        (*points, value, gradient) = (trial, energy, slopes);
        if fallen <= 1e-9 * value.abs() {
            break;
        }
    }
    value
}

/// −H gradient, by two loops over the memory.
fn descent(gradient: &Field, memory: &VecDeque<(Field, Field, f64)>) -> Field {
    let mut q: Field = gradient.par_iter().map(|g| g.map(|x| -x)).collect();
    let mut factors = Vec::with_capacity(memory.len());
    for (moved, change, rho) in memory.iter().rev() {
        let alpha = rho * dot(moved, &q);
        q = combined(&q, change, -alpha);
        factors.push(alpha);
    }
    if let Some((_, change, rho)) = memory.back() {
        let scale = 1.0 / (rho * dot(change, change));
        q.par_iter_mut().for_each(|x| *x = x.map(|x| scale * x));
    }
    for ((moved, change, rho), alpha) in memory.iter().zip(factors.into_iter().rev()) {
        let beta = rho * dot(change, &q);
        q = combined(&q, moved, alpha - beta);
    }
    q
}

/// a + factor b.
fn combined(a: &[[f64; 3]], b: &[[f64; 3]], factor: f64) -> Field {
    let sum = |(a, b): (&[f64; 3], &[f64; 3])| std::array::from_fn(|d| a[d] + factor * b[d]);
    a.par_iter().zip(b).map(sum).collect()
}

/// Dot product, in an order that depends on the length alone.
fn dot(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let sums: Vec<f64> = a
        .par_chunks(SUM_VERTICES)
        .zip(b.par_chunks(SUM_VERTICES))
        .map(|(a, b)| a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| a * b).sum())
        .collect();
    sums.iter().sum()
}
