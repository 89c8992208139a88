//! What the control mesh of a surface consists of, in numbers: for reports, and for machines to
//! read.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::Result;
use crate::mesh::{SurfaceMesh, VertexId};
use crate::topology::NONE;
use crate::topology::surface::{SurfaceTopology, is_inconsistent, touching_vertices};

/// Counts of the control mesh of a surface.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SurfaceSummary {
    /// Number of control points, including points of no face.
    pub vertices: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of faces, including holes.
    pub faces: usize,
    /// Number of faces by their number of corners.
    pub faces_by_corners: BTreeMap<usize, usize>,
    /// Number of holes: faces that shape the limit but are not part of it.
    pub holes: usize,
    /// Vertex attributes, with their widths.
    pub attributes: BTreeMap<String, usize>,
    /// Number of texture coordinates; 0 if there are none.
    pub texture_coordinates: usize,
    /// Number of boundary edges: edges of one face.
    pub boundary_edges: usize,
    /// Number of vertices on the boundary.
    pub boundary_vertices: usize,
    /// Number of edges with more than two faces.
    pub non_manifold_edges: usize,
    /// Number of edges that two faces traverse in the same direction.
    pub inconsistent_edges: usize,
    /// Number of vertices at which sheets only touch.
    pub touching_vertices: usize,
    /// Number of vertices that belong to no face.
    pub isolated_vertices: usize,
    /// Number of boundary vertices that lie exactly where another one lies.
    pub coincident_vertices: usize,
    /// Number of connected components.
    pub parts: usize,
    /// Number of vertices of faces, minus edges, plus faces.
    pub euler_characteristic: i64,
    /// Number of handles of all components together; null unless the surface is closed, oriented
    /// and without touching vertices.
    pub genus: Option<i64>,
    /// Smallest and largest coordinates of the control points.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Number of interior vertices, by valence (number of edges).
    pub interior_valences: BTreeMap<usize, usize>,
    /// Number of vertices on the boundary, by valence.
    pub boundary_valences: BTreeMap<usize, usize>,
    /// Number of edges with a sharpness above 0.
    pub creases: usize,
    /// Number of vertices with a sharpness of their own (corners).
    pub sharp_corners: usize,
}

impl SurfaceSummary {
    /// Sums up `mesh`.
    ///
    /// # Errors
    /// As [`SurfaceMesh::check`].
    pub fn new(mesh: &SurfaceMesh) -> Result<Self> {
        mesh.check()?;
        mesh.check_control()?;
        let topology = SurfaceTopology::of(mesh);
        let edges = 0..topology.edge_count() as u32;
        let mut valences = vec![0; mesh.points.len()];
        let mut ends = vec![false; mesh.points.len()];
        let mut boundary_edges = 0;
        for edge in edges.clone() {
            let is_boundary = topology.edge_corners[edge as usize][1] == NONE;
            boundary_edges += usize::from(is_boundary);
            for v in topology.edge_ends(edge) {
                valences[v as usize] += 1;
                ends[v as usize] |= is_boundary;
            }
        }
        let [mut interior, mut boundary] = [BTreeMap::new(), BTreeMap::new()];
        for (&valence, &is_end) in valences.iter().zip(&ends).filter(|(valence, _)| **valence > 0) {
            *if is_end { &mut boundary } else { &mut interior }.entry(valence).or_default() += 1;
        }
        let mut by_corners = BTreeMap::new();
        mesh.faces.iter().for_each(|face| *by_corners.entry(face.len()).or_default() += 1);
        let isolated = valences.iter().filter(|&&valence| valence == 0).count();
        let used = mesh.points.len() - isolated;
        let (vertices, count) = (used as i64, topology.edge_count() as i64);
        let euler_characteristic = vertices - count + topology.face_count as i64;
        let inconsistent = edges.filter(|&edge| is_inconsistent(&topology, edge)).count();
        let (non_manifold, touching) =
            (topology.non_manifold_edges.len(), touching_vertices(&topology).len());
        let is_closed = boundary_edges + non_manifold + inconsistent + touching == 0;
        let parts = mesh.part_count();
        Ok(Self {
            vertices: mesh.points.len(),
            edges: topology.edge_count(),
            faces: topology.face_count,
            faces_by_corners: by_corners,
            holes: mesh.holes.len(),
            attributes: mesh.attributes.iter().map(|a| (a.name.clone(), a.width)).collect(),
            texture_coordinates: mesh.uv.as_ref().map_or(0, |uv| uv.values.len()),
            boundary_edges,
            boundary_vertices: ends.iter().filter(|&&is_end| is_end).count(),
            non_manifold_edges: non_manifold,
            inconsistent_edges: inconsistent,
            touching_vertices: touching,
            isolated_vertices: isolated,
            coincident_vertices: mesh.coincident_ends(),
            parts,
            euler_characteristic,
            genus: is_closed.then(|| parts as i64 - euler_characteristic / 2),
            bounds: mesh.bounds().map(|(low, high)| [low, high]),
            interior_valences: interior,
            boundary_valences: boundary,
            creases: sharp(mesh.creases.edges.iter().map(|crease| {
                let [VertexId(a), VertexId(b)] = crease.edge();
                ([a.min(b), a.max(b)], crease.sharpness)
            })),
            sharp_corners: sharp(mesh.creases.corners.iter().map(|c| (c.vertex, c.sharpness))),
        })
    }
}

/// Number of sharp places, by the last sharpness of each.
fn sharp<K: Ord>(places: impl Iterator<Item = (K, f64)>) -> usize {
    let last: BTreeMap<K, f64> = places.collect();
    last.values().filter(|&&sharpness| sharpness > 0.0).count()
}
