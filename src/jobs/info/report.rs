//! What there is to know of a solid.

use serde::Serialize;

use crate::error::Result;
use crate::fit::VertexMiss;
use crate::limit::Summary;
use crate::mesh::SolidMesh;
use crate::topology::Topology;

/// What there is to know of a solid.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct InfoReport {
    /// Counts and classes.
    #[serde(flatten)]
    pub summary: Summary,
    /// Whether the points are control points that a fit has found.
    pub is_fitted: bool,
    /// Translations that take the solid onto itself, as its file has them.
    pub periods: Vec<[f64; 3]>,
    /// Distances of the limit from the vertices of the boundary; null where the boundary has no limit.
    pub limit_from_vertices: Option<VertexMiss>,
}

impl InfoReport {
    pub(super) fn new(mesh: &SolidMesh, topology: &Topology) -> Result<Self> {
        let summary = Summary::new(mesh, topology)?;
        let limit_from_vertices = VertexMiss::new(mesh, topology).ok();
        let (is_fitted, periods) = (mesh.is_fitted, mesh.periods.clone());
        Ok(Self { summary, is_fitted, periods, limit_from_vertices })
    }
}
