//! Sharpness of edges and vertices, aligned with a topology.

use super::Topology;
use crate::error::{Error, Result};
use crate::mesh::Creases;

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
    /// [`Error::Mesh`] for a crease that is no boundary edge, a corner that is no
    /// boundary vertex, and a sharpness that is negative or not a number.
    pub fn resolve(creases: &Creases, topology: &Topology) -> Result<Self> {
        let mut sharpness = Self::default();
        if !creases.edges.is_empty() {
            sharpness.edges = vec![0.0; topology.edge_count()];
        }
        if !creases.corners.is_empty() {
            sharpness.vertices = vec![0.0; topology.vertex_count()];
        }
        for crease in &creases.edges {
            let [a, b] = crease.edge.map(|v| v.0);
            check_value(crease.sharpness, || format!("crease of vertices {a} and {b}"))?;
            let known = (a.max(b) as usize) < topology.vertex_count();
            let edge = known.then(|| topology.edge_between(a, b)).flatten();
            let edge = edge.ok_or_else(|| {
                Error::mesh(format!("crease of vertices {a} and {b}: the mesh has no such edge"))
                    .with_help("name the two end vertices of an edge, counted from 0")
            })?;
            if !topology.is_boundary_edge(edge) && crease.sharpness > 0.0 {
                return Err(Error::mesh(format!(
                    "crease of vertices {a} and {b}: the edge lies inside the solid"
                ))
                .with_help("only boundary edges can be sharp: remove this crease"));
            }
            sharpness.edges[edge as usize] = crease.sharpness;
        }
        for corner in &creases.corners {
            let v = corner.vertex.0;
            check_value(corner.sharpness, || format!("corner of vertex {v}"))?;
            if v as usize >= topology.vertex_count() {
                return Err(Error::mesh(format!("corner of vertex {v}: no such vertex"))
                    .with_help("vertices are numbered from 0 to their count less 1"));
            }
            if !topology.is_boundary_vertex(v) && corner.sharpness > 0.0 {
                return Err(Error::mesh(format!(
                    "corner of vertex {v}: the vertex lies inside the solid"
                ))
                .with_help("only boundary vertices can be sharp: remove this corner"));
            }
            sharpness.vertices[v as usize] = corner.sharpness;
        }
        Ok(sharpness)
    }

    /// Sharpness of an edge, ≥ 0.
    pub fn edge(&self, edge: u32) -> f64 {
        self.edges.get(edge as usize).copied().unwrap_or(0.0)
    }

    /// Sharpness of a vertex, ≥ 0.
    pub fn vertex(&self, vertex: u32) -> f64 {
        self.vertices.get(vertex as usize).copied().unwrap_or(0.0)
    }

    /// Whether nothing is sharp.
    pub(crate) fn is_smooth(&self) -> bool {
        self.edges.is_empty() && self.vertices.is_empty()
    }
}

fn check_value(sharpness: f64, what: impl Fn() -> String) -> Result<()> {
    if sharpness >= 0.0 {
        return Ok(());
    }
    Err(Error::mesh(format!("{}: sharpness {sharpness}", what()))
        .with_help("a sharpness is a number from 0 (smooth) to inf (sharp at all levels)"))
}
