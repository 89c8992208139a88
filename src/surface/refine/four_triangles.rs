//! Loop's scheme on the mesh matrix of triangles.
//!
//! Masks come from the [scheme](crate::scheme); neighbors are summed in the order of the edges.
//! Boundaries, creases and corners are as for Catmull-Clark.
//!
//! An edge of three or more triangles refines as one edge of them all. Edges are found by sort and
//! scan (Naidu and Wang 2025) once, then numbered from level to level.

use crate::interrupt::stop_point;
use crate::numbers::Real;
use rayon::prelude::*;

use super::sharpness::LevelSharpness;
use super::split::{FaceNavigation, TriangleCorners, WantedLists, split_to_triangles};
use super::workspace::Workspace;
use crate::error::Result;
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::scheme::loop_scheme::{beta, edge_point, vertex_point};
use crate::scheme::point::{Point, add};
use crate::topology::surface::SurfaceTopology;
use crate::topology::{NONE, Rows};

/// Points a work item covers.
const TASK_POINTS: usize = 4096;

/// The topology of all levels.
#[derive(Clone, Debug)]
pub struct FourTriangleLevels {
    /// The last has vertices only.
    topologies: Vec<SurfaceTopology>,
    /// Sharpness at each level but the last.
    sharpness: Vec<LevelSharpness>,
    /// Neighbors of each vertex, of each level but the last.
    neighbors: Vec<Rows>,
}

impl FourTriangleLevels {
    /// Builds `levels` levels over triangles, in the memory of `spare`.
    pub(in crate::surface) fn build(
        mesh: &SurfaceMesh,
        topology: SurfaceTopology,
        levels: usize,
        crease_rule: CreaseRule,
        spare: Option<Self>,
    ) -> Result<Self> {
        let mut spare = spare.map_or_else(Vec::new, |spare| spare.topologies).into_iter().skip(1);
        let mut sharpness = vec![LevelSharpness::of(mesh, &topology, crease_rule)?];
        let mut neighbors = Vec::new();
        let mut topologies = vec![topology];
        for level in 0..levels {
            let coarse = &topologies[level];
            let last = level + 1 == levels;
            neighbors.push(coarse.neighbors());
            if !last {
                sharpness.push(sharpness[level].refined(coarse.vertex_count as u32, crease_rule));
            }
            let fine = split_to_triangles(
                coarse,
                if last { WantedLists::Vertices } else { WantedLists::All },
                spare.next().unwrap_or_default(),
            );
            topologies.push(fine);
        }
        Ok(Self { topologies, sharpness, neighbors })
    }

    /// One level over a topology whose sharpness is known.
    pub(in crate::surface) fn first_step(
        topology: SurfaceTopology,
        sharpness: LevelSharpness,
    ) -> Self {
        let neighbors = vec![topology.neighbors()];
        let fine = split_to_triangles(&topology, WantedLists::Vertices, SurfaceTopology::default());
        Self { topologies: vec![topology, fine], sharpness: vec![sharpness], neighbors }
    }

    /// The topology of each level.
    pub fn topologies(&self) -> &[SurfaceTopology] {
        &self.topologies
    }

    /// Sharp edges and vertices of each level but the last.
    pub fn sharpness(&self) -> &[LevelSharpness] {
        &self.sharpness
    }

    /// Points of the last level from the points of level 0 in `workspace`.
    pub(in crate::surface) fn evaluate<T: Real>(&self, workspace: &mut Workspace<T>) {
        for level in 0..self.neighbors.len() {
            let (points, refined) = workspace.next(self.topologies[level + 1].vertex_count);
            let (vertex_points, edge_points) = refined.split_at_mut(points.len());
            self.vertex_points(level, points, vertex_points);
            self.edge_points(level, points, edge_points);
            self.sharpness[level].sharpen_edges(points, edge_points);
            self.sharpness[level].sharpen_vertices(points, vertex_points);
        }
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

    fn edge_points<T: Real>(&self, level: usize, points: &[Point<T>], out: &mut [Point<T>]) {
        let topology = &self.topologies[level];
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
}
