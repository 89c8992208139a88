//! Cubic Bernstein polynomials and the Bézier form of a B-spline span.

use crate::numbers::Real;

/// The four cubic Bernstein polynomials at `u` in [0, 1]; they sum to 1.
#[inline]
pub fn cubic<T: Real>(u: T) -> [T; 4] {
    let three = T::from_f64(3.0);
    let s = T::from_f64(1.0) - u;
    [s * s * s, three * s * s * u, three * s * u * u, u * u * u]
}

/// The four polynomials with their first and second derivatives.
#[inline]
pub fn jet(u: f64) -> [[f64; 4]; 3] {
    let s = 1.0 - u;
    [
        cubic(u),
        [-3.0 * s * s, 3.0 * s * (s - 2.0 * u), 3.0 * u * (2.0 * s - u), 3.0 * u * u],
        [6.0 * s, 6.0 * (u - 2.0 * s), 6.0 * (s - 2.0 * u), 6.0 * u],
    ]
}

/// Bézier points of the cubic through values at 0, 1/3, 2/3 and 1.
#[inline]
pub fn from_thirds([a, b, c, d]: [f64; 4]) -> [f64; 4] {
    let second = (-5.0 * a + 18.0 * b - 9.0 * c + 2.0 * d) / 6.0;
    let third = (2.0 * a - 9.0 * b + 18.0 * c - 5.0 * d) / 6.0;
    [a, second, third, d]
}

/// Values at 0, 1/3, 2/3 and 1 of the cubic of Bézier points; equal points give their value exactly.
#[inline]
pub fn at_thirds([a, b, c, d]: [f64; 4]) -> [f64; 4] {
    let at = |a: f64, b: f64, c: f64, d: f64| a + (12.0 * (b - a) + 6.0 * (c - a) + (d - a)) / 27.0;
    [a, at(a, b, c, d), at(d, c, b, a), d]
}

/// Bézier points of the halves of a cubic (de Casteljau); `middle` of two points is their mean.
#[inline]
pub fn halves<T: Copy>([a, b, c, d]: [T; 4], middle: impl Fn(T, T) -> T) -> [[T; 4]; 2] {
    let (ab, bc, cd) = (middle(a, b), middle(b, c), middle(c, d));
    let (abc, bcd) = (middle(ab, bc), middle(bc, cd));
    let m = middle(abc, bcd);
    [[a, ab, abc, m], [m, bcd, cd, d]]
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
