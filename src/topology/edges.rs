//! Half-edges (an edge seen from one face) merged into edges.
//!
//! The faces at the smaller end of an edge hold all of its half-edges. So every vertex
//! sorts its own few, and edges come in the order of their ends. A half-edge is the place
//! of its first vertex among the cycles of all faces.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::Rows;
use super::groups::{BLOCK, chunks, take, together};
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

/// Merges half-edges of all faces; `vertex_faces` are the faces at each vertex.
pub(super) fn merge_half_edges(face_vertices: &Rows, vertex_faces: &Rows) -> Edges {
    let part = |vertices| Part::of(vertices, face_vertices, vertex_faces);
    let parts: Vec<Part> = chunks(vertex_faces.len()).map(part).collect();

    let count = parts.iter().map(|part| part.edges.len()).sum();
    let halves = face_vertices.items().len();
    let (mut vertices, mut ends, mut faces) =
        (pages::zeros(count), pages::zeros(count), pages::zeros(halves));
    let mut of_faces = pages::zeros(halves);
    let numbers = together(&mut of_faces);
    let face_of = face_vertices.rows_of_items();
    let mut rest = (&mut vertices[..], &mut ends[..], &mut faces[..]);
    let (mut edge, mut half) = (0, 0);
    let mut tasks = Vec::with_capacity(parts.len());
    for part in &parts {
        let (edges, halves) = (part.edges.len(), part.halves.len());
        let places =
            (take(&mut rest.0, edges), take(&mut rest.1, edges), take(&mut rest.2, halves));
        tasks.push((part, edge, half, places));
        (edge, half) = (edge + edges as u32, half + halves as u32);
    }
    tasks.into_par_iter().for_each(|(part, edge, half, (vertices, ends, faces))| {
        let mut first = 0;
        let edges = vertices.iter_mut().zip(ends).zip(&part.edges);
        for (number, ((vertices, end), edge)) in (edge..).zip(edges) {
            *vertices = edge.vertices;
            *end = half + edge.end;
            let own = first as usize..edge.end as usize;
            for (face, &half) in faces[own.clone()].iter_mut().zip(&part.halves[own]) {
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
struct Part {
    edges: Vec<Edge>,
    /// Half-edges of all of them.
    halves: Vec<u32>,
}

struct Edge {
    vertices: [u32; 2],
    /// Where its half-edges end among those of the part.
    end: u32,
}

impl Part {
    fn of(vertices: Range<u32>, face_vertices: &Rows, vertex_faces: &Rows) -> Self {
        let mut part = Self {
            edges: Vec::with_capacity(4 * vertices.len()),
            halves: Vec::with_capacity(16 * vertices.len()),
        };
        let quads = face_vertices.arrays::<4>();
        let mut cycles: Vec<[u32; 4]> = Vec::new();
        // the other end above the half-edge, in one number, which sorts quickly
        let mut halves: Vec<u64> = Vec::new();
        for first in vertices.clone().step_by(BLOCK) {
            let block = first..vertices.end.min(first + BLOCK as u32);
            // cycles from all over memory for several vertices: their loads overlap
            if let Some(quads) = quads {
                let [start, end] = [block.start, block.end].map(|v| vertex_faces.start(v as usize));
                let faces = &vertex_faces.items()[start..end];
                cycles.clear();
                cycles.extend(faces.iter().map(|&face| quads[face as usize]));
            }
            let mut cycles = cycles.iter();
            for vertex in block {
                halves.clear();
                for &face in vertex_faces.row(vertex as usize) {
                    let at_vertex = match cycles.next() {
                        Some(cycle) => half_edges(cycle, vertex),
                        None => half_edges(face_vertices.row(face as usize), vertex),
                    };
                    let first = face_vertices.start(face as usize);
                    let larger = at_vertex.into_iter().filter(|&(_, other)| other > vertex);
                    let half = |(place, other)| u64::from(other) << 32 | (first + place) as u64;
                    halves.extend(larger.map(half));
                }
                halves.sort_unstable();
                part.push(vertex, &halves);
            }
        }
        part
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

/// The two half-edges at a `vertex` of a cycle, by their places in it, and their other ends.
#[inline(always)]
fn half_edges(cycle: &[u32], vertex: u32) -> [(usize, u32); 2] {
    // all at once, without shortcuts
    let at: usize = cycle.iter().enumerate().map(|(i, &v)| usize::from(v == vertex) * i).sum();
    let last = cycle.len() - 1;
    let before = if at == 0 { last } else { at - 1 };
    let after = if at == last { 0 } else { at + 1 };
    [(at, cycle[after]), (before, cycle[before])]
}
