//! The limit at the vertices of a refined mesh.

use rayon::prelude::*;

use super::SurfacePlan;
use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;
use crate::scheme::{FaceShape, Scheme};
use crate::surface::holes;
use crate::surface::limit::{VertexLimits, duplicate_faces, vertex_limits};

/// The limit of all vertices of `refined`, the refined mesh of `mesh` with its holes.
pub(crate) fn limits_of(
    scheme: Scheme,
    mesh: &SurfaceMesh,
    refined: &SurfaceMesh,
) -> Result<VertexLimits> {
    if refined.holes.is_empty() && !holes::all(mesh, scheme).is_empty() {
        return Err(Error::request("the refined mesh has lost its holes")
            .with_help("they shape the limit beside them: give it as it was refined"));
    }
    // by their ids in the control mesh: refined, they have others
    if scheme.shape() == FaceShape::Triangle
        && let Some([a, b]) = duplicate_triangles(mesh)
    {
        return Err(duplicate_faces(a, b));
    }
    vertex_limits(refined, scheme)
}

/// The first two triangles of a mesh that have the same vertices.
pub fn duplicate_triangles(mesh: &SurfaceMesh) -> Option<[u32; 2]> {
    let sorted = |(id, face): (u32, &[u32])| {
        let mut face = <[u32; 3]>::try_from(face).ok()?;
        face.sort_unstable();
        Some((face, id))
    };
    let mut faces: Vec<_> = (0..).zip(mesh.faces.iter()).filter_map(sorted).collect();
    faces.par_sort_unstable();
    let duplicates = faces.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    duplicates.map(|pair| [pair[0].1, pair[1].1]).min()
}

impl SurfacePlan {
    /// The limit of all vertices of `refined`, the refined mesh of `mesh` with its holes, which
    /// shape the faces beside them.
    ///
    /// # Errors
    /// As [`vertex_limits`]; [`Error::Request`] if the holes have been left out.
    pub fn vertex_limits(&self, mesh: &SurfaceMesh, refined: &SurfaceMesh) -> Result<VertexLimits> {
        limits_of(self.options.scheme, mesh, refined)
    }
}
