//! Binary STL through the crate `stl_io`: triangles in single precision with their
//! normals.

use std::io::{self, Write};

use crate::mesh::SurfaceMesh;

/// Writes `mesh`, which has been checked.
pub fn write(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<()> {
    let triangle = |corners: [u32; 3]| {
        let corners = corners.map(|v| mesh.points[v as usize]);
        stl_io::Triangle {
            normal: stl_io::Normal::new(normal(corners)),
            vertices: corners.map(|p| stl_io::Vertex::new(p.map(|x| x as f32))),
        }
    };
    let triangles: Vec<_> = mesh.triangles().corners.into_iter().map(triangle).collect();
    if u32::try_from(triangles.len()).is_err() {
        return Err(io::Error::other("an STL file holds fewer than 2^32 triangles"));
    }
    stl_io::write_stl(out, triangles.iter())
}

/// Unit normal of a triangle, zero if it has no area.
fn normal([a, b, c]: [[f64; 3]; 3]) -> [f32; 3] {
    let along = |p: [f64; 3]| -> [f64; 3] { std::array::from_fn(|d| p[d] - a[d]) };
    let (s, t) = (along(b), along(c));
    let n = [s[1] * t[2] - s[2] * t[1], s[2] * t[0] - s[0] * t[2], s[0] * t[1] - s[1] * t[0]];
    let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { n.map(|x| (x / length) as f32) } else { [0.0; 3] }
}
