//! Sharpness of boundary edges (creases) and vertices (corners), after
//! DeRose, Kass and Truong, "Subdivision surfaces in character animation" (1998).

use super::VertexId;

/// A boundary edge with a sharpness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crease {
    /// End vertices, the smaller first.
    pub edge: [VertexId; 2],
    /// Levels of refinement the edge stays sharp: ≥ 0, `f64::INFINITY` for ever.
    pub sharpness: f64,
}

/// A boundary vertex with a sharpness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// The vertex.
    pub vertex: VertexId,
    /// Levels of refinement the vertex stays in place: ≥ 0, `f64::INFINITY` for ever.
    pub sharpness: f64,
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

    /// Whether no edge and no vertex is sharp.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.corners.is_empty()
    }
}
