//! The link of a vertex.
//!
//! The link of a vertex is what a small sphere around it cuts out of the mesh:
//! an edge becomes a vertex, a face an edge, a cell a triangle. A triangulated
//! sphere is the link of an interior vertex, a triangulated disk the link of a
//! boundary vertex.

use std::collections::HashSet;

use crate::error::IdKind::Vertex;
use crate::error::{Error, Message, Result, edge};

/// A triangulated sphere or disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexLink {
    triangles: Vec<[u32; 3]>,
    // Boundary cycle of a disk, its inside to the left; empty for a sphere.
    boundary: Vec<u32>,
    vertices: usize,
}

impl VertexLink {
    /// A link of triangles that turn counter-clockwise seen from outside, over
    /// vertices 0, 1, 2, … without gap.
    ///
    /// # Errors
    /// [`Error::Request`] unless they form one sphere or one disk.
    pub fn new(triangles: Vec<[u32; 3]>) -> Result<Self> {
        let refuse = |message: Message| {
            Err(Error::request(message).with_help(
                "give triangles that form one sphere or disk, all counter-clockwise seen from outside",
            ))
        };
        let mut edges = HashSet::new();
        for &[a, b, c] in &triangles {
            if a == b || b == c || c == a {
                return refuse(format!("link triangle {a} {b} {c} repeats a vertex").into());
            }
            for (p, q) in [(a, b), (b, c), (c, a)] {
                if !edges.insert((p, q)) {
                    return refuse(message!(
                        "link ",
                        edge([p, q]),
                        " runs the same way in two triangles"
                    ));
                }
            }
        }
        let used: HashSet<u32> = triangles.iter().flatten().copied().collect();
        let vertices = used.len();
        if used.iter().any(|&v| v as usize >= vertices) {
            return refuse(
                format!("the link's {vertices} vertices are not numbered 0, 1, 2, …").into(),
            );
        }
        // Triangles across an edge lie in one piece, a vertex's in one fan.
        for v in 0..vertices as u32 {
            let around: Vec<_> = triangles.iter().filter_map(|&t| edge_opposite(t, v)).collect();
            if !is_path(&around) {
                return refuse(message!(
                    "the triangles around link ",
                    Vertex.id(v),
                    " are not one fan"
                ));
            }
        }
        let open: Vec<(u32, u32)> = triangles
            .iter()
            .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
            .filter(|&(p, q)| !edges.contains(&(q, p)))
            .collect();
        let boundary = cycle(&open);
        // Twice the number of edges: every inner edge was seen from both sides.
        let edge_count = (edges.len() + open.len()) / 2;
        let characteristic = (vertices + triangles.len()) as i64 - edge_count as i64;
        let wanted = if open.is_empty() { 2 } else { 1 };
        if boundary.len() != open.len() || characteristic != wanted {
            return refuse("the link is neither one sphere nor one disk".into());
        }
        Ok(Self { triangles, boundary, vertices })
    }

    /// Triangles, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Boundary cycle of a disk; empty for a sphere.
    pub fn boundary(&self) -> &[u32] {
        &self.boundary
    }

    /// The tetrahedron, degrees 3⁴: a tetrahedron's four hexahedra.
    pub fn tetrahedron() -> Self {
        Self::sphere(4, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    }

    /// `n` ≥ 3 triangles above and below a cycle: two vertices of degree n and n
    /// of degree 4. It is the link inside a straight extraordinary edge of
    /// valence n; n = 4 is the octahedron, a regular vertex.
    ///
    /// # Errors
    /// [`Error::Request`] if `n` < 3.
    pub fn bipyramid(n: u32) -> Result<Self> {
        Self::new(
            (0..n)
                .map(|v| (v, (v + 1) % n))
                .flat_map(|(v, next)| [[v, next, n], [next, v, n + 1]])
                .collect(),
        )
    }

    /// The octahedron, degrees 4⁶: a regular vertex.
    pub fn octahedron() -> Self {
        Self::sphere(6, OCTAHEDRON.to_vec())
    }

    /// Degrees 3, 4, 4, 4, 5, 5, 5: the octahedron with a vertex in one
    /// triangle. The triangle opposite has degrees 4, 4, 4, so its cell touches
    /// the extraordinary vertex but none of the extraordinary edges.
    pub fn stacked_octahedron() -> Self {
        let [first, rest @ ..] = OCTAHEDRON;
        let [a, b, c] = first;
        let mut triangles = vec![[a, b, 6], [b, c, 6], [c, a, 6]];
        triangles.extend(rest);
        Self::sphere(7, triangles)
    }

    /// The icosahedron, degrees 5¹².
    pub fn icosahedron() -> Self {
        let triangles = (0..5)
            .flat_map(|v| {
                let (upper, lower) = ([v, (v + 1) % 5], [v + 5, (v + 1) % 5 + 5]);
                [
                    [upper[0], upper[1], 10],
                    [upper[1], upper[0], lower[0]],
                    [lower[0], lower[1], upper[1]],
                    [lower[1], lower[0], 11],
                ]
            })
            .collect();
        Self::sphere(12, triangles)
    }

    fn sphere(vertices: usize, triangles: Vec<[u32; 3]>) -> Self {
        Self { triangles, boundary: Vec::new(), vertices }
    }
}

const OCTAHEDRON: [[u32; 3]; 8] =
    [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];

fn edge_opposite([a, b, c]: [u32; 3], v: u32) -> Option<(u32, u32)> {
    match v {
        _ if v == a => Some((b, c)),
        _ if v == b => Some((c, a)),
        _ if v == c => Some((a, b)),
        _ => None,
    }
}

/// The cycle of directed edges that starts with the first one; shorter than
/// `edges` if they are not one cycle.
fn cycle(edges: &[(u32, u32)]) -> Vec<u32> {
    let Some(&(first, _)) = edges.first() else { return Vec::new() };
    let mut vertices = vec![first];
    while vertices.len() < edges.len() {
        let last = vertices[vertices.len() - 1];
        match edges.iter().find(|e| e.0 == last) {
            Some(&(_, next)) if next != first => vertices.push(next),
            _ => break,
        }
    }
    vertices
}

/// Whether the directed edges are one path, open or closed.
fn is_path(edges: &[(u32, u32)]) -> bool {
    let start = edges.iter().find(|e| edges.iter().all(|f| f.1 != e.0)).or(edges.first());
    let Some(&(start, mut end)) = start else { return false };
    let mut length = 1;
    while end != start {
        let Some(next) = edges.iter().find(|e| e.0 == end) else { break };
        end = next.1;
        length += 1;
    }
    length == edges.len()
}
