//! One and two steps of Catmull-Clark.

use rayon::prelude::*;

use super::{
    Columns, FaceNavigation, QuadCorners, SurfaceTopology, TASK_ITEMS, WantedLists,
    split_non_manifold,
};
use crate::interrupt::stop_point;
use crate::pages;
use crate::topology::NONE;

/// The topology after one step of Catmull-Clark, in which every corner becomes a quad:
/// corner c of a face becomes face c with the vertices (vertex point, point of the edge
/// out, face point, point of the edge in). Lists take the memory of `spare`.
///
/// Vertex points keep their ids; face points follow, then edge points. The halves of edge
/// e are 2e (at its smaller end) and 2e + 1; the edge from edge point c to the face point
/// is 2E + c. So no sort is needed.
pub(in crate::surface) fn split_to_quads(
    coarse: &SurfaceTopology,
    lists: WantedLists,
    spare: SurfaceTopology,
) -> SurfaceTopology {
    let corners = coarse.corner_count;
    let is_whole = lists == WantedLists::All;
    let mut vertices = pages::reused(spare.vertices, 4 * corners);
    let mut edges = pages::reused(spare.edges, if is_whole { 4 * corners } else { 0 });
    let edge_corners = match &coarse.columns {
        Columns::Uniform(4) => {
            split_quads(coarse, &mut vertices, &mut edges);
            is_whole.then(|| split_edge_corners(coarse, QuadCorners, spare.edge_corners))
        }
        columns => {
            split_polygons(coarse, &mut vertices, &mut edges);
            is_whole.then(|| split_edge_corners(coarse, columns, spare.edge_corners))
        }
    };
    let edge_corners = edge_corners.unwrap_or_default();
    SurfaceTopology { vertices, edges, edge_corners, ..counts_of_split(coarse) }
}

/// The vertices of the quads after two steps from quads, with the topology between: that
/// counts only.
pub(in crate::surface) fn split_quads_twice(
    coarse: &SurfaceTopology,
    spare: SurfaceTopology,
) -> [SurfaceTopology; 2] {
    let middle = counts_of_split(coarse);
    let (first, second) = (NewIds::of(coarse), NewIds::of(&middle));
    let mut vertices = pages::reused(spare.vertices, 16 * coarse.corner_count);
    let quads = coarse.vertices.as_chunks::<4>().0.par_iter();
    let quads = quads.zip(coarse.edges.as_chunks::<4>().0).enumerate();
    let out = vertices.as_chunks_mut::<4>().0.as_chunks_mut::<16>().0;
    let out = out.par_iter_mut().with_min_len(TASK_ITEMS / 16);
    out.zip(quads).for_each(|(out, (f, (&quad, &sides)))| {
        *out = grandchildren([first, second], f as u32, quad, sides);
    });
    let fine = SurfaceTopology { vertices, ..counts_of_split(&middle) };
    [middle, fine]
}

/// The quads at the corners of the quads at the corners of quad f. Only ids of
/// vertices are of the finer level.
#[inline(always)]
fn grandchildren(
    [first, second]: [NewIds; 2],
    f: u32,
    quad: [u32; 4],
    sides: [u32; 4],
) -> [[u32; 4]; 16] {
    let children = first.children(f, quad, sides);
    let edges = first.child_edges(f, quad, sides);
    let mut all = [[0; 4]; 16];
    for (i, out) in all.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *out = second.children(4 * f + i as u32, children[i], edges[i]);
    }
    all
}

/// The topology after one step of Catmull-Clark, without lists.
fn counts_of_split(coarse: &SurfaceTopology) -> SurfaceTopology {
    SurfaceTopology {
        vertex_count: coarse.vertex_count + coarse.face_count + coarse.edge_count,
        face_count: coarse.corner_count,
        corner_count: 4 * coarse.corner_count,
        columns: Columns::Uniform(4),
        vertices: Vec::new(),
        edges: Vec::new(),
        edge_count: 2 * coarse.edge_count + coarse.corner_count,
        edge_corners: Vec::new(),
        non_manifold_edges: split_non_manifold(coarse),
    }
}

/// Where the new ids of a step of Catmull-Clark begin.
#[derive(Clone, Copy)]
struct NewIds {
    first_face_point: u32,
    first_edge_point: u32,
    /// First id of the edges inside coarse faces.
    first_inner: u32,
}

impl NewIds {
    fn of(coarse: &SurfaceTopology) -> Self {
        let first_face_point = coarse.vertex_count as u32;
        let first_edge_point = first_face_point + coarse.face_count as u32;
        Self { first_face_point, first_edge_point, first_inner: 2 * coarse.edge_count as u32 }
    }

