//! Processing of surfaces of triangles, and normals of any.

mod cotangent;
mod denoise;
pub(crate) mod flow;
pub(crate) mod geodesics;
mod normals;
mod products;
mod toplesets;

pub use denoise::denoise;
pub use flow::{Cotangents, curvature_flow};
pub use geodesics::Geodesics;
pub use normals::vertex_normals;
pub use toplesets::toplesets;

use nalgebra::Vector3;

use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;

/// The triangles of a mesh of nothing else, none of zero area.
pub(crate) fn triangles(mesh: &SurfaceMesh) -> Result<&[[u32; 3]]> {
    mesh.check()?;
    if mesh.faces.uniform_size() != Some(3) {
        let other = mesh.faces.iter().position(|face| face.len() != 3).unwrap_or_default();
        return Err(Error::mesh(format!("face {other} is no triangle"))
            .with_help("cut the faces into triangles first: subsolid surface IN --scheme loop --levels 0 -o OUT"));
    }
    let all = mesh.faces.vertices().as_chunks().0;
    let flat = |face: &[u32; 3]| {
        let [a, b, c] = corners(&mesh.points, face);
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        (b - a).cross(&(c - a)).norm() <= 1e-12 * longest * longest
    };
    let bad: Vec<usize> = (0..all.len()).filter(|&f| flat(&all[f])).collect();
    let which = match bad[..] {
        [] => return Ok(all),
        [face] => format!("face {face} has"),
        [face, ..] => format!("face {face} and {} more have", bad.len() - 1),
    };
    Err(Error::mesh(format!("{which} no area"))
        .with_help("remove such faces, or move their vertices apart"))
}

fn corners(points: &[[f64; 3]], face: &[u32; 3]) -> [Vector3<f64>; 3] {
    face.map(|v| Vector3::from(points[v as usize]))
}
