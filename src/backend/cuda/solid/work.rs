//! What one evaluation of a range of elements runs: leaves of each batch, cut into items
//! for warps and blocks.

use std::collections::BTreeMap;
use std::ops::Range;

use super::layout::PlanLayout;
use crate::limit::Solid;
use crate::plan::{Kernel, Plan};

/// An item: batch, first leaf within it, number of leaves; first sample and number of samples, or
/// for whole layered leaves what `Stacks::layers_of` says; see `Item` in
/// `kernels/common/layout.cuh`.
pub(in crate::backend::cuda) type Item = [u32; 5];

/// The work of a range of elements.
#[derive(Debug, Default, PartialEq)]
pub(super) struct GridWork {
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

/// Leaves that a block of a table kernel takes, and samples at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableTile {
    pub leaves: u32,
    pub samples: u32,
    /// Blocks that the device holds at once.
    pub blocks: u32,
}

/// Samples that take about as long as gathering nets does.
const GATHERING_SAMPLES: u32 = 192;

impl TableTile {
    /// Samples of each leaf that a block takes, gathering nets once, so that all blocks end soon.
    fn samples_of_block(self, leaves: u32, samples: u32) -> u32 {
        let time = |&step: &u32| {
            let blocks = leaves.div_ceil(self.leaves) * samples.div_ceil(step);
            u64::from(blocks.div_ceil(self.blocks)) * u64::from(GATHERING_SAMPLES + step)
        };
        let steps = (1..=samples.div_ceil(self.samples)).rev().map(|tiles| tiles * self.samples);
        steps.min_by_key(time).unwrap_or(self.samples)
    }
}

/// Most leaves that a warp takes at a time.
const MAX_WARP_LEAVES: u32 = 8;

/// Leaves of a batch that follow one another, or a stretch of its stacks.
#[derive(Clone, Copy)]
struct LeafRun {
    batch: u32,
    first: u32,
    count: u32,
}

impl GridWork {
    /// The work for `range`. `warps`: how many the device holds at once. `tile`: of the
    /// table kernels.
    pub fn new<T>(
        plan: &Plan<'_>,
        layout: &PlanLayout<T>,
        range: &Range<usize>,
        warps: u32,
        tile: impl Fn(Kernel) -> TableTile,
    ) -> Self {
        let mut work = Self::default();
        for (kernel, mut runs) in work.push_tensor_runs(plan, layout, range) {
            if kernel == Kernel::Layered {
                // stacks side by side share control points: evaluated at about the same time
                let element = |run: &LeafRun| {
                    let leaf = layout.stacks[run.batch as usize].leaves[run.first as usize];
                    plan.solid().leaves()[leaf as usize].element
                };
                runs.sort_by_cached_key(element);
            }
            let tile = kernel.is_table().then(|| tile(kernel));
            work.items.insert(kernel, items(layout, kernel, &runs, warps, tile));
        }
        work
    }

    /// Appends the runs of tensor kernels, and returns the other runs.
    fn push_tensor_runs<T>(
        &mut self,
        plan: &Plan<'_>,
        layout: &PlanLayout<T>,
        range: &Range<usize>,
    ) -> BTreeMap<Kernel, Vec<LeafRun>> {
        let mut others: BTreeMap<Kernel, Vec<LeafRun>> = BTreeMap::new();
        for (index, batch) in plan.batches().iter().enumerate() {
            let leaves = batch.leaves_in(plan.solid(), range);
            if leaves.is_empty() {
                continue;
            }
            match layout.kernels[index] {
                Kernel::Tensor | Kernel::Bricks => {
                    let runs = layout.tensor[index].runs(plan.solid(), range);
                    let run = |(bricks, run): (usize, Range<usize>)| TensorRun {
                        batch: index,
                        bricks: bricks == 0,
                        first: run.start as u32,
                        count: run.len() as u32,
                    };
                    let runs = runs.into_iter().enumerate().map(run);
                    self.tensor.extend(runs.filter(|run| run.count > 0));
                }
                Kernel::Layered => {
                    let segments = segments(plan.solid(), &layout.stacks[index].leaves, range);
                    let run = |run: Range<usize>| LeafRun {
                        batch: index as u32,
                        first: run.start as u32,
                        count: run.len() as u32,
                    };
                    others.entry(Kernel::Layered).or_default().extend(segments.map(run));
                }
                // they have blocks of their own
                Kernel::PublishedThread | Kernel::PublishedWarp => {}
                kernel => {
                    let first = batch.leaves.partition_point(|&leaf| leaf < leaves[0]) as u32;
                    let run = LeafRun { batch: index as u32, first, count: leaves.len() as u32 };
                    others.entry(kernel).or_default().push(run);
                }
            }
        }
        others
    }
}

/// The items of all runs of a kernel; `tile` if it is one of the table kernels.
fn items<T>(
    layout: &PlanLayout<T>,
    kernel: Kernel,
    runs: &[LeafRun],
    warps: u32,
    tile: Option<TableTile>,
) -> Vec<Item> {
    let mut items = Vec::new();
    let total: u32 = runs.iter().map(|run| run.count).sum();
    let mut rest = total;
    for &LeafRun { batch, first, count } in runs {
        let samples: u32 = layout.batches[batch as usize].counts.iter().product();
        let samples_step = tile.map_or(samples, |tile| tile.samples_of_block(total, samples));
        let mut start = 0;
        while start < count {
            // warps take fewer leaves at a time toward the end, to end together
            let step =
                tile.map_or((rest / (2 * warps)).clamp(1, MAX_WARP_LEAVES), |tile| tile.leaves);
            // pieces of a segment are alike
            let left = count - start;
            let leaves = match kernel {
                Kernel::Layered => left.div_ceil(left.div_ceil(step)),
                _ => step.min(left),
            };
            let mut push = |what: [u32; 2]| {
                items.push([batch, first + start, leaves, what[0], what[1]]);
            };
            if kernel == Kernel::Layered {
                push(layout.stacks[batch as usize].layers_of(first + start, leaves));
            } else {
                for sample in (0..samples).step_by(samples_step as usize) {
                    push([sample, samples_step.min(samples - sample)]);
                }
            }
            start += leaves;
            rest -= leaves;
        }
    }
    items
}

/// Stretches of the stacks in a range of elements, as places in their order.
fn segments(
    solid: &Solid,
    stacks: &[u32],
    range: &Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let is_in = |leaf: u32| range.contains(&(solid.leaves()[leaf as usize].element as usize));
    let mut start = 0;
    let runs = stacks.chunk_by(move |&a, &b| is_in(a) == is_in(b)).map(move |run| {
        let first = start;
        start += run.len();
        (run[0], first..start)
    });
    runs.filter(move |&(leaf, _)| is_in(leaf)).flat_map(|(_, run)| {
        let end = run.end;
        run.step_by(MAX_WARP_LEAVES as usize)
            .map(move |first| first..end.min(first + MAX_WARP_LEAVES as usize))
    })
}
