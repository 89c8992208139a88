//! Sharpness of boundary edges (creases) and vertices (corners), after
//! DeRose, Kass and Truong, "Subdivision surfaces in character animation" (1998).

use super::VertexId;

/// A boundary edge with a sharpness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crease {
    /// End vertices, the smaller first.
    pub edge: [VertexId; 2],
    /// Levels of refinement the edge stays sharp: ≥ 0, `f64::INFINITY` at all levels.
    pub sharpness: f64,
}

/// A boundary vertex with a sharpness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// The vertex.
    pub vertex: VertexId,
    /// Levels of refinement the vertex stays in place: ≥ 0, `f64::INFINITY` at all levels.
    pub sharpness: f64,
}

/// How the sharpness of an edge passes to its two halves in one refinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CreaseRule {
    /// Every half is 1 less sharp.
    #[default]
    Uniform,
    /// At a vertex of several semi-sharp edges, each half there is 3/4 of its own edge's
    /// sharpness plus 1/4 of the mean of the others', less 1 (after Chaikin), so that the
    /// sharpness varies smoothly along a crease.
    Chaikin,
}

/// All creases and corners of a mesh. Edges and vertices not listed are smooth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Creases {
    /// Sharp edges.
    pub edges: Vec<Crease>,
    /// Sharp vertices.
    pub corners: Vec<Corner>,
}

impl Creases {
    /// Adds a crease at the edge between `a` and `b`.
    pub fn push_edge(&mut self, a: u32, b: u32, sharpness: f64) {
        self.edges.push(Crease { edge: [VertexId(a.min(b)), VertexId(a.max(b))], sharpness });
    }

    /// Adds a corner at vertex `v`.
    pub fn push_corner(&mut self, v: u32, sharpness: f64) {
        self.corners.push(Corner { vertex: VertexId(v), sharpness });
    }

    /// Leaves out what is listed as smooth.
    pub fn drop_smooth(&mut self) {
        self.edges.retain(|crease| crease.sharpness != 0.0);
        self.corners.retain(|corner| corner.sharpness != 0.0);
    }

    /// Whether no edge and no vertex is sharp.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.corners.is_empty()
    }
}
