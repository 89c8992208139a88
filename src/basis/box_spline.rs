//! One triangle of the quartic box spline, the limit of Loop subdivision on a regular
//! triangle mesh.
//!
//! # Theory
//! The triangle with parameters u, v ≥ 0, u + v ≤ 1 is governed by twelve control points:
//! its corners and their neighbors. At lattice coordinates (i, j) the corners are (0, 0)
//! for u = v = 0, (1, 0) for u = 1 and (0, 1) for v = 1; neighbors differ by ±(1, 0),
//! ±(0, 1) or ±(1, −1). The control points are ordered by j, then i:
//!
//! ```text
//! (0,-1) (1,-1) (2,-1)   (-1,0) (0,0) (1,0) (2,0)   (-1,1) (0,1) (1,1)   (-1,2) (0,2)
//! ```
//!
//! In the barycentric coordinates a = 1 − u − v, b = u, c = v each weight is a quartic
//! with integer coefficients over 12 (Stam, "Evaluation of Loop subdivision surfaces",
//! 1998). At a straight boundary the missing control points are the phantoms
//! p = q + r − s: across a boundary edge q r of a triangle q r s.

/// Lattice coordinates of the control points.
pub const LATTICE: [[i32; 2]; 12] = [
    [0, -1],
    [1, -1],
    [2, -1],
    [-1, 0],
    [0, 0],
    [1, 0],
    [2, 0],
    [-1, 1],
    [0, 1],
    [1, 1],
    [-1, 2],
    [0, 2],
];

/// Weights of the derivative of `orders` (each 0 to 2) by u and v at (u, v); for the
/// position (0, 0) they are ≥ 0 and sum to 1.
pub fn weights(orders: [usize; 2], [u, v]: [f64; 2]) -> [f64; 12] {
    let monomials = EXPONENTS.map(|exponents| monomial(exponents, orders, [1.0 - u - v, u, v]));
    COEFFICIENTS.map(|row| row.iter().zip(monomials).map(|(c, m)| c * m).sum::<f64>() / 12.0)
}

/// aⁱ bʲ cᵏ, differentiated by u (∂b − ∂a) and v (∂c − ∂a).
fn monomial(exponents: [i32; 3], orders: [usize; 2], point: [f64; 3]) -> f64 {
    let Some(d) = (0..2).find(|&d| orders[d] > 0) else {
        return (0..3).map(|k| point[k].powi(exponents[k])).product();
    };
    let mut rest = orders;
    rest[d] -= 1;
    let by = |k: usize| {
        let mut lower = exponents;
        lower[k] -= 1;
        let factor = f64::from(exponents[k]);
        if factor > 0.0 { factor * monomial(lower, rest, point) } else { 0.0 }
    };
    by(d + 1) - by(0)
}

/// Exponents of a, b, c.
const EXPONENTS: [[i32; 3]; 15] = [
    [4, 0, 0],
    [3, 1, 0],
    [3, 0, 1],
    [2, 2, 0],
    [2, 1, 1],
    [2, 0, 2],
    [1, 3, 0],
    [1, 2, 1],
    [1, 1, 2],
    [1, 0, 3],
    [0, 4, 0],
    [0, 3, 1],
    [0, 2, 2],
    [0, 1, 3],
    [0, 0, 4],
];

/// Twelve times the coefficients of each weight: `[control point][monomial]`.
#[rustfmt::skip]
const COEFFICIENTS: [[f64; 15]; 12] = [
    [1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], // (0, -1)
    [1.0, 6.0, 2.0, 12.0, 6.0, 0.0, 6.0, 6.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0], // (1, -1)
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], // (2, -1)
    [1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], // (-1, 0)
    [6.0, 24.0, 24.0, 24.0, 60.0, 24.0, 8.0, 36.0, 36.0, 8.0, 1.0, 6.0, 12.0, 6.0, 1.0], // (0, 0)
    [1.0, 8.0, 6.0, 24.0, 36.0, 12.0, 24.0, 60.0, 36.0, 6.0, 6.0, 24.0, 24.0, 8.0, 1.0], // (1, 0)
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0], // (2, 0)
    [1.0, 2.0, 6.0, 0.0, 6.0, 12.0, 0.0, 0.0, 6.0, 6.0, 0.0, 0.0, 0.0, 2.0, 1.0], // (-1, 1)
    [1.0, 6.0, 8.0, 12.0, 36.0, 24.0, 6.0, 36.0, 60.0, 24.0, 1.0, 8.0, 24.0, 24.0, 6.0], // (0, 1)
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 6.0, 6.0, 2.0, 1.0, 6.0, 12.0, 6.0, 1.0], // (1, 1)
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0], // (-1, 2)
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 1.0], // (0, 2)
];
