//! Faces that only serve their neighbors.

use std::collections::HashMap;

use crate::mesh::{BoundaryRule, Crease, SurfaceMesh};
use crate::numbers::sorted_unique;
use crate::scheme::Scheme;
use crate::topology::NONE;
use crate::topology::surface::SurfaceTopology;

/// Faces that are tagged as holes, and, where the boundary rule says so, those at a vertex of a
/// boundary edge that is not infinitely sharp; ascending. Linear schemes need no neighbors:
/// they keep such faces.
pub(super) fn all(mesh: &SurfaceMesh, scheme: Scheme) -> Vec<u32> {
    let mut holes = mesh.holes.clone();
    if mesh.boundary == BoundaryRule::Holes && !scheme.rules().is_linear() {
        let ends = |c: &Crease| c.edge().map(|v| v.0);
        let tags: HashMap<[u32; 2], f64> =
            mesh.creases.edges.iter().map(|c| (ends(c), c.sharpness)).collect();
        let topology = SurfaceTopology::of(mesh);
        let mut at_end = vec![false; mesh.points.len()];
        for (edge, corners) in (0..).zip(&topology.edge_corners) {
            let is_sharp = || tags.get(&topology.edge_ends(edge)) == Some(&f64::INFINITY);
            if corners[1] == NONE && !is_sharp() {
                topology.edge_ends(edge).into_iter().for_each(|v| at_end[v as usize] = true);
            }
        }
        let touches = |face: &[u32]| face.iter().any(|&v| at_end[v as usize]);
        holes.extend((0..).zip(mesh.faces.iter()).filter(|(_, face)| touches(face)).map(|f| f.0));
    }
    sorted_unique(holes)
}
