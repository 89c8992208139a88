//! Cubic Bernstein polynomials and the Bézier form of a B-spline span.

use crate::numbers::Real;

/// The four cubic Bernstein polynomials at `u` in [0, 1]; they sum to 1.
#[inline]
pub fn cubic<T: Real>(u: T) -> [T; 4] {
    let three = T::from_f64(3.0);
    let s = T::from_f64(1.0) - u;
    [s * s * s, three * s * s * u, three * s * u * u, u * u * u]
}

/// Bézier points of a uniform cubic B-spline span from its control points:
/// `bezier[i] = Σⱼ FROM_BSPLINE[i][j] · control[j]`, control points p₋₁ … p₂.
///
/// Each row sums to 1 and is ≥ 0: Bézier points are averages of control points.
pub const FROM_BSPLINE: [[f64; 4]; 4] = [
    [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0, 0.0],
    [0.0, 4.0 / 6.0, 2.0 / 6.0, 0.0],
    [0.0, 2.0 / 6.0, 4.0 / 6.0, 0.0],
    [0.0, 1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basis::bspline;

    #[test]
    fn bezier_form_is_the_same_curve() {
        for step in 0..=16 {
            let u = f64::from(step) / 16.0;
            let (bezier, spline) = (cubic(u), bspline::cubic(u));
            assert!((bezier.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            for (j, expected) in spline.iter().enumerate() {
                let folded: f64 = (0..4).map(|i| bezier[i] * FROM_BSPLINE[i][j]).sum();
                assert!((folded - expected).abs() < 2e-16, "{u} {j}");
            }
        }
    }
}
