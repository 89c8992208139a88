//! Catmull-Clark on the mesh matrix: a first step from any polygons, then quads only.
//!
//! Every point is gathered by one loop in one order, by the [scheme](crate::scheme)'s masks: the
//! terms of a vertex in the ascending order of its corners.
//!
//! The stars of vertices are stored for level 1 alone. Corner 0 of face c at the next
//! level lies where corner c lies now, so the corners at a vertex become four times their
//! number from level to level; and the star of a later face or edge point follows from its
//! face or edge. From level 2 on a step reads the lists of the level before, four times
//! shorter than its own (`families`). Sharp edges and vertices are overwritten
//! ([`super::sharpness`]).

mod families;
mod stars;

use crate::interrupt::stop_point;
use crate::numbers::Real;

use rayon::prelude::*;

use families::{Families, InnerPoints};
use stars::{Stars, TASK_POINTS};

use super::split::{FaceNavigation, QuadCorners};
use crate::scheme::catmull_clark::edge_point;
use crate::scheme::point::{Point, add, mean4, middle, scale};
use crate::topology::surface::SurfaceTopology;
use crate::topology::{NONE, Rows};

/// How the points of Catmull-Clark and bilinear quads are gathered.
#[derive(Clone, Debug)]
pub(super) struct QuadPass {
    /// Corners at each vertex of level 0.
    first_stars: Rows,
    /// Corners of level 1 at each of its vertices, ascending.
    second_stars: Rows,
    /// Whether the faces are consistently oriented, so that the next vertices of the corners at a
    /// vertex are its neighbors, each once.
    oriented: bool,
    /// Whether sharpness has no effect: midpoints, and vertices that stay.
    pub linear: bool,
}

impl QuadPass {
    /// Over the topology of all levels.
    pub fn new(topologies: &[SurfaceTopology], linear: bool) -> Self {
        let second_stars = match topologies {
            [_, second, _, ..] if !linear => second.vertex_corners(),
            _ => Rows::default(),
        };
        let (first_stars, oriented) = (topologies[0].vertex_corners(), topologies[0].is_oriented());
        Self { first_stars, second_stars, oriented, linear }
    }

    /// One level: vertex points, face points, edge points, as if nothing were sharp.
    pub fn gather<T: Real>(
        &self,
        topologies: &[SurfaceTopology],
        level: usize,
        points: &[Point<T>],
        refined: &mut [Point<T>],
    ) {
        let topology = &topologies[level];
        let (vertex_points, rest) = refined.split_at_mut(topology.vertex_count);
        let (face_points, edge_points) = rest.split_at_mut(topology.face_count);
        if self.linear {
            vertex_points.copy_from_slice(points);
            polygon_face_points(topology, points, face_points);
            midpoints(topology, points, edge_points);
            return;
        }
        match level {
            0 => {
                let columns = &topology.columns;
                polygon_face_points(topology, points, face_points);
                edge_points_of(topology, columns, points, face_points, edge_points);
                let stars = self.stars(topology, columns, points, face_points);
                stars.any_valence(vertex_points, |v| (self.first_stars.row(v), 0));
            }
            1 => {
                quad_face_points(topology, points, face_points);
                edge_points_of(topology, QuadCorners, points, face_points, edge_points);
                let stars = self.stars(topology, QuadCorners, points, face_points);
                stars.any_valence(vertex_points, |v| (self.second_stars.row(v), 0));
            }
            _ => {
                let coarse = &topologies[..level];
                self.family_step(coarse, points, vertex_points, face_points, edge_points);
            }
        }
    }

