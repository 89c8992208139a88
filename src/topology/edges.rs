//! Half-edges (an edge seen from one face) merged into edges.
//!
//! The faces at the smaller end of an edge hold all of its half-edges. So every vertex
//! sorts its own few, and edges come in the order of their ends.

use std::ops::Range;

use rayon::prelude::*;

use super::Rows;
use super::groups::{BLOCK, GRAIN, chunks, start, take};
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

    let count = parts.iter().map(|part| part.others.len()).sum();
    let mut vertices = pages::zeros(count);
    let mut ends = pages::zeros(count);
    let mut faces = pages::zeros(face_vertices.items().len());
    // end of the edges of each vertex that is their smaller end
    let mut own_ends = pages::zeros(vertex_faces.len());
    let mut rest = (&mut vertices[..], &mut ends[..], &mut faces[..], &mut own_ends[..]);
    let (mut edge, mut face) = (0, 0);
    let mut tasks = Vec::with_capacity(parts.len());
    for part in &parts {
        let places = (
            take(&mut rest.0, part.others.len()),
            take(&mut rest.1, part.others.len()),
            take(&mut rest.2, part.faces.len()),
            take(&mut rest.3, part.own_ends.len()),
        );
        tasks.push((part, edge, face, places));
        (edge, face) = (edge + part.others.len() as u32, face + part.faces.len() as u32);
    }
    tasks.into_par_iter().for_each(|(part, edge, face, (vertices, ends, faces, own_ends))| {
        faces.copy_from_slice(&part.faces);
        for (place, end) in ends.iter_mut().zip(&part.ends) {
            *place = face + end;
        }
        let mut others = vertices.iter_mut().zip(&part.others);
        let mut from = 0;
        for ((vertex, place), &end) in (part.first_vertex..).zip(own_ends).zip(&part.own_ends) {
            for (ends, &other) in others.by_ref().take((end - from) as usize) {
                *ends = [vertex, other];
            }
            from = end;
            *place = edge + end;
        }
    });
    let of_faces = edges_of_faces(face_vertices, &vertices, &own_ends);
    Edges { vertices, of_faces, faces: Rows::from_parts(ends, faces) }
}

/// Edges of consecutive smaller ends; numbers count from the part's own first ones.
struct Part {
    first_vertex: u32,
    /// End of the edges of each vertex.
    own_ends: Vec<u32>,
    /// Larger end of each edge.
    others: Vec<u32>,
    /// End of the faces of each edge.
    ends: Vec<u32>,
    faces: Vec<u32>,
}

impl Part {
    fn of(vertices: Range<u32>, face_vertices: &Rows, vertex_faces: &Rows) -> Self {
        let mut part = Self {
            first_vertex: vertices.start,
            own_ends: Vec::with_capacity(vertices.len()),
            others: Vec::with_capacity(4 * vertices.len()),
            ends: Vec::with_capacity(4 * vertices.len()),
            faces: Vec::with_capacity(16 * vertices.len()),
        };
        let quads = face_vertices.arrays::<4>();
        let mut cycles: Vec<[u32; 4]> = Vec::new();
        // the other end above the face, in one number, which sorts quickly
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
                    let ends = match cycles.next() {
                        Some(&[a, _, c, _]) if vertex != a && vertex != c => [a, c],
                        Some(&[_, b, _, d]) => [b, d],
                        None => neighbours(face_vertices.row(face as usize), vertex),
                    };
                    let larger = ends.into_iter().filter(|&other| other > vertex);
                    halves.extend(larger.map(|other| u64::from(other) << 32 | u64::from(face)));
                }
                halves.sort_unstable();
                part.push(&halves);
            }
        }
        part
    }

    /// Adds the edges of the next vertex out of its half-edges, ascending.
    fn push(&mut self, halves: &[u64]) {
        for edge in halves.chunk_by(|a, b| a >> 32 == b >> 32) {
            self.others.push((edge[0] >> 32) as u32);
            self.faces.extend(edge.iter().map(|&half| half as u32));
            self.ends.push(self.faces.len() as u32);
        }
        self.own_ends.push(self.others.len() as u32);
    }
}

/// The vertices before and after `vertex` in a cycle that it belongs to.
fn neighbours(cycle: &[u32], vertex: u32) -> [u32; 2] {
    let at = cycle.iter().position(|&v| v == vertex).unwrap_or(0);
    let last = cycle.len() - 1;
    let before = if at == 0 { last } else { at - 1 };
    let after = if at == last { 0 } else { at + 1 };
    [cycle[before], cycle[after]]
}

/// The edges of each face, looked up among those of their smaller ends.
fn edges_of_faces(face_vertices: &Rows, edges: &[[u32; 2]], own_ends: &[u32]) -> Rows {
    let edge_between = |a: u32, b: u32| {
        let (low, high) = (a.min(b), a.max(b));
        let mut edge = start(own_ends, low as usize);
        while edges[edge as usize][1] != high {
            edge += 1;
        }
        edge
    };
    let mut items = pages::zeros(face_vertices.items().len());
    let mut rest = &mut items[..];
    let mut tasks = Vec::new();
    let faces = face_vertices.len();
    for first in (0..faces).step_by(GRAIN) {
        let last = (first + GRAIN).min(faces);
        let len = face_vertices.start(last) - face_vertices.start(first);
        tasks.push((first..last, take(&mut rest, len)));
    }
    tasks.into_par_iter().for_each(|(faces, items)| {
        let mut items = items.iter_mut();
        for face in faces {
            let cycle = face_vertices.row(face);
            let next = cycle[1..].iter().chain(&cycle[..1]);
            for ((&a, &b), edge) in cycle.iter().zip(next).zip(&mut items) {
                *edge = edge_between(a, b);
            }
        }
    });
    face_vertices.with_items(items)
}
