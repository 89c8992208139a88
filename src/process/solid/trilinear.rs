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

/// The trilinear basis at a Gauss point.
pub(super) struct Sample {
    /// Values of the eight functions.
    pub values: [f64; 8],
    /// Gradients of them in space.
    pub gradients: [Vector3<f64>; 8],
    /// Volume that the point stands for, positive.
    pub volume: f64,
}

/// The samples of a hexahedron; none if its determinant vanishes or changes its sign.
pub(super) fn samples(points: &[Vector3<f64>; 8]) -> Option<[Sample; 8]> {
    let offset = 0.5 / 3f64.sqrt();
    let mut sign = 0.0;
    let mut regular = true;
    let samples = std::array::from_fn(|s| {
        let at = CORNERS[s].map(|x| 0.5 + offset * (2.0 * x - 1.0));
        // value and derivative of each corner's factor by axis
        let factor = |i: usize, d: usize| {
            if CORNERS[i][d] == 1.0 { (at[d], 1.0) } else { (1.0 - at[d], -1.0) }
        };
        let mut local = [Vector3::zeros(); 8];
        let mut values = [0.0; 8];
        for i in 0..8 {
            let [(u, du), (v, dv), (w, dw)] = [0, 1, 2].map(|d| factor(i, d));
            values[i] = u * v * w;
            local[i] = Vector3::new(du * v * w, u * dv * w, u * v * dw);
        }
        let jacobian: Matrix3<f64> = (0..8).map(|i| points[i] * local[i].transpose()).sum();
        let lengths: f64 = jacobian.column_iter().map(|c| c.norm()).product();
        let determinant = jacobian.determinant();
        if s == 0 {
            sign = determinant.signum();
        }
        let inverse = jacobian.try_inverse();
        regular &= sign * determinant > 1e-9 * lengths && inverse.is_some();
        let inverse = inverse.unwrap_or_else(Matrix3::identity).transpose();
        Sample {
            values,
            gradients: local.map(|gradient| inverse * gradient),
            volume: determinant.abs() / 8.0,
        }
    });
    regular.then_some(samples)
}
