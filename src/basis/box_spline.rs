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

#[cfg(test)]
mod tests {
    use super::*;

    /// The spline of one control point by Loop's rules alone: its values at the lattice
    /// refined 6 times, where the control points are limit points but for 4⁻⁶ of a
    /// second difference, which the limit mask (1/2, 1/12 …) takes away.
    fn refined_values(levels: u32) -> impl Fn(i32, i32) -> f64 {
        use std::collections::HashMap;
        const AROUND: [[i32; 2]; 6] = [[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]];
        let mut values = HashMap::from([([0, 0], 1.0)]);
        for _ in 0..levels {
            let mut fine: HashMap<[i32; 2], f64> = HashMap::new();
            for (&[i, j], value) in &values {
                // the mask of a control point: 10, 6 to the edges, 1 to its neighbors, 2 across
                let mut add = |di: i32, dj: i32, weight: f64| {
                    *fine.entry([2 * i + di, 2 * j + dj]).or_default() += value * weight / 16.0;
                };
                add(0, 0, 10.0);
                for (k, [x, y]) in AROUND.into_iter().enumerate() {
                    let [p, q] = AROUND[(k + 1) % 6];
                    add(x, y, 6.0);
                    add(2 * x, 2 * y, 1.0);
                    add(x + p, y + q, 2.0);
                }
            }
            values = fine;
        }
        move |i, j| {
            let at = |[x, y]: [i32; 2]| values.get(&[i + x, j + y]).copied().unwrap_or(0.0);
            at([0, 0]) / 2.0 + AROUND.map(at).iter().sum::<f64>() / 12.0
        }
    }

    #[test]
    fn values_equal_refinement() {
        let (levels, n) = (5, 32);
        let spline = refined_values(levels);
        for u in 0..=n {
            for v in 0..=n - u {
                let found = weights([0, 0], [u, v].map(|x| f64::from(x) / f64::from(n)));
                assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-15);
                for (weight, [i, j]) in found.iter().zip(LATTICE) {
                    let exact = spline(u - n * i, v - n * j);
                    assert!((weight - exact).abs() < 1e-14, "{u} {v}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn derivatives_equal_differences() {
        let h = 1e-3;
        let points = [[0.0, 0.0], [1.0, 0.0], [0.2, 0.3], [0.1, 0.9], [1.0 / 3.0, 0.6]];
        for p in points {
            for orders in [[0, 0], [1, 0], [0, 1]] {
                for d in 0..2 {
                    let mut higher = orders;
                    higher[d] += 1;
                    let derivative = weights(higher, p);
                    // exact for quartics: five points
                    let at = |steps: f64| {
                        let mut q = p;
                        q[d] += steps * h;
                        weights(orders, q)
                    };
                    let [a, b, c, e] = [-2.0, -1.0, 1.0, 2.0].map(at);
                    for k in 0..12 {
                        let difference = (a[k] - e[k] + 8.0 * (c[k] - b[k])) / (12.0 * h);
                        assert!((difference - derivative[k]).abs() < 1e-12, "{p:?} {orders:?}");
                    }
                }
            }
        }
    }
}
