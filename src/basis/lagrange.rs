//! Lagrange polynomials of equally spaced nodes.

/// Values at t of the Lagrange polynomials of nodes i / order.
pub fn lagrange_weights(order: usize, t: f64) -> Vec<f64> {
    let x = t * order as f64;
    let factor = |i: usize, j: usize| (x - j as f64) / (i as f64 - j as f64);
    let weight = |i: usize| (0..=order).filter(|&j| j != i).map(|j| factor(i, j)).product();
    (0..=order).map(weight).collect()
}
