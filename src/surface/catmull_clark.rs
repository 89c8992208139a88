//! Catmull-Clark on the mesh matrix: a first step from any polygons, then quads only.
//!
//! `build` makes the matrices of all levels, `evaluate` runs positions or attributes
//! through them as often as wanted. Every point is gathered by one loop in one order:
//!
//! - face point: the mean of the vertices, ((v₀ + v₁) + (v₂ + v₃))/4 for quads;
//! - edge point: ((v₀ + v₁) + (f₀ + f₁))/4;
//! - vertex point: (1 − 2/n) P + (Σ neighbours + Σ face points)/n² over the n corners at
//!   the vertex, in ascending order.
//!
//! The stars of vertices are stored for level 1 alone. Corner 0 of face c at the next
//! level lies where corner c lies now, so the corners at a vertex become four times their
//! number from level to level; and the star of a later face or edge point follows from its
//! face or edge. Sharp edges and vertices are overwritten ([`super::sharpness`]).

use rayon::prelude::*;

use super::matrix::MeshMatrix;
use super::matrix::split::{Navigate, Quads, split_to_quads};
use super::scalar::{Point, Scalar, add, mean4, scale};
use super::sharpness::{NonManifold, Sharpness};
use super::workspace::Workspace;
use crate::Result;
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::topology::{NONE, Rows};

/// Points a work item covers.
const GRAIN: usize = 4096;

/// The topology of all levels.
#[derive(Clone, Debug)]
pub struct CatmullClark {
    /// Level 0 (polygons), then quads; the last has vertices only.
    matrices: Vec<MeshMatrix>,
    /// Of each level but the last.
    sharpness: Vec<Sharpness>,
    /// Corners at each vertex of level 0.
    first_stars: Rows,
    /// Corners of level 1 at each of its vertices, ascending.
    stars: Rows,
    /// Whether the faces run alike, so that the next vertices of the corners at a vertex
    /// are its neighbours, each once.
    oriented: bool,
}

impl CatmullClark {
    /// Builds `levels` levels over a control mesh that has been checked.
    pub(super) fn build(
        mesh: &SurfaceMesh,
        matrix: MeshMatrix,
        levels: usize,
        crease_rule: CreaseRule,
    ) -> Result<Self> {
        let oriented = matrix.is_oriented();
        let mut sharpness = vec![Sharpness::of(mesh, &matrix, NonManifold::Sharp)?];
        let mut matrices = vec![matrix];
        for level in 0..levels {
            let coarse = &matrices[level];
            let last = level + 1 == levels;
            let fine = split_to_quads(coarse, !last);
            if !last {
                let first_edge_point = (coarse.vertex_count + coarse.face_count) as u32;
                sharpness.push(sharpness[level].refined(first_edge_point, crease_rule));
            }
            matrices.push(fine);
        }
        let first_stars = matrices[0].vertex_corners();
        let stars = if levels > 1 { matrices[1].vertex_corners() } else { Rows::default() };
        Ok(Self { matrices, sharpness, first_stars, stars, oriented })
    }

    /// One level over a matrix whose sharpness is known.
    pub(super) fn first_step(matrix: MeshMatrix, sharpness: Sharpness) -> Self {
        let oriented = matrix.is_oriented();
        let first_stars = matrix.vertex_corners();
        let fine = split_to_quads(&matrix, false);
        let (matrices, sharpness) = (vec![matrix, fine], vec![sharpness]);
        Self { matrices, sharpness, first_stars, stars: Rows::default(), oriented }
    }

    /// The matrix of each level.
    pub fn matrices(&self) -> &[MeshMatrix] {
        &self.matrices
    }

    /// Sharp edges and vertices of each level but the last.
    pub fn sharpness(&self) -> &[Sharpness] {
        &self.sharpness
    }

    /// Points of the last level from those of level 0 in `workspace`.
    pub(super) fn evaluate<T: Scalar>(&self, workspace: &mut Workspace<T>) {
        for level in 0..self.sharpness.len().min(self.matrices.len() - 1) {
            let (points, refined) = workspace.next(self.matrices[level + 1].vertex_count);
            self.step(level, points, refined);
        }
    }

    /// One level: vertex points, face points, edge points.
    fn step<T: Scalar>(&self, level: usize, points: &[Point<T>], refined: &mut [Point<T>]) {
        let matrix = &self.matrices[level];
        let sharpness = &self.sharpness[level];
        let (vertex_points, rest) = refined.split_at_mut(matrix.vertex_count);
        let (face_points, edge_points) = rest.split_at_mut(matrix.face_count);
        if level == 0 {
            polygon_face_points(matrix, points, face_points);
            edge_points_of(matrix, &matrix.columns, points, face_points, edge_points);
            let star = |v: usize| (self.first_stars.row(v), 0);
            let next = |c| matrix.columns.next(c);
            let previous = |c| matrix.columns.previous(c);
            let face = |c| matrix.columns.face(c);
            let go = Corners { matrix, next, previous, face, oriented: self.oriented };
            go.vertex_points(points, face_points, vertex_points, star);
        } else {
            quad_face_points(matrix, points, face_points);
            edge_points_of(matrix, Quads, points, face_points, edge_points);
            self.quad_vertex_points(level, points, face_points, vertex_points);
        }
        sharpness.hold_edges(points, edge_points);
        sharpness.hold_vertices(points, vertex_points);
    }

