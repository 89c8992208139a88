//! The method of conjugate gradients.

use super::sum::dot;
use crate::interrupt::stop_point;

/// Iterations at most.
const MAX_STEPS: usize = 10_000;
/// The residual that 12 digits leave, as a part of the first.
pub(crate) const TWELVE_DIGITS: f64 = 1e-12;

/// A solution, and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Iterated {
    pub x: Vec<f64>,
    /// Number of iterations.
    pub steps: usize,
}

/// Solves a positive definite system until the residual r is at most `fraction` of the first one in
/// the norm √(r · z), z = `precondition`(r), which is about that of the energy; `None` if the
/// iteration does not converge, as where the system is not definite. `product` and `precondition`
/// write into their second argument.
pub(crate) fn conjugate_gradients(
    mut product: impl FnMut(&[f64], &mut [f64]),
    mut precondition: impl FnMut(&[f64], &mut [f64]),
    rhs: &[f64],
    fraction: f64,
) -> Option<Iterated> {
    let mut x = vec![0.0; rhs.len()];
    let mut r = rhs.to_vec();
    let [mut z, mut q] = [vec![0.0; rhs.len()], vec![0.0; rhs.len()]];
    precondition(&r, &mut z);
    let mut p = z.clone();
    let mut gamma = dot(&r, &z);
    let enough = fraction * fraction * gamma;
    for steps in 0..MAX_STEPS {
        stop_point();
        if gamma <= enough {
            return Some(Iterated { x, steps });
        }
        product(&p, &mut q);
        let energy = dot(&p, &q);
        if energy <= 0.0 || !energy.is_finite() {
            return None;
        }
        let alpha = gamma / energy;
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
        precondition(&r, &mut z);
        let next = dot(&r, &z);
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + next / gamma * *p);
        gamma = next;
    }
    None
}

/// The diagonal of a matrix as preconditioner.
pub(crate) fn by_diagonal(diagonal: &[f64]) -> impl FnMut(&[f64], &mut [f64]) {
    move |r, z| z.iter_mut().zip(r).zip(diagonal).for_each(|((z, r), d)| *z = r / d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indefinite_systems_have_no_solution() {
        let solve = |signs: [f64; 2]| {
            let product = |x: &[f64], y: &mut [f64]| (0..2).for_each(|i| y[i] = signs[i] * x[i]);
            let found = conjugate_gradients(product, by_diagonal(&[1.0; 2]), &[1.0, 2.0], 1e-12);
            found.map(|found| found.x)
        };
        assert_eq!(solve([1.0, 1.0]), Some(vec![1.0, 2.0]));
        assert_eq!(solve([1.0, -1.0]), None);
        assert_eq!(solve([f64::NAN, 1.0]), None);
    }
}
