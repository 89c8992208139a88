//! The box: a plain grid of unit cubes.

use super::super::SolidMesh;

/// nx × ny × nz unit cubes, x running fastest among vertices and cells.
pub(super) fn build([nx, ny, nz]: [usize; 3]) -> SolidMesh {
    let mut points = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                points.push([i as f64, j as f64, k as f64]);
            }
        }
    }
    let vertex = |i, j, k| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
    let mut hexahedra = Vec::with_capacity(nx * ny * nz);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let square = |k| {
                    [
                        vertex(i, j, k),
                        vertex(i + 1, j, k),
                        vertex(i + 1, j + 1, k),
                        vertex(i, j + 1, k),
                    ]
                };
                let ([a, b, c, d], [e, f, g, h]) = (square(k), square(k + 1));
                hexahedra.push([a, b, c, d, e, f, g, h]);
            }
        }
    }
    SolidMesh::from_hexahedra(points, &hexahedra)
}
