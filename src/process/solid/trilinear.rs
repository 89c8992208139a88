//! Trilinear hexahedra.

use nalgebra::{Matrix3, Vector3};

/// Parameters (u, v, w) of the corners in VTK's order.
pub(crate) const CORNERS: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

/// Steps of Newton's method at most.
const MAX_NEWTON_STEPS: usize = 50;

/// Whether the determinant of a hexahedron has one sign at its Gauss points and does not vanish.
pub(super) fn is_regular(points: &[Vector3<f64>; 8]) -> bool {
    // differences, which keep their digits far from the origin
    let points = points.map(|p| p - points[0]);
    let offset = 0.5 / 3f64.sqrt();
    let determinant = |s: usize| {
        let (_, jacobian) = jet(&points, CORNERS[s].map(|x| 0.5 + offset * (2.0 * x - 1.0)));
        let lengths: f64 = jacobian.column_iter().map(|c| c.norm()).product();
        (jacobian.determinant(), lengths)
    };
    let sign = determinant(0).0.signum();
    (0..8).map(determinant).all(|(value, lengths)| sign * value > 1e-9 * lengths)
}

/// The parameters of a point by Newton's method, which may lie outside [0, 1]; none if it finds
/// none.
pub(super) fn parameters(points: &[Vector3<f64>; 8], x: Vector3<f64>) -> Option<[f64; 3]> {
    let middles = [0.25, 0.75];
    let starts = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|side: usize| middles[side]));
    // relative to the point: digits then count for the distance
    let points = points.map(|p| p - x);
    let size = points.iter().map(|p| p.norm()).fold(0.0, f64::max);
    std::iter::once([0.5; 3]).chain(starts).find_map(|start| {
        let mut t = Vector3::from(start);
        for _ in 0..MAX_NEWTON_STEPS {
            let (off, jacobian) = jet(&points, t.into());
            let step = jacobian.lu().solve(&off)?;
            t -= step;
            // far outside there may be more solutions
            if t.iter().any(|t| t.is_nan() || (t - 0.5).abs() > 10.0) {
                return None;
            }
            if step.amax() < 1e-12 {
                return (jet(&points, t.into()).0.norm() < 1e-10 * size).then_some(t.into());
            }
        }
        None
    })
}

/// The point at parameters, and the derivatives there as columns.
fn jet(points: &[Vector3<f64>; 8], at: [f64; 3]) -> (Vector3<f64>, Matrix3<f64>) {
    // value and derivative of each corner's factor by axis
    let factor = |i: usize, d: usize| {
        if CORNERS[i][d] == 1.0 { (at[d], 1.0) } else { (1.0 - at[d], -1.0) }
    };
    let mut point = Vector3::zeros();
    let mut jacobian = Matrix3::zeros();
    for (i, corner) in points.iter().enumerate() {
        let [(u, du), (v, dv), (w, dw)] = [0, 1, 2].map(|d| factor(i, d));
        point += corner * (u * v * w);
        jacobian += corner * Vector3::new(du * v * w, u * dv * w, u * v * dw).transpose();
    }
    (point, jacobian)
}
