//! Where a surface is no surface: vertices at which several sheets only touch.

use super::SurfaceTopology;
use crate::topology::NONE;

/// Vertices whose faces form neither one ring nor one fan, ascending.
///
/// A vertex inside a line where more than two faces meet (two such edges, no end of the
/// surface, all faces joined) is none of them: it lies on a crease.
pub(crate) fn touching_vertices(matrix: &SurfaceTopology) -> Vec<u32> {
    let rows = matrix.vertex_corners();
    let mut touching = Vec::new();
    let mut sides = Vec::new();
    let mut parents = Vec::new();
    for (vertex, corners) in (0..).zip(rows.iter()) {
        // both edges of every corner here, so that equal edges become neighbours
        sides.clear();
        for (i, &c) in (0u32..).zip(corners) {
            let before = matrix.columns.previous(c);
            sides.push((matrix.edges[c as usize], i));
            sides.push((matrix.edges[before as usize], i));
        }
        sides.sort_unstable();
        parents.clear();
        parents.extend(0..corners.len() as u32);
        let (mut sheets, mut non_manifold, mut open) = (corners.len(), 0, 0);
        for side in sides.chunk_by(|a, b| a.0 == b.0) {
            for pair in side.windows(2) {
                let [a, b] = [pair[0].1, pair[1].1].map(|i| root(&mut parents, i));
                if a != b {
                    parents[a as usize] = b;
                    sheets -= 1;
                }
            }
            non_manifold += usize::from(side.len() > 2);
            open += usize::from(side.len() == 1);
        }
        let crease = non_manifold == 2 && open == 0;
        if sheets > 1 || non_manifold > 0 && !crease {
            touching.push(vertex);
        }
    }
    touching
}

fn root(parents: &mut [u32], mut i: u32) -> u32 {
    while parents[i as usize] != i {
        parents[i as usize] = parents[parents[i as usize] as usize];
        i = parents[i as usize];
    }
    i
}

/// The first edge that two faces run through alike, with its ends.
pub(crate) fn inconsistent_edge(matrix: &SurfaceTopology) -> Option<[u32; 2]> {
    let alike = |[a, b]: [u32; 2]| b != NONE && matrix.vertex(a) == matrix.vertex(b);
    let edge = matrix.edge_corners.iter().position(|&corners| alike(corners))?;
    Some(matrix.edge_ends(edge as u32))
}

#[cfg(test)]
mod tests {
    use super::super::Columns;
    use super::*;

    fn touching(vertices: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
        let corners = triangles.as_flattened().to_vec();
        touching_vertices(&SurfaceTopology::build(vertices, Columns::Uniform(3), corners))
    }

    #[test]
    fn fans_rings_and_creases_do_not_touch() {
        assert_eq!(touching(4, &[[0, 1, 2], [0, 2, 3]]), [0_u32; 0]);
        assert_eq!(touching(4, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]), [0_u32; 0]);
        // two triangles that share a vertex, two tetrahedra at a vertex
        assert_eq!(touching(5, &[[0, 1, 2], [0, 3, 4]]), [0]);
        // three pages at the spine 0–1: its ends have open edges
        assert_eq!(touching(5, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]), [0, 1]);
    }
}
