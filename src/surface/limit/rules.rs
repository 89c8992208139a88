//! The masks of a [scheme](crate::scheme) as stencil rows, and which rule a vertex follows.

use super::connectivity::Connectivity;
use crate::scheme::RowBuilder;
use crate::scheme::crease::{ALONG_END, ALONG_OWN, VertexBlend};

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

impl Connectivity<'_> {
    /// Whether the faces around a vertex are one fan, its edges of one or two faces each.
    pub fn is_manifold(&self, vertex: u32) -> bool {
        let mut non_manifold = false;
        self.vertex_edges(vertex, |e| non_manifold |= self.edge_sides(e).len() > 2);
        !non_manifold && self.fan_len(vertex) == self.vertex_corners.row(vertex as usize).len()
    }

    /// The rule of a vertex.
    pub fn rule(&self, vertex: u32) -> Rule {
        let corners = self.vertex_corners.row(vertex as usize);
        let sides = self.scheme.shape().sides();
        let is_made = |&corner: &u32| self.face(self.side_face(corner) as usize).len() == sides;
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
        row.add_mean(self.face(face as usize), 1.0);
    }

    /// Edge point: the smooth one, blended towards the midpoint by the sharpness.
    pub fn edge_point(&self, edge: u32, row: &mut RowBuilder) {
        let ends = self.edge_ends(edge);
        let sharp = self.edge_sharpness(edge).min(1.0);
        let smooth = 1.0 - sharp;
        let mask = self.masks.edge_mask();
        row.add_mean(&ends, sharp + mask.ends * smooth);
        if smooth == 0.0 {
            return;
        }
        for &side in self.edge_sides(edge) {
            let face = self.face(self.side_face(side) as usize);
            if mask.face != 0.0 {
                row.add_mean(face, mask.face * smooth);
            }
            if mask.across != 0.0 {
                let across = face.iter().filter(|v| !ends.contains(v));
                across.for_each(|&v| row.add(v, mask.across * smooth));
            }
        }
    }

    /// Vertex point: the smooth one, blended towards (e1 + 6P + e2)/8 or P by the mean
    /// sharpness of the sharp edges, then towards P by the vertex's own.
    pub fn vertex_point(&self, vertex: u32, row: &mut RowBuilder) {
        let (mut sharp_count, mut sharp_sum, mut valence) = (0, 0.0, 0);
        self.vertex_edges(vertex, |e| {
            valence += 1;
            let s = self.edge_sharpness(e);
            if s > 0.0 {
                sharp_count += 1;
                sharp_sum += s;
            }
        });
        let pinned = self.vertex_sharpness(vertex).min(1.0);
        let pinned = if pinned < 1.0 && !self.is_manifold(vertex) { 1.0 } else { pinned };
        let VertexBlend { smooth, sharp, pinned } =
            VertexBlend::new(sharp_count, sharp_sum, pinned);
        if smooth > 0.0 {
            self.smooth_vertex_point(vertex, valence, smooth, row);
        }
        if sharp_count == 2 && sharp > 0.0 {
            row.add(vertex, ALONG_OWN * sharp);
            self.vertex_edges(vertex, |e| {
                if self.edge_sharpness(e) > 0.0 {
                    row.add(self.other_end(e, vertex), ALONG_END * sharp);
                }
            });
            row.add(vertex, pinned);
        } else {
            row.add(vertex, pinned + sharp);
        }
    }

    fn smooth_vertex_point(&self, vertex: u32, valence: usize, weight: f64, row: &mut RowBuilder) {
        let corners = self.vertex_corners.row(vertex as usize);
        let mask = self.masks.vertex_mask(valence, corners.len(), weight);
        if mask.face != 0.0 {
            for &corner in corners {
                row.add_mean(self.face(self.side_face(corner) as usize), mask.face);
            }
        }
        self.vertex_edges(vertex, |e| {
            if mask.midpoint != 0.0 {
                row.add_mean(&self.edge_ends(e), mask.midpoint);
            }
            if mask.neighbour != 0.0 {
                row.add(self.other_end(e, vertex), mask.neighbour);
            }
        });
        row.add(vertex, mask.own);
    }

    fn other_end(&self, edge: u32, vertex: u32) -> u32 {
        let [a, b] = self.edge_ends(edge);
        if a == vertex { b } else { a }
    }
}
