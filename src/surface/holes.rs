//! Faces that only serve their neighbours.

use crate::mesh::{BoundaryRule, SurfaceMesh};
use crate::topology::NONE;
use crate::topology::surface::SurfaceTopology;

/// Faces that are tagged as holes, and, where the boundary rule says so, those that touch
/// the boundary; ascending.
pub(super) fn all(mesh: &SurfaceMesh) -> Vec<u32> {
    let mut holes = mesh.holes.clone();
    if mesh.boundary == BoundaryRule::Holes {
        let matrix = SurfaceTopology::of(mesh);
        let mut on_boundary = vec![false; mesh.points.len()];
        for (edge, corners) in (0..).zip(&matrix.edge_corners) {
            if corners[1] == NONE {
                matrix.edge_ends(edge).into_iter().for_each(|v| on_boundary[v as usize] = true);
            }
        }
        let touches = |face: &[u32]| face.iter().any(|&v| on_boundary[v as usize]);
        holes.extend((0..).zip(mesh.faces.iter()).filter(|(_, face)| touches(face)).map(|f| f.0));
    }
    holes.sort_unstable();
    holes.dedup();
    holes
}
