//! What one evaluation of a range of elements runs: leaves of each batch, cut into items
//! for warps and blocks.

use std::collections::BTreeMap;
use std::ops::Range;

use super::layout::Layout;
use crate::plan::{Kernel, Plan};

/// An item: batch, first leaf within it, number of leaves, first sample, number of samples;
/// see `Item` in `kernels/gather.cuh`.
pub(super) type Item = [u32; 5];

/// The work of a range of elements.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Work {
    /// Runs of whole regular leaves, one by one or in bricks.
    pub tensor: Vec<TensorRun>,
    /// Items of the other kernels.
    pub items: BTreeMap<Kernel, Vec<Item>>,
}

/// Leaves, or bricks, of a batch that a tensor kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TensorRun {
    pub batch: usize,
    pub bricks: bool,
    /// First one within the batch, and number.
    pub first: u32,
    pub count: u32,
}

/// Leaves and samples that a block of a table kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub leaves: u32,
    pub samples: u32,
}

impl Work {
    /// The work for `range`. `warps`: how many the device holds at once. `tile`: of the
    /// table kernels.
    pub fn new<T>(
        plan: &Plan<'_>,
        layout: &Layout<T>,
        range: &Range<usize>,
        warps: u32,
        tile: impl Fn(Kernel) -> Tile,
    ) -> Self {
        let mut work = Self::default();
        let mut runs: BTreeMap<Kernel, Vec<(u32, u32, u32)>> = BTreeMap::new();
        for (index, batch) in plan.batches().iter().enumerate() {
            let leaves = batch.leaves_in(plan.solid(), range);
            if leaves.is_empty() {
                continue;
            }
            let first = batch.leaves.partition_point(|&leaf| leaf < leaves[0]) as u32;
            let run = (index as u32, first, leaves.len() as u32);
            match layout.kernels[index] {
                Kernel::Tensor | Kernel::Bricks => {
                    let runs = layout.tensor[index].runs(plan.solid(), range);
                    let run = |(bricks, run): (usize, Range<usize>)| TensorRun {
                        batch: index,
                        bricks: bricks == 0,
                        first: run.start as u32,
                        count: run.len() as u32,
                    };
                    work.tensor.extend(runs.into_iter().enumerate().map(run));
                    work.tensor.retain(|run| run.count > 0);
                }
                // they have blocks of their own
                Kernel::PublishedThread | Kernel::PublishedWarp => {}
                kernel => runs.entry(kernel).or_default().push(run),
            }
        }
        for (kernel, runs) in runs {
            let items = work.items.entry(kernel).or_default();
            let total: u32 = runs.iter().map(|run| run.2).sum();
            let mut rest = total;
            for (batch, first, count) in runs {
                let samples: u32 = layout.batches[batch as usize].counts.iter().product();
                let tile = kernel.is_table().then(|| tile(kernel));
                let samples_step = tile.map_or(samples, |tile| {
                    // a block keeps its nets for several tiles if there are enough blocks
                    let blocks = total.div_ceil(tile.leaves) * samples.div_ceil(tile.samples);
                    (blocks / (warps / 2)).clamp(1, 4) * tile.samples
                });
                let mut start = 0;
                while start < count {
                    // warps take fewer leaves at a time towards the end, to end together
                    let step = tile.map_or((rest / (2 * warps)).clamp(1, 8), |tile| tile.leaves);
                    let leaves = step.min(count - start);
                    for sample in (0..samples).step_by(samples_step as usize) {
                        let samples = samples_step.min(samples - sample);
                        items.push([batch, first + start, leaves, sample, samples]);
                    }
                    start += leaves;
                    rest -= leaves;
                }
            }
        }
        work
    }
}
