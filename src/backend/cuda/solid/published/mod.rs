//! The published method (Besler et al. 2022) as a yardstick: one block a regular cell, one
//! block a tile of the eigenstructure of a layered or irregular one.
//!
//! As in the paper, eigenstructures are computed on the CPU and basis functions on the GPU;
//! tiles lie column by column in shared memory, and blocks add their parts of a point to
//! the result by atomic operations, after [`PublishedArrays::clearing`].

pub(super) mod layout;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::launch_kind::{EvaluationLaunch, LaunchKind};
use super::layout::PlanLayout;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::functions::{Functions, LaunchShape};
use crate::backend::cuda::driver::launch::{Argument, Launch, LaunchJob, Pass};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{CLEAR, IRR, LAY, REG};
use crate::error::Result;
use crate::numbers::Real;
use crate::plan::{Kernel, Plan};
use cudarc::driver::DeviceRepr;
use layout::{LaunchBlock, LeafGroup, LeafGroups, MatrixTile, PublishedFamily, Sample};

/// Best size of a block, by the paper.
const MAX_BLOCK_THREADS: u32 = 128;

/// Threads of a warp.
const LANES: u32 = 32;

/// The published method's arrays on the device.
pub(super) struct PublishedArrays<T> {
    host: LeafGroups<T>,
    kernels: Vec<Kernel>,
    samples: Buffer<Sample<T>>,
    groups: Buffer<LeafGroup>,
    tiles: Buffer<MatrixTile>,
    structures: Buffer<T>,
}

/// The blocks of a range of elements.
pub(super) struct PublishedBlocks {
    blocks: BTreeMap<(PublishedFamily, Kernel), BlockGrid>,
    // elements whose results are sums of tiles
    elements: Buffer<u32>,
}

/// The grid of a launch.
struct BlockGrid {
    blocks: Buffer<LaunchBlock>,
    threads: u32,
}

impl<T: Real + DeviceRepr> PublishedArrays<T> {
    /// Brings what a plan needs to the device.
    pub fn new(plan: &Plan<'_>, layout: &PlanLayout<T>, stream: &Arc<CudaStream>) -> Result<Self> {
        let host = LeafGroups::new(plan, &layout.batches, &layout.kernels);
        Ok(Self {
            samples: Buffer::of(stream, &host.samples)?,
            groups: Buffer::of(stream, &host.groups)?,
            tiles: Buffer::of(stream, &host.tiles)?,
            structures: Buffer::of(stream, &host.structures)?,
            kernels: layout.kernels.clone(),
            host,
        })
    }

    /// The blocks of a range of elements.
    pub fn prepare(
        &self,
        plan: &Plan<'_>,
        range: &Range<usize>,
        stream: &Arc<CudaStream>,
    ) -> Result<PublishedBlocks> {
        let (blocks, elements) = self.host.blocks(plan, &self.kernels, range);
        let blocks = blocks.into_iter().map(|(key, blocks)| {
            let samples = |block: &LaunchBlock| {
                let [group, ..] = self.host.tiles[block[0] as usize];
                self.host.groups[group as usize].count
            };
            let most = blocks.iter().map(samples).max().unwrap_or(1);
            let threads = match key.1 {
                Kernel::PublishedWarp => most.saturating_mul(LANES),
                _ => most.next_multiple_of(LANES),
            };
            let blocks = Buffer::of(stream, &blocks)?;
            Ok((key, BlockGrid { blocks, threads: threads.min(MAX_BLOCK_THREADS) }))
        });
        Ok(PublishedBlocks {
            blocks: blocks.collect::<Result<_>>()?,
            elements: Buffer::of(stream, &elements)?,
        })
    }

    /// Zeros the results to which tiles are added; all of [`Self::launches`] wait for
    /// it.
    pub fn clearing(
        &self,
        functions: &Functions,
        work: &PublishedBlocks,
        pass: Pass,
        job: LaunchJob,
    ) -> Result<Option<Launch>> {
        if work.elements.len() == 0 {
            return Ok(None);
        }
        let arguments =
            vec![Argument::Job(Box::new(job)), Argument::Address(work.elements.address(0))];
        let kernels = Kernels::new(functions, pass.variant::<T>(&CLEAR));
        let blocks = work.elements.len() as u32;
        kernels.blocks("clear", blocks, MAX_BLOCK_THREADS, arguments).map(Some)
    }

    /// The launches of one pass, of leaves laid out at `leaves`.
    pub fn launches(
        &self,
        functions: &Functions,
        leaves: [u64; 4],
        work: &PublishedBlocks,
        pass: Pass,
        job: LaunchJob,
    ) -> Result<Vec<EvaluationLaunch>> {
        let launch = |(&(family, kernel), work): (&(PublishedFamily, Kernel), &BlockGrid)| {
            let (source, entry, size) = match family {
                PublishedFamily::Reg64 | PublishedFamily::Reg48 => (&REG, "reg", "CONTROLS"),
                PublishedFamily::Lay16 | PublishedFamily::Lay32 => (&LAY, "lay", "ROWS"),
                PublishedFamily::Irr32 | PublishedFamily::Irr64 => (&IRR, "irr", "ROWS"),
            };
            let warp = kernel == Kernel::PublishedWarp;
            let variant = pass
                .variant::<T>(source)
                .with(size, family.size())
                .with("WARP_BASED", usize::from(warp));
            let blocks = work.blocks.len() as u32;
            let shape = LaunchShape { blocks, threads: work.threads, shared: 0 };
            let arguments = vec![
                Argument::Job(Box::new(job)),
                Argument::Leaves(Box::new(leaves)),
                Argument::Address(self.groups.address(0)),
                Argument::Address(self.tiles.address(0)),
                Argument::Address(work.blocks.address(0)),
                Argument::Address(self.samples.address(0)),
                Argument::Address(self.structures.address(0)),
            ];
            let kind = LaunchKind::Published(family, kernel);
            Ok(EvaluationLaunch::new(kind, functions.get(&variant, entry)?, shape, arguments))
        };
        work.blocks.iter().map(launch).collect()
    }
}
