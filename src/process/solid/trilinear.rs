//! Trilinear hexahedra at their 2 × 2 × 2 Gauss points.

use nalgebra::{Matrix3, Vector3};

/// Parameters (u, v, w) of the corners in VTK's order.
pub(super) const CORNERS: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

/// Whether the determinant of a hexahedron has one sign at its Gauss points and does not vanish.
pub(super) fn is_regular(points: &[Vector3<f64>; 8]) -> bool {
    let offset = 0.5 / 3f64.sqrt();
    let determinant = |s: usize| {
        let at = CORNERS[s].map(|x| 0.5 + offset * (2.0 * x - 1.0));
        // value and derivative of each corner's factor by axis
        let factor = |i: usize, d: usize| {
            if CORNERS[i][d] == 1.0 { (at[d], 1.0) } else { (1.0 - at[d], -1.0) }
        };
        let term = |i: usize| {
            let [(u, du), (v, dv), (w, dw)] = [0, 1, 2].map(|d| factor(i, d));
            points[i] * Vector3::new(du * v * w, u * dv * w, u * v * dw).transpose()
        };
        let jacobian: Matrix3<f64> = (0..8).map(term).sum();
        let lengths: f64 = jacobian.column_iter().map(|c| c.norm()).product();
        (jacobian.determinant(), lengths)
    };
    let sign = determinant(0).0.signum();
    (0..8).map(determinant).all(|(value, lengths)| sign * value > 1e-9 * lengths)
}
