//! Half-edges (an edge seen from one face) merged into edges.
//!
//! Half-edges are grouped by their smaller ends, every vertex sorts its own few, and edges come
//! in the order of their ends. A half-edge is the index of its first vertex among the cycles of
//! all faces.

use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::Rows;
use super::groups::{Chunk, CountingSort, advance, chunked, take};
use crate::disjoint::{together, together_long};
use crate::interrupt::stop_point;
use crate::pages;

/// Edges out of the cycles of faces.
pub(super) struct Edges {
    /// Ends of each edge, the smaller first.
    pub vertices: Vec<[u32; 2]>,
    /// Edges of each face, in the order of its cycle.
    pub of_faces: Rows,
    /// Faces at each edge, ascending.
    pub faces: Rows,
}

/// Merges half-edges of all faces.
pub(super) fn merge_half_edges(face_vertices: &Rows, vertex_count: usize) -> Edges {
    let portions = EdgePortion::all(face_vertices, vertex_count);
    let count = portions.iter().map(|portion| portion.edges.len()).sum();
    let halves = face_vertices.items().len();
    let (mut vertices, mut ends, mut faces) =
        (pages::zeros(count), pages::zeros(count), pages::zeros(halves));
    let mut of_faces = pages::zeros(halves);
    let numbers = together(&mut of_faces);
    let face_of = face_vertices.rows_of_items();
    let mut rest = (&mut vertices[..], &mut ends[..], &mut faces[..]);
    let (mut edge, mut half) = (0, 0);
    let mut tasks = Vec::with_capacity(portions.len());
    for portion in &portions {
        let (edges, halves) = (portion.edges.len(), portion.halves.len());
        let places =
            (take(&mut rest.0, edges), take(&mut rest.1, edges), take(&mut rest.2, halves));
        tasks.push((portion, edge, half, places));
        (edge, half) = (edge + edges as u32, half + halves as u32);
    }
    tasks.into_par_iter().for_each(|(portion, edge, half, (vertices, ends, faces))| {
        stop_point();
        let mut first = 0;
        let edges = vertices.iter_mut().zip(ends).zip(&portion.edges);
        for (number, ((vertices, end), edge)) in (edge..).zip(edges) {
            *vertices = edge.vertices;
            *end = half + edge.end;
            let own = first as usize..edge.end as usize;
            for (face, &half) in faces[own.clone()].iter_mut().zip(&portion.halves[own]) {
                *face = face_of(half);
                numbers[half as usize].store(number, Relaxed);
            }
            first = edge.end;
        }
    });
    let of_faces = face_vertices.with_items(of_faces);
    Edges { vertices, of_faces, faces: Rows::from_parts(ends, faces) }
}

/// Edges of consecutive smaller ends.
struct EdgePortion {
    edges: Vec<Edge>,
    /// Half-edges of all of them.
    halves: Vec<u32>,
}

struct Edge {
    vertices: [u32; 2],
    /// Where its half-edges end in the portion.
    end: u32,
}

impl EdgePortion {
    /// All edges.
    fn all(face_vertices: &Rows, vertex_count: usize) -> Vec<Self> {
        let (ends, mut grouped) = by_smaller_ends(face_vertices, vertex_count);
        chunked(&ends, &mut grouped).into_par_iter().map(Self::of).collect()
    }

    /// Edges out of half-edges, grouped by their smaller ends.
    fn of(vertices: Chunk<u64>) -> Self {
        let mut portion = Self {
            edges: Vec::with_capacity(4 * vertices.len()),
            halves: Vec::with_capacity(vertices.item_count()),
        };
        for (vertex, halves) in vertices.groups() {
            halves.sort_unstable();
            portion.push(vertex, halves);
        }
        portion
    }

    /// Adds the edges of the next vertex out of its half-edges, ascending.
    fn push(&mut self, vertex: u32, halves: &[u64]) {
        for edge in halves.chunk_by(|a, b| a >> 32 == b >> 32) {
            self.halves.extend(edge.iter().map(|&half| half as u32));
            let vertices = [vertex, (edge[0] >> 32) as u32];
            self.edges.push(Edge { vertices, end: self.halves.len() as u32 });
        }
    }
}

/// Half-edges at their smaller ends: the larger one above the half-edge, in one number, which
/// sorts quickly.
fn by_smaller_ends(face_vertices: &Rows, vertex_count: usize) -> (Vec<u32>, Vec<u64>) {
    let quads = face_vertices.arrays::<4>();
    let groups = CountingSort::of(vertex_count, face_vertices.len(), |face, counts| {
        let count = |_, smaller, _| _ = advance(counts, smaller);
        match quads {
            Some(quads) => for_each_half(&quads[face as usize], count),
            None => for_each_half(face_vertices.row(face as usize), count),
        }
    });
    let mut halves = pages::zeros(groups.len());
    let places = together_long(&mut halves);
    let ends = groups.place(|face, next| {
        let first = face_vertices.start(face as usize);
        let place = |at, smaller, larger| {
            let half = u64::from(larger) << 32 | (first + at) as u64;
            places[advance(next, smaller)].store(half, Relaxed);
        };
        match quads {
            Some(quads) => for_each_half(&quads[face as usize], place),
            None => for_each_half(face_vertices.row(face as usize), place),
        }
    });
    (ends, halves)
}

/// Calls `visit` with each place in a cycle and the ends of the half-edge that begins there,
/// the smaller one first.
#[inline(always)]
fn for_each_half(cycle: &[u32], mut visit: impl FnMut(usize, u32, u32)) {
    for (at, &a) in cycle.iter().enumerate() {
        let b = cycle[if at + 1 == cycle.len() { 0 } else { at + 1 }];
        visit(at, a.min(b), a.max(b));
    }
}