    /// Vertex points, block by block: those of level 1, then face and edge points of each
    /// level since.
    fn quad_vertex_points<T: Scalar>(
        &self,
        level: usize,
        points: &[Point<T>],
        face_points: &[Point<T>],
        mut out: &mut [Point<T>],
    ) {
        let matrix = &self.matrices[level];
        let go = Corners {
            matrix,
            next: |c| Quads.next(c),
            previous: |c| Quads.previous(c),
            face: |c| Quads.face(c),
            oriented: self.oriented,
        };
        let block;
        (block, out) = out.split_at_mut(self.stars.len());
        let shift = 2 * (level as u32 - 1);
        go.vertex_points(points, face_points, block, |v| (self.stars.row(v), shift));
        let mut first = self.stars.len();
        for (k, from) in self.matrices.iter().enumerate().take(level).skip(1) {
            let shift = 2 * (level - k - 1) as u32;
            let (faces, rest) = out.split_at_mut(from.face_count);
            let (edges, rest) = rest.split_at_mut(from.edge_count());
            out = rest;
            go.valence_4(points, face_points, faces, first, |f| {
                let c = 16 * f as u32 + 2;
                [c, c + 4, c + 8, c + 12].map(|c| c << shift)
            });
            go.valence_4(points, face_points, edges, first + from.face_count, |e| {
                let [a, b] = from.edge_corners[e];
                // where the surface ends the point is overwritten: any corner will do
                let b = if b == NONE { a } else { b };
                let side = |c: u32| [4 * c + 1, 4 * Quads.next(c) + 3];
                let ([a0, a1], [b0, b1]) = (side(a), side(b));
                [a0, a1, b0, b1].map(|c| c << shift)
            });
            first += from.face_count + from.edge_count();
        }
    }
}

/// Σ/n in the order of the face.
fn polygon_face_points<T: Scalar>(matrix: &MeshMatrix, points: &[Point<T>], out: &mut [Point<T>]) {
    out.par_iter_mut().with_min_len(GRAIN).enumerate().for_each(|(f, out)| {
        let corners = matrix.columns.corners(f as u32);
        let n = corners.len();
        let sum =
            corners.map(|c| points[matrix.vertex(c) as usize]).reduce(add).unwrap_or_default();
        *out = scale(sum, T::from_f64(1.0 / n as f64));
    });
}

fn quad_face_points<T: Scalar>(matrix: &MeshMatrix, points: &[Point<T>], out: &mut [Point<T>]) {
    let quads = matrix.vertices.as_chunks::<4>().0.par_iter();
    quads.zip(out).with_min_len(GRAIN).for_each(|(quad, out)| {
        *out = mean4(quad.map(|v| points[v as usize]));
    });
}

fn edge_points_of<T: Scalar>(
    matrix: &MeshMatrix,
    go: impl Navigate,
    points: &[Point<T>],
    face_points: &[Point<T>],
    out: &mut [Point<T>],
) {
    let edges = matrix.edge_corners.par_iter();
    edges.zip(out).with_min_len(GRAIN).for_each(|(&[a, b], out)| {
        // where the surface ends the point is overwritten: any face will do
        let b = if b == NONE { a } else { b };
        let ends = [a, go.next(a)].map(|c| points[matrix.vertices[c as usize] as usize]);
        let [f, g] = [a, b].map(|c| face_points[go.face(c) as usize]);
        *out = mean4([ends[0], ends[1], f, g]);
    });
}

/// The vertex rule over the corners of a star.
struct Corners<'a, N, P, F> {
    matrix: &'a MeshMatrix,
    next: N,
    previous: P,
    face: F,
    oriented: bool,
}

impl<N, P, F> Corners<'_, N, P, F>
where
    N: Fn(u32) -> u32 + Sync,
    P: Fn(u32) -> u32 + Sync,
    F: Fn(u32) -> u32 + Sync,
{
    /// What a corner adds: a neighbour (of faces that run in any direction, half of two)
    /// and the face point.
    #[inline(always)]
    fn term<T: Scalar>(&self, points: &[Point<T>], face_points: &[Point<T>], c: u32) -> Point<T> {
        let at = |c: u32| points[self.matrix.vertices[c as usize] as usize];
        let face = face_points[(self.face)(c) as usize];
        if self.oriented {
            add(at((self.next)(c)), face)
        } else {
            let both = add(at((self.next)(c)), at((self.previous)(c)));
            add(scale(both, T::from_f64(0.5)), face)
        }
    }

    /// Any valence: `star` gives the corners at a vertex and a shift for them.
    fn vertex_points<'s, T: Scalar>(
        &self,
        points: &[Point<T>],
        face_points: &[Point<T>],
        out: &mut [Point<T>],
        star: impl Fn(usize) -> (&'s [u32], u32) + Sync,
    ) {
        out.par_iter_mut().with_min_len(GRAIN).enumerate().for_each(|(v, out)| {
            let (corners, shift) = star(v);
            let terms = corners.iter().map(|&c| self.term(points, face_points, c << shift));
            *out = match terms.reduce(add) {
                None => points[v], // of no face
                Some(sum) => {
                    let n = corners.len() as f64;
                    let own = scale(points[v], T::from_f64(1.0 - 2.0 / n));
                    add(own, scale(sum, T::from_f64(1.0 / (n * n))))
                }
            };
        });
    }

    /// Valence 4: P/2 + ((t₀ + t₁) + (t₂ + t₃))/16.
    fn valence_4<T: Scalar>(
        &self,
        points: &[Point<T>],
        face_points: &[Point<T>],
        out: &mut [Point<T>],
        first: usize,
        star: impl Fn(usize) -> [u32; 4] + Sync,
    ) {
        let points_here = &points[first..first + out.len()];
        let items = out.par_iter_mut().zip(points_here).with_min_len(GRAIN).enumerate();
        items.for_each(|(i, (out, &p))| {
            let [a, b, c, d] = star(i).map(|c| self.term(points, face_points, c));
            let sum = add(add(a, b), add(c, d));
            *out = add(scale(p, T::from_f64(0.5)), scale(sum, T::from_f64(1.0 / 16.0)));
        });
    }
}
