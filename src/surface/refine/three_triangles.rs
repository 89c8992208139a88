//! √3-subdivision (Kobbelt 2000): a point in every triangle, and every inner edge flipped
//! to join the two at it. Two steps cut every edge in three.
//!
//! - face point: (a + b + c)/3;
//! - vertex point: (1 − α) P + α/n Σ neighbors, α = (4 − 2 cos(2π/n))/9.
//!
//! Where the surface ends, edges are not flipped. The first of two steps leaves boundary
//! vertices where they are; in the second the boundary triangles get no point inside but
//! two on their boundary edge, which join the vertex across, by Kobbelt's rules for cubic
//! splines, (16a + 10b + a⁻)/27 and (4e₁ + 19P + 4e₂)/27. Vertices of one or more than two
//! boundary edges stay.
//!
//! Edges of each level are found anew. There is no rule for creases.

mod holes;

use crate::error::IdKind::Vertex;
use crate::interrupt::stop_point;
use crate::numbers::Real;
use rayon::prelude::*;
use std::collections::BTreeSet;

use super::sharpness::{LevelSharpness, SharpEdge, boundary_corners};
use super::workspace::Workspace;
use crate::error::{Error, Result, option};
use crate::mesh::SurfaceMesh;
use crate::scheme::point::{Point, add, scale};
use crate::scheme::sqrt3::{END_THIRD, LINE, THIRD, face_point, vertex_point};
use crate::topology::surface::{Columns, SurfaceTopology, touching_vertices};
use crate::topology::{NONE, Rows};

/// Points a work item covers.
const TASK_POINTS: usize = 4096;

/// One level and how it refines.
#[derive(Clone, Debug)]
pub(in crate::surface) struct ThreeTrianglesLevel {
    pub topology: SurfaceTopology,
    pub neighbors: Rows,
    /// Boundary edges and vertices.
    pub boundary: LevelSharpness,
    /// Whether boundary edges are cut in three.
    pub cuts_boundary: bool,
    /// Boundary corner (index into `boundary.edges`) of each triangle that is cut so;
    /// [`NONE`] elsewhere. Empty without.
    pub cut: Vec<u32>,
}

/// The topology of all levels.
#[derive(Clone, Debug)]
pub struct ThreeTriangleLevels {
    /// All levels but the last.
    pub(in crate::surface) levels: Vec<ThreeTrianglesLevel>,
    /// The triangles of the last: `[triangle][corner]`.
    pub(in crate::surface) last: Vec<u32>,
    pub(in crate::surface) vertex_count: usize,
}

impl ThreeTriangleLevels {
    /// Builds `levels` levels over triangles.
    pub(in crate::surface) fn build(
        mesh: &SurfaceMesh,
        topology: SurfaceTopology,
        levels: usize,
    ) -> Result<Self> {
        check(mesh, &topology)?;
        let stays =
            touching_vertices(&topology).into_iter().chain(boundary_corners(mesh, &topology));
        let stays: BTreeSet<u32> = stays.collect();
        let corners: Vec<(u32, f64)> = stays.into_iter().map(|v| (v, f64::INFINITY)).collect();
        let (mut vertex_count, mut triangles) = (topology.vertex_count, topology.vertices.clone());
        let mut done = Vec::with_capacity(levels);
        let mut topology = Some(topology);
        for step in 0..levels {
            let topology = topology.take().unwrap_or_else(|| {
                SurfaceTopology::build(
                    vertex_count,
                    Columns::Uniform(3),
                    std::mem::take(&mut triangles),
                )
            });
            let level = ThreeTrianglesLevel::new(topology, &corners, step % 2 == 1);
            triangles = level.refined_triangles();
            vertex_count = level.refined_vertex_count();
            done.push(level);
        }
        Ok(Self { levels: done, last: triangles, vertex_count })
    }

    /// Points of the last level from the points of level 0 in `workspace`.
    pub(in crate::surface) fn evaluate<T: Real>(&self, workspace: &mut Workspace<T>) {
        for level in &self.levels {
            let (points, refined) = workspace.next(level.refined_vertex_count());
            level.evaluate(points, refined);
        }
    }
}

/// Refuses edges that cannot be flipped, and tags that have no rule.
pub(crate) fn check(mesh: &SurfaceMesh, topology: &SurfaceTopology) -> Result<()> {
    if let Some(&edge) = topology.non_manifold_edges.first() {
        return Err(Error::mesh(message!(
            "more than two faces meet at the edge of ",
            Vertex.ids(topology.edge_ends(edge)),
            ", which √3-subdivision cannot turn"
        ))
        .with_help(message!(
            "use ",
            option("scheme", "loop"),
            ", or take the surface apart there"
        )));
    }
    if !mesh.creases.is_empty() {
        return Err(Error::mesh("√3-subdivision has no rule for creases and corners").with_help(
            message!("use ", option("scheme", "loop"), " or catmull-clark, or remove the tags"),
        ));
    }
    Ok(())
}

impl ThreeTrianglesLevel {
    fn new(topology: SurfaceTopology, corners: &[(u32, f64)], cuts_boundary: bool) -> Self {
        let ends = (0..).zip(&topology.edge_corners).filter(|(_, corners)| corners[1] == NONE);
        let edges: Vec<SharpEdge> = ends
            .map(|(edge, _)| SharpEdge {
                edge,
                ends: topology.edge_ends(edge),
                sharpness: f64::INFINITY,
                halves: [f64::INFINITY; 2],
            })
            .collect();
        let mut cut = Vec::new();
        if cuts_boundary && !edges.is_empty() {
            cut = vec![NONE; topology.face_count];
            for (i, sharp) in (0..).zip(&edges) {
                cut[topology.edge_corners[sharp.edge as usize][0] as usize / 3] = i;
            }
        }
        let neighbors = topology.neighbors();
        let boundary = LevelSharpness::new(edges, corners.to_vec());
        Self { topology, neighbors, boundary, cuts_boundary, cut }
    }

