//! The limit at the vertices of a refined mesh.

use super::SurfacePlan;
use super::result::{Refined, assemble_with_holes};
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::surface::holes;
use crate::surface::limit::{VertexLimits, vertex_limits};

/// The limit of all vertices of `fine`, the refined mesh of `mesh`, beside holes as well:
/// their faces are left out of a result, but still shape what is beside them.
pub(crate) fn limits_of(
    refined: &mut impl Refined,
    mesh: &SurfaceMesh,
    fine: &SurfaceMesh,
) -> Result<VertexLimits> {
    let scheme = refined.options().scheme;
    if holes::all(mesh).is_empty() {
        return vertex_limits(fine, scheme);
    }
    vertex_limits(&assemble_with_holes(refined, mesh)?, scheme)
}

impl SurfacePlan {
    /// The limit of all vertices of `refined`, the refined mesh of `mesh`, beside holes as
    /// well: their faces are left out of a result, but still shape what is beside them.
    ///
    /// # Errors
    /// Those of [`vertex_limits`] and of [`SurfacePlan::refine`].
    pub fn vertex_limits(&self, mesh: &SurfaceMesh, refined: &SurfaceMesh) -> Result<VertexLimits> {
        limits_of(&mut &*self, mesh, refined)
    }
}