    fn stars<'a, T: Real>(
        &self,
        topology: &'a SurfaceTopology,
        go: impl FaceNavigation + 'a,
        points: &'a [Point<T>],
        face_points: &'a [Point<T>],
    ) -> Stars<'a, T, impl Fn(u32) -> u32, impl Fn(u32) -> u32, impl Fn(u32) -> u32> {
        Stars {
            next: move |c| topology.vertex(go.next(c)),
            previous: move |c| topology.vertex(go.previous(c)),
            face: move |c| go.face(c),
            oriented: self.oriented,
            points,
            face_points,
        }
    }

    /// A level whose parents, the last of the levels before it, are quads. Vertex points come block
    /// by block: of level 1, then face and edge points of each level since.
    fn family_step<T: Real>(
        &self,
        coarse: &[SurfaceTopology],
        points: &[Point<T>],
        vertex_points: &mut [Point<T>],
        face_points: &mut [Point<T>],
        edge_points: &mut [Point<T>],
    ) {
        let level = coarse.len();
        let parents = &coarse[level - 1];
        let families = Families { parents, oriented: self.oriented, points };
        let (old, new) = vertex_points.split_at_mut(parents.vertex_count);
        let (centers, sides) = new.split_at_mut(parents.face_count);
        let (halves, inner) = edge_points.split_at_mut(2 * parents.edge_count());
        families.inside(InnerPoints { face_points, edge_points: inner, centers });
        families.edges(face_points, halves, sides);

        // a parent's corner c is corner 0 of child c, before whose edge point it lies
        let first_edge_point = families.first_edge_point() as u32;
        let edge_point = |c: u32| first_edge_point + parents.edges[c as usize];
        let stars = Stars {
            next: edge_point,
            previous: |c| edge_point(QuadCorners.previous(c)),
            face: |c| c,
            oriented: self.oriented,
            points,
            face_points,
        };
        let (block, mut out) = old.split_at_mut(self.second_stars.len());
        let shift = 2 * (level as u32 - 2);
        stars.any_valence(block, |v| (self.second_stars.row(v), shift));
        let mut first = self.second_stars.len();
        for (k, from) in coarse.iter().enumerate().take(level - 1).skip(1) {
            let shift = 2 * (level - k - 2) as u32;
            let (faces, rest) = out.split_at_mut(from.face_count);
            let (edges, rest) = rest.split_at_mut(from.edge_count());
            out = rest;
            stars.valence_4(faces, first, |f| {
                let c = 16 * f as u32 + 2;
                [c, c + 4, c + 8, c + 12].map(|c| c << shift)
            });
            stars.valence_4(edges, first + from.face_count, |e| {
                let [a, b] = from.edge_corners[e];
                // where the surface ends the point is overwritten: any corner will do
                let b = if b == NONE { a } else { b };
                let side = |c: u32| [4 * c + 1, 4 * QuadCorners.next(c) + 3];
                let ([a0, a1], [b0, b1]) = (side(a), side(b));
                [a0, a1, b0, b1].map(|c| c << shift)
            });
            first += from.face_count + from.edge_count();
        }
    }
}

/// Σ/n in the order of the face.
fn polygon_face_points<T: Real>(
    topology: &SurfaceTopology,
    points: &[Point<T>],
    out: &mut [Point<T>],
) {
    out.par_iter_mut().with_min_len(TASK_POINTS).enumerate().for_each(|(f, out)| {
        stop_point();
        let corners = topology.columns.corners(f as u32);
        let n = corners.len();
        let sum =
            corners.map(|c| points[topology.vertex(c) as usize]).reduce(add).unwrap_or_default();
        *out = scale(sum, T::from_f64(1.0 / n as f64));
    });
}

fn midpoints<T: Real>(topology: &SurfaceTopology, points: &[Point<T>], out: &mut [Point<T>]) {
    out.par_iter_mut().with_min_len(TASK_POINTS).enumerate().for_each(|(e, out)| {
        stop_point();
        let [a, b] = topology.edge_ends(e as u32).map(|v| points[v as usize]);
        *out = middle(a, b);
    });
}

fn quad_face_points<T: Real>(
    topology: &SurfaceTopology,
    points: &[Point<T>],
    out: &mut [Point<T>],
) {
    let quads = topology.vertices.as_chunks::<4>().0.par_iter();
    quads.zip(out).with_min_len(TASK_POINTS).for_each(|(quad, out)| {
        stop_point();
        *out = mean4(quad.map(|v| points[v as usize]));
    });
}

fn edge_points_of<T: Real>(
    topology: &SurfaceTopology,
    go: impl FaceNavigation,
    points: &[Point<T>],
    face_points: &[Point<T>],
    out: &mut [Point<T>],
) {
    let edges = topology.edge_corners.par_iter();
    edges.zip(out).with_min_len(TASK_POINTS).for_each(|(&[a, b], out)| {
        stop_point();
        // where the surface ends the point is overwritten: any face will do
        let b = if b == NONE { a } else { b };
        let ends = [a, go.next(a)].map(|c| points[topology.vertices[c as usize] as usize]);
        let [f, g] = [a, b].map(|c| face_points[go.face(c) as usize]);
        *out = edge_point(ends, [f, g]);
    });
}