    /// The quads at the corners of quad f.
    #[inline(always)]
    fn children(self, f: u32, quad: [u32; 4], sides: [u32; 4]) -> [[u32; 4]; 4] {
        let points = sides.map(|e| self.first_edge_point + e);
        let center = self.first_face_point + f;
        [0, 1, 2, 3].map(|i| [quad[i], points[i], center, points[(i + 3) % 4]])
    }

    /// The edges of the quads at the corners of quad f.
    #[inline(always)]
    fn child_edges(self, f: u32, quad: [u32; 4], sides: [u32; 4]) -> [[u32; 4]; 4] {
        // the halves of a side at its start
        let starts = [0, 1, 2, 3].map(|i| 2 * sides[i] + u32::from(quad[i] > quad[(i + 1) % 4]));
        let inside = [0, 1, 2, 3].map(|i| self.first_inner + 4 * f + i);
        [0, 1, 2, 3].map(|i| {
            let before = (i + 3) % 4;
            [starts[i], inside[i], inside[before], starts[before] ^ 1]
        })
    }
}

/// Vertices and edges of the quads at the corners of any faces.
fn split_polygons(coarse: &SurfaceTopology, vertices: &mut [u32], edges: &mut [u32]) {
    let go = &coarse.columns;
    let NewIds { first_face_point, first_edge_point, first_inner } = NewIds::of(coarse);
    let edge = |c: u32| coarse.edges[c as usize];
    let column = |c: u32| -> [u32; 4] {
        let out = first_edge_point + edge(c);
        let into = first_edge_point + edge(go.previous(c));
        [coarse.vertex(c), out, first_face_point + go.face(c), into]
    };
    let columns = vertices.as_chunks_mut::<4>().0.par_iter_mut().with_min_len(TASK_ITEMS);
    columns.enumerate().for_each(|(c, out)| *out = column(c as u32));
    let sides = |c: u32| -> [u32; 4] {
        let (before, after) = (go.previous(c), go.next(c));
        let turned = |other: u32| u32::from(coarse.vertex(c) > coarse.vertex(other));
        let (out, into) = (2 * edge(c) + turned(after), 2 * edge(before) + turned(before));
        [out, first_inner + c, first_inner + before, into]
    };
    let columns = edges.as_chunks_mut::<4>().0.par_iter_mut().with_min_len(TASK_ITEMS);
    columns.enumerate().for_each(|(c, out)| *out = sides(c as u32));
}

/// Vertices and edges of the quads at the corners of quads, both lists of a face at once.
fn split_quads(coarse: &SurfaceTopology, vertices: &mut [u32], edges: &mut [u32]) {
    let numbering = NewIds::of(coarse);
    let quads = coarse.vertices.as_chunks::<4>().0.par_iter();
    let quads = quads.zip(coarse.edges.as_chunks::<4>().0).enumerate();
    let quads = quads.with_min_len(TASK_ITEMS / 4);
    let vertices = vertices.as_chunks_mut::<16>().0.par_iter_mut();
    if edges.is_empty() {
        vertices.zip(quads).for_each(|(out, (f, (&quad, &sides)))| {
            out.copy_from_slice(numbering.children(f as u32, quad, sides).as_flattened());
        });
        return;
    }
    let out = vertices.zip(edges.as_chunks_mut::<16>().0);
    out.zip(quads).for_each(|((out, out_edges), (f, (&quad, &sides)))| {
        let f = f as u32;
        out.copy_from_slice(numbering.children(f, quad, sides).as_flattened());
        out_edges.copy_from_slice(numbering.child_edges(f, quad, sides).as_flattened());
    });
}

/// The corners of the edges of split faces.
fn split_edge_corners(
    coarse: &SurfaceTopology,
    go: impl FaceNavigation,
    spare: Vec<[u32; 2]>,
) -> Vec<[u32; 2]> {
    let halves_count = 2 * coarse.edge_count;
    let mut corners = pages::reused(spare, halves_count + coarse.corner_count);
    let (halves, inner) = corners.split_at_mut(halves_count);
    let halves = halves.as_chunks_mut::<2>().0.par_iter_mut().with_min_len(TASK_ITEMS);
    halves.zip(&coarse.edge_corners).for_each(|(out, pair)| {
        stop_point();
        *out = [[NONE; 2]; 2];
        for (side, &c) in pair.iter().enumerate().filter(|(_, c)| **c != NONE) {
            // the half at the start of the edge, and the half at its end
            let after = go.next(c);
            let turned = usize::from(coarse.vertex(c) > coarse.vertex(after));
            out[turned][side] = 4 * c;
            out[1 - turned][side] = 4 * after + 3;
        }
    });
    let inner = inner.par_iter_mut().with_min_len(TASK_ITEMS).enumerate();
    inner.for_each(|(c, out)| *out = [4 * c as u32 + 1, 4 * go.next(c as u32) + 2]);
    corners
}
