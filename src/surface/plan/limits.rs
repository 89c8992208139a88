//! The limit at the vertices of a refined mesh.

use rayon::prelude::*;

use super::SurfacePlan;
use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;
use crate::scheme::{Scheme, Shape};
use crate::surface::holes;
use crate::surface::limit::{VertexLimits, twins, vertex_limits};

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
    if scheme.shape() == Shape::Triangle {
        check_twins(mesh)?;
    }
    vertex_limits(refined, scheme)
}

/// Refuses triangles of the same vertices by their ids in the control mesh: refined, they have others.
fn check_twins(mesh: &SurfaceMesh) -> Result<()> {
    let sorted = |(id, face): (u32, &[u32])| {
        let mut face = <[u32; 3]>::try_from(face).ok()?;
        face.sort_unstable();
        Some((face, id))
    };
    let mut faces: Vec<_> = (0..).zip(mesh.faces.iter()).filter_map(sorted).collect();
    faces.par_sort_unstable();
    let twin = faces.windows(2).filter(|pair| pair[0].0 == pair[1].0).min_by_key(|pair| pair[0].1);
    twin.map_or(Ok(()), |pair| Err(twins(pair[0].1, pair[1].1)))
}

impl SurfacePlan {
    /// The limit of all vertices of `refined`, the refined mesh of `mesh` with its holes, which
    /// shape what is beside them.
    ///
    /// # Errors
    /// Those of [`vertex_limits`]; [`Error::Request`] if the holes have been left out.
    pub fn vertex_limits(&self, mesh: &SurfaceMesh, refined: &SurfaceMesh) -> Result<VertexLimits> {
        limits_of(self.options.scheme, mesh, refined)
    }
}
