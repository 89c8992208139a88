//! Describes a solid: counts, classes, and whether its limit is at its vertices.

use serde::Serialize;

use crate::fit::VertexMiss;
use crate::limit::{Solid, Summary};
use crate::mesh::SolidMesh;

/// Number of cells up to which a solid is analyzed for [`InfoReport::limit_from_vertices`] alone.
pub const MAX_ANALYZED_CELLS: usize = 20_000;

/// What there is to know of a solid.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct InfoReport {
    /// Counts and classes.
    #[serde(flatten)]
    pub summary: Summary,
    /// Whether the points are control points that a fit has found.
    pub is_fitted: bool,
    /// Distances of the limit from the vertices of the boundary; null where the solid is not
    /// analyzed: large ones, unless it is asked for.
    pub limit_from_vertices: Option<VertexMiss>,
}

impl InfoReport {
    /// Of a mesh and what was found of it.
    pub fn new(mesh: &SolidMesh, summary: Summary, solid: Option<&Solid>) -> Self {
        let limit_from_vertices = solid.map(|solid| VertexMiss::new(mesh, solid));
        Self { summary, is_fitted: mesh.is_fitted, limit_from_vertices }
    }
}
