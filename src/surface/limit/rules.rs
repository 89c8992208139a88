//! The refinement rules of both schemes as stencil rows, and which one a vertex follows.
//!
//! Catmull-Clark inside: face point F; edge point (v0 + v1 + f0 + f1)/4; vertex point
//! (F + 2R + (n − 3)P)/n. Loop inside: edge point 3/8 (v0 + v1) + 1/8 (a + b); vertex
//! point (1 − nβ)P + β Σ with Loop's own β. Creases, corners and boundaries of both after
//! DeRose, Kass and Truong (1998).

use super::connectivity::Connectivity;
use super::faces::Scheme;
use crate::refine::RowBuilder;

/// The rule that a vertex follows at every level from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// No sharp edge.
    Smooth,
    /// One edge sharp for ever: a crease that ends.
    Dart,
    /// Two edges sharp for ever.
    Crease,
    /// Stays in place.
    Corner,
    /// Semi-sharp, or at a face that the scheme does not make: refinement changes it.
    Transient,
}

impl Connectivity {
    /// Whether the faces around a vertex are one fan, its edges of one or two faces each.
    pub fn is_manifold(&self, vertex: u32) -> bool {
        let mut crowded = false;
        self.vertex_edges(vertex, |e| crowded |= self.edge_sides.row(e as usize).len() > 2);
        !crowded && self.fan_len(vertex) == self.vertex_corners.row(vertex as usize).len()
    }

    /// The rule of a vertex.
    pub fn rule(&self, vertex: u32) -> Rule {
        let corners = self.vertex_corners.row(vertex as usize);
        let sides = self.scheme.sides();
        let is_made = |&corner: &u32| {
            self.faces.row(self.side_faces[corner as usize] as usize).len() == sides
        };
        let semi_sharp = |s: f64| s > 0.0 && s < f64::INFINITY;
        let pinned = self.vertex_sharpness(vertex);
        let (mut sharp, mut changing) = (0, semi_sharp(pinned) || !corners.iter().all(is_made));
        self.vertex_edges(vertex, |e| {
            let s = self.edge_sharpness(e);
            sharp += usize::from(s == f64::INFINITY);
            changing |= semi_sharp(s);
        });
        match sharp {
            _ if changing => Rule::Transient,
            _ if pinned > 0.0 || !self.is_manifold(vertex) => Rule::Corner,
            0 => Rule::Smooth,
            1 => Rule::Dart,
            2 => Rule::Crease,
            _ => Rule::Corner,
        }
    }

    /// Face point: the mean of the face's corners.
    pub fn face_point(&self, face: u32, row: &mut RowBuilder) {
        row.add_mean(self.faces.row(face as usize), 1.0);
    }

    /// Edge point: the smooth one, blended towards the midpoint by the sharpness.
    pub fn edge_point(&self, edge: u32, row: &mut RowBuilder) {
        let ends = self.edge_vertices[edge as usize];
        let sharp = self.edge_sharpness(edge).min(1.0);
        let smooth = 1.0 - sharp;
        match self.scheme {
            Scheme::CatmullClark => row.add_mean(&ends, sharp + 0.5 * smooth),
            Scheme::Loop => row.add_mean(&ends, sharp + 0.75 * smooth),
        }
        if smooth == 0.0 {
            return;
        }
        for &side in self.edge_sides.row(edge as usize) {
            let face = self.faces.row(self.side_faces[side as usize] as usize);
            match self.scheme {
                Scheme::CatmullClark => row.add_mean(face, 0.25 * smooth),
                Scheme::Loop => {
                    let across = face.iter().filter(|v| !ends.contains(v));
                    across.for_each(|&v| row.add(v, 0.125 * smooth));
                }
            }
        }
    }

    /// Vertex point: the smooth one, blended towards (e1 + 6P + e2)/8 or P by the mean
    /// sharpness of the sharp edges, then towards P by the vertex's own.
    pub fn vertex_point(&self, vertex: u32, row: &mut RowBuilder) {
        let (mut sharp_count, mut sharp_sum, mut valence) = (0, 0.0, 0.0);
        self.vertex_edges(vertex, |e| {
            valence += 1.0;
            let s = self.edge_sharpness(e);
            if s > 0.0 {
                sharp_count += 1;
                sharp_sum += s;
            }
        });
        let pinned = self.vertex_sharpness(vertex).min(1.0);
        let pinned = if pinned < 1.0 && !self.is_manifold(vertex) { 1.0 } else { pinned };
        let sharp = if sharp_count < 2 {
            0.0
        } else {
            (1.0 - pinned) * (sharp_sum / f64::from(sharp_count)).min(1.0)
        };
        let smooth = 1.0 - pinned - sharp;
        if smooth > 0.0 {
            self.smooth_vertex_point(vertex, valence, smooth, row);
        }
        if sharp_count == 2 && sharp > 0.0 {
            row.add(vertex, 0.75 * sharp);
            self.vertex_edges(vertex, |e| {
                if self.edge_sharpness(e) > 0.0 {
                    row.add(self.other_end(e, vertex), 0.125 * sharp);
                }
            });
            row.add(vertex, pinned);
        } else {
            row.add(vertex, pinned + sharp);
        }
    }

    fn smooth_vertex_point(&self, vertex: u32, valence: f64, weight: f64, row: &mut RowBuilder) {
        match self.scheme {
            Scheme::CatmullClark => {
                let corners = self.vertex_corners.row(vertex as usize);
                for &corner in corners {
                    let face = self.side_faces[corner as usize] as usize;
                    row.add_mean(self.faces.row(face), weight / (valence * corners.len() as f64));
                }
                self.vertex_edges(vertex, |e| {
                    let ends = self.edge_vertices[e as usize];
                    row.add_mean(&ends, 2.0 * weight / (valence * valence));
                });
                row.add(vertex, weight * (valence - 3.0) / valence);
            }
            Scheme::Loop => {
                let beta = loop_beta(valence);
                self.vertex_edges(vertex, |e| row.add(self.other_end(e, vertex), weight * beta));
                row.add(vertex, weight * (1.0 - valence * beta));
            }
        }
    }

    fn other_end(&self, edge: u32, vertex: u32) -> u32 {
        let [a, b] = self.edge_vertices[edge as usize];
        if a == vertex { b } else { a }
    }
}

/// Weight of each neighbour in a smooth vertex point: Loop's own, 3/16 at valence 3.
fn loop_beta(valence: f64) -> f64 {
    let centre = 0.375 + 0.25 * (std::f64::consts::TAU / valence).cos();
    (0.625 - centre * centre) / valence
}
