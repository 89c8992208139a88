//! Loop's scheme on the mesh matrix of triangles.
//!
//! Masks come from the [scheme](crate::scheme); neighbors are summed in the order of the edges.
//! Boundaries, creases and corners are as for Catmull-Clark.
//!
//! An edge of three or more triangles refines as one edge of them all. Edges are found once, then
//! numbered from level to level.

use crate::interrupt::stop_point;
use crate::numbers::Real;
use rayon::prelude::*;

use super::split::{FaceNavigation, TriangleCorners};
use crate::scheme::loop_scheme::{beta, edge_point, vertex_point};
use crate::scheme::point::{Point, add};
use crate::topology::surface::SurfaceTopology;
use crate::topology::{NONE, Rows};

/// Points a work item covers.
const TASK_POINTS: usize = 4096;

/// How the points of Loop's scheme are gathered.
#[derive(Clone, Debug)]
pub(super) struct TrianglePass {
    /// Neighbors of each vertex, of each level but the last.
    neighbors: Vec<Rows>,
}

impl TrianglePass {
    /// Over the topology of all levels.
    pub fn new(topologies: &[SurfaceTopology]) -> Self {
        let coarse = &topologies[..topologies.len() - 1];
        Self { neighbors: coarse.iter().map(SurfaceTopology::neighbors).collect() }
    }

    /// One level: vertex points, edge points, as if nothing were sharp.
    pub fn gather<T: Real>(
        &self,
        topology: &SurfaceTopology,
        level: usize,
        points: &[Point<T>],
        refined: &mut [Point<T>],
    ) {
        let (vertex_points, out) = refined.split_at_mut(points.len());
        self.vertex_points(level, points, vertex_points);
        edge_points(topology, points, out);
    }

    fn vertex_points<T: Real>(&self, level: usize, points: &[Point<T>], out: &mut [Point<T>]) {
        let neighbors = &self.neighbors[level];
        // β of small valences once
        let betas: Vec<f64> = (0..32).map(beta).collect();
        out.par_iter_mut().with_min_len(TASK_POINTS).enumerate().for_each(|(v, out)| {
            stop_point();
            let around = neighbors.row(v);
            let n = around.len();
            let beta = betas.get(n).copied().unwrap_or_else(|| beta(n));
            let sum = around.iter().map(|&w| points[w as usize]).reduce(add).unwrap_or_default();
            *out = vertex_point(points[v], sum, n, beta);
        });
    }
}

fn edge_points<T: Real>(topology: &SurfaceTopology, points: &[Point<T>], out: &mut [Point<T>]) {
    let at = |corner: u32| points[topology.vertices[corner as usize] as usize];
    let edges = topology.edge_corners.par_iter();
    edges.zip(out).with_min_len(TASK_POINTS).for_each(|(&[a, b], out)| {
        stop_point();
        // where the surface ends the point is overwritten: any triangle will do
        let b = if b == NONE { a } else { b };
        let ends = [at(a), at(TriangleCorners.next(a))];
        let across = [at(TriangleCorners.previous(a)), at(TriangleCorners.previous(b))];
        *out = edge_point(ends, across);
    });
}
