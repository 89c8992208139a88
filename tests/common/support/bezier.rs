//! Bézier volumes by Bernstein polynomials.

use crate::oracle::vector::Point;

/// The four cubic Bernstein polynomials.
pub fn bernstein(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t]
}

/// Point of a Bézier volume `[w][v][u]`.
pub fn bezier(points: &[Point], t: Point) -> Point {
    let [u, v, w] = t.map(bernstein);
    let mut sum = [0.0; 3];
    for (i, point) in points.iter().enumerate() {
        let weight = u[i % 4] * v[i / 4 % 4] * w[i / 16];
        (0..3).for_each(|d| sum[d] += weight * point[d]);
    }
    sum
}
