//! Sharpness of edges and vertices, aligned with a topology.

use super::Topology;
use crate::error::{Command, Error, Message, Result};
use crate::mesh::Creases;

/// Below every sharpness: the edge or vertex is not listed, so it is smooth.
const NOT_GIVEN: f64 = -1.0;

/// Sharpness by edge and vertex id; empty arrays mean smooth everywhere.
#[derive(Clone, Debug, Default)]
pub struct Sharpness {
    edges: Vec<f64>,
    vertices: Vec<f64>,
}

impl Sharpness {
    /// Looks the creases up in the topology.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a crease that is not a boundary edge, a corner that is no
    /// boundary vertex, a sharpness that is negative or not a number, and several of one edge
    /// or vertex that differ.
    pub fn resolve(creases: &Creases, topology: &Topology) -> Result<Self> {
        creases.check()?;
        let mut sharpness = Self::default();
        if !creases.edges.is_empty() {
            sharpness.edges = vec![NOT_GIVEN; topology.edge_count()];
        }
        if !creases.corners.is_empty() {
            sharpness.vertices = vec![NOT_GIVEN; topology.vertex_count()];
        }
        for crease in &creases.edges {
            let [a, b] = crease.edge().map(|v| v.0);
            let known = (a.max(b) as usize) < topology.vertex_count();
            let edge = known.then(|| topology.edge_between(a, b)).flatten();
            let edge = edge.ok_or_else(|| crease.no_edge())?;
            if !topology.is_boundary_edge(edge) && crease.sharpness > 0.0 {
                return Err(Error::mesh(message!(crease, ": the edge lies inside the solid"))
                    .with_help(message!(
                        "only boundary edges can be sharp: remove this crease, or cut the solid there (",
                        Command::CutGroups,
                        ")"
                    )));
            }
            set(&mut sharpness.edges[edge as usize], crease.sharpness, crease)?;
        }
        creases.check_corners(topology.vertex_count())?;
        for corner in &creases.corners {
            let v = corner.vertex.0;
            if !topology.is_boundary_vertex(v) && corner.sharpness > 0.0 {
                return Err(Error::mesh(message!(corner, ": the vertex lies inside the solid"))
                    .with_help("only boundary vertices can be sharp: remove this corner"));
            }
            set(&mut sharpness.vertices[v as usize], corner.sharpness, corner)?;
        }
        Ok(sharpness)
    }

    /// Sharpness of an edge, ≥ 0.
    pub fn edge(&self, edge: u32) -> f64 {
        self.edges.get(edge as usize).map_or(0.0, |s| s.max(0.0))
    }

    /// Sharpness of a vertex, ≥ 0.
    pub fn vertex(&self, vertex: u32) -> f64 {
        self.vertices.get(vertex as usize).map_or(0.0, |s| s.max(0.0))
    }

    /// Whether nothing is sharp.
    pub(crate) fn is_smooth(&self) -> bool {
        self.edges.is_empty() && self.vertices.is_empty()
    }
}

/// Takes the sharpness of an element, which may come again if it is the same.
fn set(slot: &mut f64, sharpness: f64, what: impl Into<Message>) -> Result<()> {
    let given = std::mem::replace(slot, sharpness);
    if given == NOT_GIVEN || given == sharpness {
        return Ok(());
    }
    Err(Error::mesh(message!(what, " is given twice, with sharpness {given} and {sharpness}"))
        .with_help("keep one of them"))
}
