//! One level of quads that are children of quads, from the topology of their parents alone.
//!
//! ```text
//! c₃───s₂───c₂    a parent: its corners c, edge points s and face point m are nine points
//! │ 3  │ 2  │     of the level; its children 0 to 3 have face points f
//! s₃───m────s₁
//! │ 0  │ 1  │     m f s of a parent are computed together, and so are s and the two
//! c₀───s₀───c₁    halves of a parent's edge, which are half of all new points
//! ```
//!
//! The parents' lists name every point in turn, so that the level itself needs no list of
//! edges and none of their corners, four times as long. Points are summed in the order of
//! the level's own corners, as the rule of any polygons would do.

use crate::interrupt::stop_point;
use crate::numbers::Real;
use rayon::prelude::*;

use super::stars::{TASK_POINTS, term};
use crate::scheme::catmull_clark::{edge_point, vertex_point_4};
use crate::scheme::point::{Point, mean4};
use crate::surface::refine::split::{FaceNavigation, QuadCorners};
use crate::topology::NONE;
use crate::topology::surface::SurfaceTopology;

/// Families of a level, and its points.
pub(super) struct Families<'a, T> {
    pub parents: &'a SurfaceTopology,
    /// Whether the faces are consistently oriented.
    pub oriented: bool,
    /// Vertices of the parents, then their face points, then their edge points.
    pub points: &'a [Point<T>],
}

/// New points that lie inside the parents.
pub(super) struct InnerPoints<'a, T> {
    /// `[parent][child]`.
    pub face_points: &'a mut [Point<T>],
    /// Points of the edges from s to m: `[parent][corner]`.
    pub edge_points: &'a mut [Point<T>],
    /// Vertex points of m: `[parent]`.
    pub centers: &'a mut [Point<T>],
}

impl<T: Real> Families<'_, T> {
    /// First of the points s.
    pub fn first_edge_point(&self) -> usize {
        self.parents.vertex_count + self.parents.face_count
    }

    /// Face points, and what follows from a parent alone.
    pub fn inside(&self, out: InnerPoints<T>) {
        let (corners, rest) = self.points.split_at(self.parents.vertex_count);
        let (centers, sides) = rest.split_at(self.parents.face_count);
        let quads = self.parents.vertices.as_chunks::<4>().0.par_iter();
        let edges = self.parents.edges.as_chunks::<4>().0;
        let face_points = out.face_points.as_chunks_mut::<4>().0;
        let edge_points = out.edge_points.as_chunks_mut::<4>().0;
        let parents = quads.zip(edges).zip(centers);
        let out = face_points.par_iter_mut().zip(edge_points).zip(out.centers);
        parents.zip(out).with_min_len(TASK_POINTS / 4).for_each(
            |(((quad, edges), &m), ((faces, edge_points), center))| {
                stop_point();
                let c = quad.map(|v| corners[v as usize]);
                let s = edges.map(|e| sides[e as usize]);
                let f = [0, 1, 2, 3].map(|i| mean4([c[i], s[i], m, s[(i + 3) % 4]]));
                *faces = f;
                *edge_points = [0, 1, 2, 3].map(|i| edge_point([s[i], m], [f[i], f[(i + 1) % 4]]));
                let terms = [0, 1, 2, 3];
                let terms = terms.map(|i| term(self.oriented, s[(i + 3) % 4], || s[i], f[i]));
                *center = vertex_point_4(m, terms);
            },
        );
    }

    /// Points of the halves of the parents' edges, `[edge][half]`, and vertex points of s,
    /// `[edge]`.
    pub fn edges(
        &self,
        face_points: &[Point<T>],
        halves: &mut [Point<T>],
        vertex_points: &mut [Point<T>],
    ) {
        let parents = self.parents;
        let (corners, rest) = self.points.split_at(parents.vertex_count);
        let (centers, sides) = rest.split_at(parents.face_count);
        let vertex = |c: u32| parents.vertices[c as usize];
        let face = |c: u32| face_points[c as usize];
        let edges = parents.edge_corners.par_iter().zip(sides);
        let out = halves.as_chunks_mut::<2>().0.par_iter_mut().zip(vertex_points);
        edges.zip(out).with_min_len(TASK_POINTS / 2).for_each(|((&[a, b], &s), (halves, out))| {
            stop_point();
            // where the surface ends the points are overwritten: any face will do
            let b = if b == NONE { a } else { b };
            let [start, end] = [a, QuadCorners.next(a)].map(vertex);
            let [p, q] = [start, end].map(|v| corners[v as usize]);
            let [fa, ga] = [a, QuadCorners.next(a)].map(face);
            let [fb, gb] = [b, QuadCorners.next(b)].map(face);
            let [ma, mb] = [a, b].map(|c| centers[QuadCorners.face(c) as usize]);
            // does the other face run through the edge in the same direction?
            let inconsistent = a == b || !self.oriented && vertex(b) == start;
            let (at_start, at_end) = if inconsistent { (fb, gb) } else { (gb, fb) };
            let turned = usize::from(start > end);
            halves[turned] = edge_point([p, s], [fa, at_start]);
            halves[1 - turned] = edge_point([s, q], [ga, at_end]);
            let (p_of_b, q_of_b) = if inconsistent { (p, q) } else { (q, p) };
            let term = |next, previous, face| term(self.oriented, next, || previous, face);
            let terms =
                [term(ma, p, fa), term(q, ma, ga), term(mb, p_of_b, fb), term(q_of_b, mb, gb)];
            *out = vertex_point_4(s, terms);
        });
    }
}
