//! Binary STL: triangles in single precision with their normals, in records of 50 bytes.

use std::io::{self, Write};

use nalgebra::Vector3;

use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;

/// Refuses a mesh of more triangles than the format counts.
pub fn check(mesh: &SurfaceMesh) -> Result<()> {
    check_count(mesh.triangle_count())
}

fn check_count(triangles: usize) -> Result<()> {
    match u32::try_from(triangles) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::mesh(format!(
            "an .stl file of {triangles} triangles, it holds fewer than 2^32"
        ))
        .with_help("take a coarser mesh, or write .ply or .vtp")),
    }
}

/// Writes `mesh`, which has been checked.
pub fn write(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<()> {
    let triangles = mesh.triangles().corners;
    out.write_all(&[0; 80])?;
    out.write_all(&(triangles.len() as u32).to_le_bytes())?;
    for corners in triangles {
        let corners = corners.map(|v| mesh.points[v as usize]);
        let rows = [normal(corners)].into_iter().chain(corners.map(|p| p.map(|x| x as f32)));
        let mut record = [0; 50]; // the last two bytes are attributes
        let numbers = rows.flatten().zip(record.as_chunks_mut().0);
        numbers.for_each(|(x, bytes)| *bytes = x.to_le_bytes());
        out.write_all(&record)?;
    }
    Ok(())
}

/// Unit normal of a triangle, zero if it has no area.
fn normal(corners: [[f64; 3]; 3]) -> [f32; 3] {
    let [a, b, c] = corners.map(Vector3::from);
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
    normal.map(|x| x as f32).into()
}
