//! The ghost corners at a vertex: a disc of triangles with given numbers at its rim.
//!
//! The link of a vertex has a vertex for each edge, an edge for each face and a triangle for each corner
//! of a cell there. Its rim are the boundary edges and faces; ghosts fill the outside of the rim.

use crate::topology::{Orientation, Topology};

/// The rim of each boundary vertex.
#[derive(Debug)]
pub struct Rims {
    // [vertex]; empty inside
    rims: Vec<Vec<RimPlace>>,
}

/// A boundary edge at a vertex, and the face between it and the next.
#[derive(Clone, Copy, Debug)]
pub struct RimPlace {
    pub edge: u32,
    pub face: u32,
}

impl Rims {
    pub fn new(topology: &Topology, orientation: &Orientation) -> Self {
        let mut rims: Vec<Vec<RimPlace>> = vec![Vec::new(); topology.vertex_count()];
        // of each corner of a boundary face the edges before and after the vertex
        let mut corners: Vec<Vec<[u32; 3]>> = vec![Vec::new(); topology.vertex_count()];
        for face in (0..topology.face_count() as u32).filter(|&f| topology.is_boundary_face(f)) {
            let cycle: Vec<u32> = orientation.outward_cycle(topology, face).collect();
            let n = cycle.len();
            for i in 0..n {
                let (v, next, before) = (cycle[i], cycle[(i + 1) % n], cycle[(i + n - 1) % n]);
                let edges = [next, before].map(|other| topology.edge_between(v, other));
                if let [Some(from), Some(to)] = edges {
                    corners[v as usize].push([from, to, face]);
                }
            }
        }
        for (rim, corners) in rims.iter_mut().zip(corners) {
            // against the clock, seen from outside
            let Some(&[first, ..]) = corners.first() else { continue };
            let mut edge = first;
            for _ in 0..corners.len() {
                let Some(&[_, to, face]) = corners.iter().find(|corner| corner[0] == edge) else {
                    break;
                };
                rim.push(RimPlace { edge, face });
                edge = to;
            }
        }
        Self { rims }
    }

    /// The rim of a vertex, against the clock seen from outside.
    pub fn of(&self, vertex: u32) -> &[RimPlace] {
        &self.rims[vertex as usize]
    }
}

/// The triangles that fill the outside of a rim of `wanted.len()` edges, each with the number of
/// triangles wanted at it: vertices below that number are edges of the rim, the others are new. `None`
/// if there is no such disc of this kind: ears, and a ring around a polygon of new vertices.
pub fn fill(wanted: &[u8]) -> Option<Vec<[usize; 3]>> {
    let mut polygon: Vec<(usize, u8)> = wanted.iter().copied().enumerate().collect();
    let (mut triangles, mut count) = (Vec::new(), wanted.len());
    loop {
        let n = polygon.len();
        if n == 2 {
            return polygon.iter().all(|&(_, left)| left == 0).then_some(triangles);
        }
        if n < 2 || polygon.iter().any(|&(_, left)| left == 0) {
            return None;
        }
        let Some(ear) = polygon.iter().position(|&(_, left)| left == 1) else { break };
        let [before, after] = [(ear + n - 1) % n, (ear + 1) % n];
        triangles.push([polygon[before].0, polygon[ear].0, polygon[after].0]);
        if n == 3 {
            return polygon.iter().all(|&(_, left)| left == 1).then_some(triangles);
        }
        polygon[before].1 -= 1;
        polygon[after].1 -= 1;
        polygon.remove(ear);
    }
    // a ring of triangles: at each vertex its number less one of apexes
    let inner: usize = polygon.iter().map(|&(_, left)| usize::from(left) - 2).sum();
    let apexes = inner.max(1);
    if inner == 1 {
        return None;
    }
    let first = count;
    count += apexes;
    let (n, mut at) = (polygon.len(), 0);
    let apex = |at: usize| first + at % apexes;
    for i in 0..n {
        let (vertex, left) = polygon[i];
        for _ in 2..left {
            triangles.push([vertex, apex(at + 1), apex(at)]);
            at += 1;
        }
        triangles.push([vertex, polygon[(i + 1) % n].0, apex(at)]);
    }
    match inner {
        0 | 2 => {}
        3 => triangles.push([first, first + 1, first + 2]),
        _ => triangles.extend((0..inner).map(|i| [apex(i), apex(i + 1), count])),
    }
    Some(triangles)
}
