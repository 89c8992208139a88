//! The limit at the vertices of a refined mesh.

use super::SurfacePlan;
use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;
use crate::scheme::{FaceShape, Scheme};
use crate::surface::holes;
use crate::surface::limit::{VertexLimits, check_duplicates, vertex_limits};

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
    if scheme.shape() == FaceShape::Triangle {
        check_duplicates(mesh)?;
    }
    vertex_limits(refined, scheme)
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
