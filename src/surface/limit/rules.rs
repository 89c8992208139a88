//! The masks of a [scheme](crate::scheme) as stencil rows, and which rule a vertex follows.

use super::connectivity::Connectivity;
use crate::scheme::RowBuilder;
use crate::scheme::crease::{self, ALONG_END, ALONG_OWN, VertexBlend, VertexSharpness};
use crate::topology::surface::is_corner;

/// The rule that a vertex follows at every level from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitRule {
    /// No sharp edge.
    Smooth,
    /// One infinitely sharp edge: a crease that ends.
    Dart,
    /// Two infinitely sharp edges.
    Crease,
    /// Stays in place.
    Corner,
    /// Semi-sharp, or at a face that the scheme does not make: refinement changes it.
    Transient,
}

impl Connectivity<'_> {
    /// Whether a vertex stays in place since the surface is not a manifold there.
    fn is_non_manifold_corner(&self, vertex: u32) -> bool {
        let corners = self.vertex_corners.row(vertex as usize);
        let mut non_manifold = false;
        self.vertex_edges(vertex, |e| non_manifold |= self.is_non_manifold(e));
        if !non_manifold && self.fan_len(vertex) == corners.len() {
            return false;
        }
        let mut sides = Vec::with_capacity(2 * corners.len());
        for (i, &corner) in (0..).zip(corners) {
            let before = self.previous_side(corner);
            sides.extend([corner, before].map(|side| (self.side_edge(side), i)));
        }
        is_corner(&mut sides, |edge| self.is_non_manifold(edge))
    }

    /// The rule of a vertex.
    pub fn rule(&self, vertex: u32) -> LimitRule {
        let corners = self.vertex_corners.row(vertex as usize);
        let sides = self.scheme.shape().sides();
        let is_made = |&corner: &u32| self.face(self.side_face(corner) as usize).len() == sides;
        let semi_sharp = |s: f64| s > 0.0 && s < f64::INFINITY;
        let fixed = self.vertex_sharpness(vertex);
        let (mut sharp, mut changing) = (0, semi_sharp(fixed) || !corners.iter().all(is_made));
        self.vertex_edges(vertex, |e| {
            let s = self.edge_sharpness(e);
            sharp += usize::from(s == f64::INFINITY);
            changing |= semi_sharp(s);
        });
        match sharp {
            _ if changing => LimitRule::Transient,
            _ if fixed > 0.0 || self.is_non_manifold_corner(vertex) => LimitRule::Corner,
            0 => LimitRule::Smooth,
            1 => LimitRule::Dart,
            2 => LimitRule::Crease,
            _ => LimitRule::Corner,
        }
    }

    /// Face point: the mean of the face's corners.
    pub fn face_point(&self, face: u32, row: &mut RowBuilder) {
        row.add_mean(self.face(face as usize), 1.0);
    }

    /// Edge point: the smooth one, blended toward the midpoint by the sharpness.
    pub fn edge_point(&self, edge: u32, row: &mut RowBuilder) {
        let ends = self.edge_ends(edge);
        let halves = ends.map(|end| self.half_sharpness(edge, end));
        let sharp = crease::edge_weight(self.edge_sharpness(edge), halves);
        let smooth = 1.0 - sharp;
        let mask = self.masks.edge_mask();
        let stretch = self.edge_stretch(edge);
        row.add_mean(&ends, sharp + (1.0 - stretch * (1.0 - mask.ends)) * smooth);
        if smooth == 0.0 {
            return;
        }
        for &side in self.edge_sides(edge) {
            let face = self.face(self.side_face(side) as usize);
            if mask.face != 0.0 {
                row.add_mean(face, stretch * mask.face * smooth);
            }
            if mask.across != 0.0 {
                let across = face.iter().filter(|v| !ends.contains(v));
                across.for_each(|&v| row.add(v, mask.across * smooth));
            }
        }
    }

    /// Vertex point: the smooth one, (e1 + 6P + e2)/8, P, or a blend.
    pub fn vertex_point(&self, vertex: u32, row: &mut RowBuilder) {
        let mut sharp = VertexSharpness::default();
        sharp.tag(if self.is_non_manifold_corner(vertex) {
            f64::INFINITY
        } else {
            self.vertex_sharpness(vertex)
        });
        let mut valence = 0;
        self.vertex_edges(vertex, |e| {
            valence += 1;
            let half = self.half_sharpness(e, vertex);
            sharp.edge(self.other_end(e, vertex), self.edge_sharpness(e), half);
        });
        let VertexBlend { smooth, crease, corner, ends } = sharp.blend();
        if smooth > 0.0 {
            self.smooth_vertex_point(vertex, valence, smooth, row);
        }
        if crease > 0.0 {
            row.add(vertex, ALONG_OWN * crease);
            ends.into_iter().for_each(|end| row.add(end, ALONG_END * crease));
        }
        row.add(vertex, corner);
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
            if mask.neighbor != 0.0 {
                row.add(self.other_end(e, vertex), mask.neighbor);
            }
        });
        row.add(vertex, mask.own);
    }

    fn other_end(&self, edge: u32, vertex: u32) -> u32 {
        let [a, b] = self.edge_ends(edge);
        if a == vertex { b } else { a }
    }
}
