//! Binary STL through the crate `stl_io`: triangles in single precision with their
//! normals.

use std::io::{self, Write};

use nalgebra::Vector3;

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
fn normal(corners: [[f64; 3]; 3]) -> [f32; 3] {
    let [a, b, c] = corners.map(Vector3::from);
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
    normal.map(|x| x as f32).into()
}
