//! Normals of vertices.

use nalgebra::Vector3;
use rayon::prelude::*;

use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::query::{Op, Query, QueryStrategy};

/// Unit normals `[vertex]` by Max, "Weights for computing vertex normals from facet normals"
/// (1999), eq. (2): of each face the cross product of its edges at the vertex over the squares
/// of their lengths. Exact where all neighbors lie on a sphere around any valence. NaN at
/// vertices without faces, or where the sum vanishes.
///
/// # Errors
/// As [`Query::of_surface`].
pub fn vertex_normals(mesh: &SurfaceMesh) -> Result<Vec<[f64; 3]>> {
    mesh.check()?;
    let mesh = &*mesh.without_holes();
    let query = Query::of_surface(mesh, QueryStrategy::Unordered)?;
    let rows = query.rows(Op::VF)?;
    Ok((0..mesh.points.len()).into_par_iter().map(|v| normal(mesh, v, rows.row(v))).collect())
}

/// The normal of one vertex at the given faces.
pub(super) fn normal(mesh: &SurfaceMesh, v: usize, faces: &[u32]) -> [f64; 3] {
    let at = |v: u32| Vector3::from(mesh.points[v as usize]);
    let term = |&f: &u32| -> Vector3<f64> {
        let face = mesh.faces.face(f as usize);
        let n = face.len();
        let k = face.iter().position(|&other| other as usize == v).unwrap_or(0);
        let (next, last) = (at(face[(k + 1) % n]), at(face[(k + n - 1) % n]));
        let (a, b) = (next - at(face[k]), last - at(face[k]));
        let squares = a.norm_squared() * b.norm_squared();
        if squares > 0.0 { a.cross(&b) / squares } else { Vector3::zeros() }
    };
    let sum: Vector3<f64> = faces.iter().map(term).sum();
    sum.try_normalize(0.0).map_or([f64::NAN; 3], Into::into)
}
