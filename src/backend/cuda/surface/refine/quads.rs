//! Catmull-Clark on the mesh matrix, by `kernels/surface/quads.cu`: topology and face points,
//! then edge and vertex points.

use super::THREADS;
use super::matrix::SurfaceMatrix;
use super::step::LevelLaunch;
use crate::backend::Precision;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{QUADS, Variant};
use crate::backend::cuda::surface::edge_friend::FriendRun;
use crate::error::Result;

pub(in crate::backend::cuda) fn variant(
    precision: Precision,
    run: FriendRun,
    size: u32,
    first: bool,
    oriented: bool,
) -> Variant {
    Variant::new(&QUADS, precision)
        .with("LINKS", usize::from(run != FriendRun::Points))
        .with("POINTS", usize::from(run != FriendRun::Topology))
        .with("SIZE", size as usize)
        .with("FIRST", usize::from(first))
        .with("ORIENTED", usize::from(oriented))
}

/// Adds the launches of one level.
pub(super) fn launches(
    matrix: &SurfaceMatrix,
    step: &LevelLaunch<'_>,
    launches: &mut Vec<Launch>,
) -> Result<()> {
    let counts = matrix.counts();
    let oriented = counts.inconsistent == 0 && counts.non_manifold == 0;
    let variant = variant(step.precision, step.run, matrix.size(), step.depth == 0, oriented);
    let kernels = Kernels::new(step.functions, variant);
    let blocks = |items: usize| items.div_ceil(THREADS as usize) as u32;
    let coarse = step.coarse();
    let mut count = 0;
    if step.run != FriendRun::Points {
        count += blocks(coarse.corners);
        count += if step.is_last() { 0 } else { blocks(coarse.edges) };
    }
    if step.run != FriendRun::Topology {
        count += blocks(coarse.faces);
    }
    let depth = || Argument::Number(step.depth as u32);
    let mut arguments = vec![step.levels(), depth(), matrix.columns()];
    arguments.extend(step.points().map(Argument::Address));
    launches.push(kernels.blocks("split", count, THREADS, arguments)?);
    if step.run != FriendRun::Topology {
        let count = blocks(coarse.edges) + blocks(coarse.vertices);
        let mut arguments = vec![step.levels(), depth(), matrix.columns(), matrix.rows()];
        arguments.extend(step.points().map(Argument::Address));
        launches.push(kernels.blocks("smooth", count, THREADS, arguments)?);
    }
    Ok(())
}
