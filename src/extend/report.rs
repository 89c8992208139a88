//! What an extension has added, and where it could not be as wanted.

use serde::Serialize;

/// What was added to a solid.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ExtensionReport {
    /// Number of ghost cells added.
    pub ghosts: usize,
    /// Number of vertices added.
    pub vertices: usize,
    /// Number of boundary edges that are smooth.
    pub smooth_edges: usize,
    /// Number of convex sharp edges.
    pub convex_edges: usize,
    /// Number of concave sharp edges.
    pub concave_edges: usize,
    /// Edges whose ghosts are not as many as their shape wants.
    pub fallbacks: Vec<EdgeFallback>,
    /// Of a periodic solid the translations that take it onto itself.
    pub periods: Vec<[f64; 3]>,
    /// Number of creases at the ends of a period that are left out.
    pub dropped_creases: usize,
    /// Number of faces between groups of cells at which the solid is cut.
    pub interface_faces: usize,
    /// Number of copies of their vertices.
    pub copied_vertices: usize,
    /// How far control points are moved at most, in length units, so that both sides of the cut meet.
    pub interface_move: f64,
}

/// A boundary edge with another number of ghosts than its shape wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct EdgeFallback {
    /// Vertices of the edge.
    pub edge: [u32; 2],
    /// Number of cells of the solid at the edge.
    pub cells: usize,
    /// Number of ghosts that the shape of the edge wants.
    pub wanted: usize,
    /// Number of ghosts that the edge has.
    pub ghosts: usize,
    /// Why: `shape` if no number up to three suits its cells, `vertex` if an end allows no such star.
    pub reason: FallbackReason,
}

/// Why an edge does not have the ghosts that its shape wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FallbackReason {
    /// No number of ghosts up to three suits the number of its cells.
    Shape,
    /// One of its vertices has no star of ghosts with these numbers.
    Vertex,
}
