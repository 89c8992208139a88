//! One step of Loop.

use rayon::prelude::*;

use super::{
    Columns, FaceNavigation, SurfaceTopology, TASK_ITEMS, TriangleCorners, WantedLists,
    split_non_manifold,
};
use crate::interrupt::stop_point;
use crate::pages;
use crate::topology::NONE;

/// The topology after one step of Loop: triangle t becomes 4t + i at its corner i (vertex
/// point, point of the edge out, point of the edge in) and 4t + 3 between the edge points.
///
/// Vertex points keep their ids, edge points follow. The halves of edge e are 2e (at its
/// smaller end) and 2e + 1; the edge that cuts off corner c is 2E + c. Vertices are always
/// listed. Lists take the memory of `spare`.
pub(in crate::surface) fn split_to_triangles(
    coarse: &SurfaceTopology,
    lists: WantedLists,
    spare: SurfaceTopology,
) -> SurfaceTopology {
    let first_edge_point = coarse.vertex_count as u32;
    let inner = 2 * coarse.edge_count() as u32;
    let corners = |t: usize| [0, 1, 2].map(|i| 3 * t as u32 + i);
    let mut vertices = pages::reused(spare.vertices, 4 * coarse.corner_count);
    vertices.par_chunks_mut(12 * TASK_ITEMS).enumerate().for_each(|(part, out)| {
        stop_point();
        for (t, out) in (part * TASK_ITEMS..).zip(out.as_chunks_mut::<12>().0) {
            let [a, b, c] = corners(t).map(|corner| coarse.vertex(corner));
            let [e, f, g] =
                corners(t).map(|corner| first_edge_point + coarse.edges[corner as usize]);
            *out = [a, e, g, b, f, e, c, g, f, e, f, g];
        }
    });
    let is_whole = lists == WantedLists::All;
    let mut fine_edges = pages::reused(spare.edges, if is_whole { vertices.len() } else { 0 });
    fine_edges.par_chunks_mut(12 * TASK_ITEMS).enumerate().for_each(|(part, out)| {
        stop_point();
        for (t, out) in (part * TASK_ITEMS..).zip(out.as_chunks_mut::<12>().0) {
            // halves at the start and at the end of each side
            let halves = corners(t).map(|corner| {
                let turned = coarse.vertex(corner) > coarse.vertex(TriangleCorners.next(corner));
                let half = 2 * coarse.edges[corner as usize];
                [half + u32::from(turned), half + u32::from(!turned)]
            });
            let [ea, eb, ec] = halves;
            let [a, b, c] = corners(t).map(|corner| inner + corner);
            *out = [ea[0], a, ec[1], eb[0], b, ea[1], ec[0], c, eb[1], b, c, a];
        }
    });
    let edge_corners = is_whole.then(|| triangle_edge_corners(coarse, spare.edge_corners));
    let edge_corners = edge_corners.unwrap_or_default();
    SurfaceTopology {
        vertex_count: coarse.vertex_count + coarse.edge_count(),
        face_count: 4 * coarse.face_count,
        columns: Columns::Uniform(3),
        vertices,
        edge_count: 2 * coarse.edge_count + coarse.corner_count,
        corner_count: 4 * coarse.corner_count,
        edges: fine_edges,
        edge_corners,
        non_manifold_edges: split_non_manifold(coarse),
    }
}

/// First corner of the child at a corner.
#[inline(always)]
fn child_of_triangle(corner: u32) -> u32 {
    12 * (corner / 3) + 3 * (corner % 3)
}

fn triangle_edge_corners(coarse: &SurfaceTopology, spare: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    let edge_count = coarse.edge_count();
    let mut corners = pages::reused(spare, 2 * edge_count + coarse.vertices.len());
    let (halves, inner) = corners.split_at_mut(2 * edge_count);
    halves.par_chunks_mut(2 * TASK_ITEMS).enumerate().for_each(|(part, out)| {
        stop_point();
        let coarse_corners = &coarse.edge_corners[part * TASK_ITEMS..];
        for (pair, out) in coarse_corners.iter().zip(out.as_chunks_mut::<2>().0) {
            *out = [[NONE; 2]; 2];
            for (side, &c) in pair.iter().enumerate().filter(|(_, c)| **c != NONE) {
                let after = TriangleCorners.next(c);
                let turned = coarse.vertex(c) > coarse.vertex(after);
                out[usize::from(turned)][side] = child_of_triangle(c);
                out[usize::from(!turned)][side] = child_of_triangle(after) + 2;
            }
        }
    });
    inner.par_chunks_mut(TASK_ITEMS).enumerate().for_each(|(part, out)| {
        stop_point();
        for (c, out) in ((part * TASK_ITEMS) as u32..).zip(out) {
            let middle = 12 * (c / 3) + 9;
            *out = [child_of_triangle(c) + 1, middle + (c + 2) % 3];
        }
    });
    corners
}
