//! √3-subdivision, by `kernels/surface/three_triangles.cu`: a launch per level, and some for
//! boundary edges.

use super::THREADS;
use super::boundary_edges::BoundaryEdges;
use super::matrix::SurfaceMatrix;
use super::matrix::VertexNeighbors;
use super::step::LevelLaunch;
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{THREE_TRIANGLES, Variant};
use crate::backend::cuda::surface::edge_friend::FriendRun;
use crate::error::Result;

/// What √3-subdivision needs beside the levels.
pub(super) struct ThreeTriangles {
    pub neighbors: VertexNeighbors,
    /// `[valence]`
    pub alphas: Buffer<f64>,
    /// `[corner]` of the control mesh: the opposite half-edge.
    pub opposites: Buffer<u32>,
    /// Lists of boundary edges, for open surfaces.
    pub boundary_edges: Option<BoundaryEdges>,
}

pub(in crate::backend::cuda) fn variant(
    precision: Precision,
    run: FriendRun,
    boundary: bool,
) -> Variant {
    Variant::new(&THREE_TRIANGLES, precision)
        .with("LINKS", usize::from(run != FriendRun::Points))
        .with("POINTS", usize::from(run != FriendRun::Topology))
        .with("HAS_BOUNDARY", usize::from(boundary))
}

impl ThreeTriangles {
    /// Opposite half-edges and boundary edges of the control mesh.
    pub fn start(&self, matrix: &SurfaceMatrix, launches: &mut Vec<Launch>) -> Result<()> {
        let corners = matrix.vertices.len();
        let arguments = vec![
            Argument::Address(matrix.edges.address(0)),
            Argument::Address(matrix.edge_corners.address(0)),
            Argument::Number(corners as u32),
            Argument::Address(self.opposites.address(0)),
        ];
        let variant = variant(Precision::F32, FriendRun::Topology, self.boundary_edges.is_some());
        let kernels = Kernels::new(&matrix.functions, variant);
        launches.push(kernels.items("find_opposites", corners, THREADS, arguments)?);
        match &self.boundary_edges {
            Some(edges) => edges.start(matrix, &self.opposites, launches),
            None => Ok(()),
        }
    }

    /// The launch of one level.
    pub fn launch(&self, matrix: &SurfaceMatrix, step: &LevelLaunch<'_>) -> Result<Launch> {
        let kernels = Kernels::new(
            step.functions,
            variant(step.precision, step.run, self.boundary_edges.is_some()),
        );
        let blocks = |items: usize| items.div_ceil(THREADS as usize) as u32;
        let coarse = step.coarse();
        let mut count = blocks(coarse.faces);
        if step.run != FriendRun::Topology {
            count += blocks(coarse.vertices);
        }
        let mut arguments = vec![
            step.levels(),
            Argument::Number(step.depth as u32),
            matrix.rows(),
            self.neighbors.words(),
            Argument::Address(self.alphas.address(0)),
        ];
        arguments.extend(step.points().map(Argument::Address));
        kernels.blocks("refine", count, THREADS, arguments)
    }
}
