//! What an evaluation would run: [`super::Evaluator::explain`].

use std::ops::Range;

use serde::Serialize;

use crate::limit::Leaf;
use crate::plan::{Batch, Plan, wanted_orders};

/// One launch of an evaluation, or, on the CPU, the work of one kernel. Bytes are an
/// estimate: every result is written once, and nets, control points and tables are read once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "Explained"))]
pub struct LaunchReport {
    /// Name of the kernel.
    pub kernel: String,
    /// What is evaluated: 0 for positions, k for attribute k, counted from 1.
    pub input: usize,
    /// Number of components of a control point that are evaluated at once.
    pub width: usize,
    /// Number of batches of the plan; 0 for scattered samples and for preparatory kernels.
    pub batches: usize,
    /// Number of leaves in these batches.
    pub leaves: usize,
    /// Number of samples in these leaves.
    pub samples: usize,
    /// Blocks and threads of the launch on a GPU.
    pub grid: Option<LaunchGrid>,
    /// Estimated bytes written to memory.
    pub bytes_written: u64,
    /// Estimated bytes read from memory.
    pub bytes_read: u64,
    /// Time for these bytes at the peak bandwidth of the memory, in seconds; null if that is not
    /// known.
    pub floor: Option<f64>,
}

/// Blocks of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct LaunchGrid {
    /// Number of blocks.
    pub blocks: u32,
    /// Number of threads per block.
    pub threads: u32,
    /// Dynamic shared memory per block, in bytes.
    pub shared: u32,
}

/// Sizes that the bytes of a launch depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Bytes of a result and of a weight.
    pub number: usize,
    /// Bytes of an id in a net.
    pub id: usize,
    /// Bytes that are known of a leaf, or of a scattered sample, beside its net.
    pub head: usize,
    /// Components at once.
    pub width: usize,
    /// Outputs of each sample.
    pub outputs: usize,
}

/// Adds up the work of one launch.
pub(super) struct WorkTally<'p> {
    plan: &'p Plan<'p>,
    sizes: Sizes,
    work: LaunchReport,
    ids: usize,
    weights: usize,
    // what was read before: control points, tables
    points: Vec<bool>,
    tables: Vec<bool>,
}

impl<'p> WorkTally<'p> {
    pub fn new(plan: &'p Plan<'p>, sizes: Sizes) -> Self {
        let points = vec![false; plan.solid().point_count()];
        let tables = vec![false; plan.tables().len()];
        let work = LaunchReport { width: sizes.width, ..LaunchReport::default() };
        Self { plan, sizes, work, ids: 0, weights: 0, points, tables }
    }

    /// Adds the leaves of a batch in a range of elements, as far as they are the launch's
    /// own; returns how many.
    pub(crate) fn add_batch(
        &mut self,
        batch: &Batch,
        elements: &Range<usize>,
        is_own: impl Fn(&Leaf) -> bool,
    ) -> usize {
        let solid = self.plan.solid();
        let leaves = batch.leaves_in(solid, elements);
        let leaves = leaves.iter().map(|&leaf| &solid.leaves()[leaf as usize]);
        let samples = self.plan.patterns().orders[batch.order as usize].indices.len();
        let before = self.work.leaves;
        leaves.filter(|leaf| is_own(leaf)).for_each(|leaf| self.add_leaf(leaf, samples));
        let count = self.work.leaves - before;
        self.work.batches += usize::from(count > 0);
        count
    }

    /// Adds a batch's weight tables, unless they were.
    pub(crate) fn add_tables(&mut self, batch: &Batch) {
        for &table in batch.tables.iter().take(self.sizes.outputs) {
            if !std::mem::replace(&mut self.tables[table as usize], true) {
                self.weights += self.plan.tables()[table as usize].weights.len();
            }
        }
    }

    /// Adds weights that are no tables of the plan.
    #[allow(dead_code, reason = "backends for devices use it")]
    pub(crate) fn add_weights(&mut self, count: usize) {
        self.weights += count;
    }

    /// Adds a leaf with some samples.
    pub(crate) fn add_leaf(&mut self, leaf: &Leaf, samples: usize) {
        let net = self.plan.solid().net(leaf);
        self.work.leaves += 1;
        self.work.samples += samples;
        self.ids += net.len();
        net.iter().for_each(|&point| self.points[point as usize] = true);
    }

    /// The work, with its bytes.
    pub fn finish(self) -> LaunchReport {
        let Self { sizes, mut work, .. } = self;
        let points = self.points.into_iter().filter(|&is_read| is_read).count();
        let heads = if work.batches > 0 { work.leaves } else { work.samples };
        let read = self.ids * sizes.id + heads * sizes.head + self.weights * sizes.number;
        work.bytes_read = (read + points * sizes.width * size_of::<f64>()) as u64;
        work.bytes_written = (work.samples * sizes.outputs * sizes.width * sizes.number) as u64;
        work
    }
}

/// Number of outputs of an input: its value and the derivatives wanted.
pub(super) fn outputs(plan: &Plan<'_>, input: usize) -> usize {
    wanted_orders(plan.want().of_input(input)).len()
}
