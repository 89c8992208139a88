//! Measures of points and polygons.

use nalgebra::Vector3;

/// Twice the area of a polygon times its normal (Newell); zero if it is degenerate.
pub(crate) fn area_normal(points: &[[f64; 3]], face: &[u32]) -> Vector3<f64> {
    let point = |i: usize| Vector3::from(points[face[i % face.len()] as usize]);
    let at = |i: usize| point(i) - point(0);
    (0..face.len()).map(|i| at(i).cross(&at(i + 1))).sum()
}
