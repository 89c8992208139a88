//! Half-edges (an edge seen from one face) merged into edges.

use rayon::prelude::*;

use super::Rows;
use super::groups::{for_each_group, group, number, scatter, split};

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
    let count = face_vertices.items().len();
    // ends of half-edge h: the h-th item of the face cycles and its successor
    let mut edge_ends = vec![[0; 2]; count];
    // face of each half-edge
    let mut owners = vec![0; count];
    let ends_of_faces = face_vertices.ends();
    let chunks = split(ends_of_faces, &mut edge_ends);
    let chunks = chunks.into_par_iter().zip(split(ends_of_faces, &mut owners));
    chunks.for_each(|((first, ends, out), (_, _, owners))| {
        let mut out = out.iter_mut().zip(owners);
        for face in first..first + ends.len() {
            let cycle = face_vertices.row(face);
            let mut previous = cycle[0];
            for &next in cycle[1..].iter().chain(&cycle[..1]) {
                if let Some((slot, owner)) = out.next() {
                    *slot = [previous.min(next), previous.max(next)];
                    *owner = face as u32;
                }
                previous = next;
            }
        }
    });
    let keys = edge_ends.iter().map(|e| e[0]);
    // the other end above the half-edge in one number, which sorts as quickly
    let entry = |(h, e): (usize, &[u32; 2])| (e[0], u64::from(e[1]) << 32 | h as u64);
    let (ends, mut entries) = group(vertex_count, keys, edge_ends.iter().enumerate().map(entry));
    for_each_group(&ends, &mut entries, |group| group.sort_unstable());
    let (numbers, firsts) = number(&ends, &entries, |a, b| a >> 32 == b >> 32);
    let half = |&entry: &u64| entry as u32;
    let first_ends = |&first: &u32| edge_ends[half(&entries[first as usize]) as usize];
    let mut vertices = Vec::new();
    firsts.par_iter().map(first_ends).collect_into_vec(&mut vertices);
    let edge_of = scatter(entries.par_iter().map(half).zip(numbers), count);
    // half-edges of an edge stand together, and ascend with their faces
    let mut faces = Vec::new();
    entries.par_iter().map(|entry| owners[half(entry) as usize]).collect_into_vec(&mut faces);
    let ends = firsts.iter().skip(1).copied().chain(firsts.first().map(|_| count as u32));
    Edges {
        of_faces: Rows::from_parts(ends_of_faces.to_vec(), edge_of),
        faces: Rows::from_parts(ends.collect(), faces),
        vertices,
    }
}
