//! The method of conjugate gradients.

use super::sum::dot;

/// Iterations at most, and the residual at which they end, as a part of the first.
const MAX_STEPS: usize = 10_000;
const RESIDUAL_FRACTION: f64 = 1e-24;

/// Solves a positive definite system, with its diagonal as preconditioner, to 12 digits; `None` if the
/// iteration does not converge, as where the system is not definite.
pub(crate) fn conjugate_gradients(
    product: impl Fn(&[f64]) -> Vec<f64>,
    diagonal: &[f64],
    rhs: &[f64],
) -> Option<Vec<f64>> {
    let mut x = vec![0.0; rhs.len()];
    let mut r = rhs.to_vec();
    let scaled = |r: &[f64]| r.iter().zip(diagonal).map(|(r, d)| r / d).collect::<Vec<f64>>();
    let mut z = scaled(&r);
    let mut p = z.clone();
    let mut gamma = dot(&r, &z);
    let enough = RESIDUAL_FRACTION * gamma;
    for _ in 0..MAX_STEPS {
        if gamma <= enough {
            return Some(x);
        }
        let q = product(&p);
        let energy = dot(&p, &q);
        if energy <= 0.0 || !energy.is_finite() {
            return None;
        }
        let alpha = gamma / energy;
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
        z = scaled(&r);
        let next = dot(&r, &z);
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + next / gamma * *p);
        gamma = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indefinite_systems_have_no_solution() {
        let product = |signs: [f64; 2]| move |x: &[f64]| vec![signs[0] * x[0], signs[1] * x[1]];
        let solve = |signs| conjugate_gradients(product(signs), &[1.0, 1.0], &[1.0, 2.0]);
        assert_eq!(solve([1.0, 1.0]), Some(vec![1.0, 2.0]));
        assert_eq!(solve([1.0, -1.0]), None);
        assert_eq!(solve([f64::NAN, 1.0]), None);
    }
}
