//! Where a surface is not an oriented manifold: sharp edges and vertices, as in OpenSubdiv.

use super::SurfaceTopology;
use crate::mesh::UnionFind;
use crate::numbers::sorted_unique;
use crate::topology::NONE;

/// Whether an edge has two faces that are inconsistently oriented: both run through it in the same
/// direction.
pub(crate) fn is_inconsistent(topology: &SurfaceTopology, edge: u32) -> bool {
    let [a, b] = topology.edge_corners[edge as usize];
    b != NONE
        && topology.vertex(a) == topology.vertex(b)
        && topology.non_manifold_edges.binary_search(&edge).is_err()
}

/// Edges of more than two faces, and of two that are inconsistently oriented: infinitely sharp.
pub(crate) fn non_manifold_edges(topology: &SurfaceTopology) -> impl Iterator<Item = u32> {
    let inconsistent =
        (0..topology.edge_count() as u32).filter(|&edge| is_inconsistent(topology, edge));
    inconsistent.chain(topology.non_manifold_edges.iter().copied())
}

/// Whether an edge is one of the [`non_manifold_edges`].
pub(crate) fn is_non_manifold(topology: &SurfaceTopology, edge: u32) -> bool {
    is_inconsistent(topology, edge) || topology.non_manifold_edges.binary_search(&edge).is_ok()
}

/// Vertices that stay in place since the surface is not a manifold there, ascending; see
/// [`is_corner`].
pub(crate) fn non_manifold_corners(topology: &SurfaceTopology) -> Vec<u32> {
    corners(topology, |edge| is_non_manifold(topology, edge))
}

/// Vertices at which sheets only touch, ascending, in any order of the corners of faces.
pub(crate) fn touching_vertices(topology: &SurfaceTopology) -> Vec<u32> {
    corners(topology, |_| false)
}

fn corners(topology: &SurfaceTopology, is_non_manifold: impl Fn(u32) -> bool) -> Vec<u32> {
    let rows = topology.vertex_corners();
    let mut found = Vec::new();
    let mut sides = Vec::new();
    for (vertex, corners) in (0..).zip(rows.iter()) {
        sides.clear();
        for (i, &c) in (0u32..).zip(corners) {
            let before = topology.columns.previous(c);
            sides.push((topology.edges[c as usize], i));
            sides.push((topology.edges[before as usize], i));
        }
        if is_corner(&mut sides, &is_non_manifold) {
            found.push(vertex);
        }
    }
    found
}

/// Whether a vertex stays in place since the surface is not a manifold there: its faces form
/// neither one ring nor one fan. `sides` has both edges of every face there, with a number of the
/// face from 0 on.
///
/// A vertex inside a line where sheets meet is none of them, but lies on a crease: two
/// non-manifold edges, no end of the surface, and every sheet goes from one edge to the other.
pub(crate) fn is_corner(sides: &mut [(u32, u32)], is_non_manifold: impl Fn(u32) -> bool) -> bool {
    sides.sort_unstable();
    let count = sides.len() / 2;
    let mut faces = UnionFind::new(count);
    let (mut sheets, mut open) = (count, 0);
    let mut non_manifold: Vec<&[(u32, u32)]> = Vec::new();
    for side in sides.chunk_by(|a, b| a.0 == b.0) {
        match *side {
            _ if is_non_manifold(side[0].0) => non_manifold.push(side),
            [(_, a), (_, b)] => sheets -= usize::from(faces.join(a, b)),
            _ => open += 1,
        }
    }
    let (first, second) = match non_manifold[..] {
        [] => return sheets > 1,
        [first, second] if open == 0 => (first, second),
        _ => return true,
    };
    let mut roots =
        |side: &[(u32, u32)]| sorted_unique(side.iter().map(|&(_, i)| faces.root(i)).collect());
    let (from, to) = (roots(first), roots(second));
    from.len() != first.len() || first.len() != second.len() || from != to || from.len() != sheets
}

/// Ends of the first edge whose two faces are inconsistently oriented.
pub(crate) fn inconsistent_edge(topology: &SurfaceTopology) -> Option<[u32; 2]> {
    let edge = (0..topology.edge_count() as u32).find(|&edge| is_inconsistent(topology, edge))?;
    Some(topology.edge_ends(edge))
}