    fn refined_vertex_count(&self) -> usize {
        let extra = if self.cuts_boundary { self.boundary.edges.len() } else { 0 };
        self.topology.vertex_count + self.topology.face_count + extra
    }

    /// Boundary corner of a triangle whose boundary edge is cut, and its number.
    pub(in crate::surface) fn cut_of(&self, triangle: u32) -> Option<(u32, u32)> {
        let i = *self.cut.get(triangle as usize)?;
        let sharp = self.boundary.edges.get(i as usize)?;
        Some((self.topology.edge_corners[sharp.edge as usize][0], i))
    }

    /// New vertex of a triangle that faces the edge of this corner.
    fn facing(&self, corner: u32) -> u32 {
        let own = self.topology.vertex_count as u32 + corner / 3;
        match self.cut_of(corner / 3) {
            // the second point of the boundary edge faces the edge after it
            Some((cut, i)) if self.topology.columns.next(cut) == corner => self.extra(i),
            _ => own,
        }
    }

    fn extra(&self, i: u32) -> u32 {
        (self.topology.vertex_count + self.topology.face_count) as u32 + i
    }

    /// The end of a corner's edge that its triangle keeps when the edge turns.
    fn kept_end(&self, corner: u32) -> u32 {
        let topology = &self.topology;
        let own = topology.vertex(corner);
        let [first, _] = topology.edge_corners[topology.edges[corner as usize] as usize];
        // inconsistently oriented faces: each still takes an end of its own
        let inconsistent = first != corner && topology.vertex(first) == own;
        if inconsistent { topology.vertex(topology.columns.next(corner)) } else { own }
    }

    /// One triangle a corner.
    fn refined_triangles(&self) -> Vec<u32> {
        let topology = &self.topology;
        let mut triangles = vec![0; 3 * topology.vertices.len()];
        let children = triangles.as_chunks_mut::<3>().0.par_iter_mut();
        children.with_min_len(TASK_POINTS).enumerate().for_each(|(c, child)| {
            stop_point();
            let c = c as u32;
            let (a, b) = (topology.vertex(c), topology.vertex(topology.columns.next(c)));
            let [first, second] = topology.edge_corners[topology.edges[c as usize] as usize];
            *child = match (second, self.cut_of(c / 3)) {
                (NONE, Some((_, i))) => {
                    let across = topology.vertex(topology.columns.previous(c));
                    [topology.vertex_count as u32 + c / 3, self.extra(i), across]
                }
                (NONE, None) => [a, b, self.facing(c)],
                _ => {
                    let other = if first == c { second } else { first };
                    [self.kept_end(c), self.facing(other), self.facing(c)]
                }
            };
        });
        triangles
    }

    fn evaluate<T: Real>(&self, points: &[Point<T>], refined: &mut [Point<T>]) {
        let topology = &self.topology;
        let (vertex_points, rest) = refined.split_at_mut(topology.vertex_count);
        let (face_points, extra) = rest.split_at_mut(topology.face_count);
        vertex_points.par_iter_mut().with_min_len(TASK_POINTS).enumerate().for_each(|(v, out)| {
            stop_point();
            let around = self.neighbors.row(v);
            *out = points[v];
            if let Some(sum) = around.iter().map(|&w| points[w as usize]).reduce(add) {
                *out = vertex_point(points[v], sum, around.len());
            }
        });
        let triangles = topology.vertices.as_chunks::<3>().0.par_iter();
        triangles.zip(&mut *face_points).with_min_len(TASK_POINTS).for_each(|(triangle, out)| {
            stop_point();
            *out = face_point(triangle.map(|v| points[v as usize]));
        });
        for sharp in &self.boundary.vertices {
            let p = points[sharp.vertex as usize];
            vertex_points[sharp.vertex as usize] = if sharp.crease > 0.0 && self.cuts_boundary {
                let [a, b] = sharp.ends.map(|v| points[v as usize]);
                let [own, end] = LINE.map(T::from_f64);
                add(scale(p, own), scale(add(a, b), end))
            } else {
                p
            };
        }
        // none in the first of two steps: nothing to zip with
        for (sharp, out) in self.boundary.edges.iter().zip(extra) {
            let [corner, _] = topology.edge_corners[sharp.edge as usize];
            let (a, b) = (topology.vertex(corner), topology.vertex(topology.columns.next(corner)));
            face_points[corner as usize / 3] = self.third_point(points, a, b);
            *out = self.third_point(points, b, a);
        }
    }

    /// The vertex before a on the boundary that goes on to b, if a lies inside a line.
    pub(in crate::surface) fn before(&self, a: u32, b: u32) -> Option<u32> {
        let i = self.boundary.vertices.binary_search_by_key(&a, |sharp| sharp.vertex).ok()?;
        let sharp = &self.boundary.vertices[i];
        let [s, t] = sharp.ends;
        (sharp.crease > 0.0).then_some(if s == b { t } else { s })
    }

    /// The new point near a on the boundary edge to b; at the end of a line the spline
    /// goes on straight.
    fn third_point<T: Real>(&self, points: &[Point<T>], a: u32, b: u32) -> Point<T> {
        let [p, q] = [a, b].map(|v| points[v as usize]);
        let mix = |near, far| add(scale(p, T::from_f64(near)), scale(q, T::from_f64(far)));
        match self.before(a, b) {
            Some(v) => {
                let [near, far, before] = THIRD;
                add(mix(near, far), scale(points[v as usize], T::from_f64(before)))
            }
            None => mix(END_THIRD[0], END_THIRD[1]),
        }
    }
}
