//! Cotangent weights and areas of triangles.

use crate::process::sparse::SymmetricMatrix;

use super::corners;

/// Cotangents of the angles of a triangle at its corners, and its area.
pub(crate) fn triangle(points: &[[f64; 3]], face: &[u32; 3]) -> ([f64; 3], f64) {
    let p = corners(points, face);
    let cotangents = std::array::from_fn(|i| {
        let (a, b) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
        a.dot(&b) / a.cross(&b).norm()
    });
    (cotangents, (p[1] - p[0]).cross(&(p[2] - p[0])).norm() / 2.0)
}

/// A third of the area of the triangles at each vertex: the diagonal of M. `[vertex]`, in squared
/// length units; 0 at vertices of no face.
pub(crate) fn dual_areas(points: &[[f64; 3]], faces: &[[u32; 3]]) -> Vec<f64> {
    let mut areas = vec![0.0; points.len()];
    for face in faces {
        let (_, area) = triangle(points, face);
        face.iter().for_each(|&v| areas[v as usize] += area / 3.0);
    }
    areas
}

/// `mass` M + `stiffness` L + `shift` I: M of a third of each triangle's area at its corners, L
/// the positive semidefinite cotangent matrix (Pinkall and Polthier 1993). `stiffness`: of a
/// face; `number` gives the row of a vertex, if it is unknown.
pub(super) fn matrix(
    points: &[[f64; 3]],
    faces: &[[u32; 3]],
    mass: f64,
    stiffness: impl Fn(&[u32; 3]) -> f64,
    number: impl Fn(u32) -> Option<usize>,
    mut known: impl FnMut(usize, u32, f64),
) -> SymmetricMatrix {
    let mut matrix = SymmetricMatrix::default();
    for face in faces {
        let (cotangents, area) = triangle(points, face);
        let stiffness = stiffness(face);
        for i in 0..3 {
            let Some(row) = number(face[i]) else { continue };
            matrix.add(row, row, mass * area / 3.0);
            for j in [(i + 1) % 3, (i + 2) % 3] {
                let weight = stiffness * 0.5 * cotangents[3 - i - j];
                matrix.add(row, row, weight);
                match number(face[j]) {
                    Some(column) => matrix.add(row, column, -weight),
                    None => known(row, face[j], -weight),
                }
            }
        }
    }
    matrix
}
