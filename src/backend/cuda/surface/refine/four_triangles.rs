//! Loop's scheme, by `kernels/surface/four_triangles.cu`: a launch per level.

use super::THREADS;
use super::matrix::VertexNeighbors;
use super::step::LevelLaunch;
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{FOUR_TRIANGLES, Variant};
use crate::backend::cuda::surface::edge_friend::FriendRun;
use crate::error::Result;

/// What Loop's scheme needs beside the levels.
pub(super) struct FourTriangles {
    pub neighbors: VertexNeighbors,
    /// `[valence]`
    pub betas: Buffer<f64>,
}

pub(in crate::backend::cuda) fn variant(precision: Precision, run: FriendRun) -> Variant {
    Variant::new(&FOUR_TRIANGLES, precision)
        .with("LINKS", usize::from(run != FriendRun::Points))
        .with("POINTS", usize::from(run != FriendRun::Topology))
}

impl FourTriangles {
    /// Adds the launches of one level.
    pub fn launches(&self, step: &LevelLaunch<'_>, launches: &mut Vec<Launch>) -> Result<()> {
        let kernels = Kernels::new(step.functions, variant(step.precision, step.run));
        let blocks = |items: usize| items.div_ceil(THREADS as usize) as u32;
        let coarse = step.coarse();
        let (links, points) = (step.run != FriendRun::Points, step.run != FriendRun::Topology);
        let mut count = 0;
        if links {
            count += blocks(coarse.faces);
        }
        // the last level takes no topology from the edges
        if points || !step.is_last() {
            count += blocks(coarse.edges);
        }
        if points {
            count += blocks(coarse.vertices);
        }
        let depth = Argument::Number(step.depth as u32);
        let betas = || Argument::Address(self.betas.address(0));
        let mut arguments = vec![step.levels(), depth, self.neighbors.words(), betas()];
        arguments.extend(step.points().map(Argument::Address));
        launches.push(kernels.blocks("refine", count, THREADS, arguments)?);
        Ok(())
    }
}
