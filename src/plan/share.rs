//! What elements cost, and runs of them that cost about the same.

use std::ops::Range;

use super::{BatchKind, Plan};

/// Cost of a sample relative to one of a regular leaf, with `controls` control points: measured on
/// an H200 with results that stay there (`benches/results/gpu_kernels.json`).
fn sample_cost(kind: BatchKind, controls: usize) -> f64 {
    match kind {
        BatchKind::Regular => 1.0,
        BatchKind::Layered(_) => 1.25,
        BatchKind::Irregular(_) => 1.1 + 0.0105 * controls as f64,
    }
}

impl Plan<'_> {
    /// What evaluating each element costs, in samples of regular cells; of a grid of samples.
    pub fn element_costs(&self) -> Vec<f64> {
        let solid = self.solid();
        let mut costs = vec![0.0; solid.elements().len()];
        for batch in self.batches() {
            let samples = self.patterns().orders[batch.order as usize].indices.len() as f64;
            for &leaf in &batch.leaves {
                let leaf = &solid.leaves()[leaf as usize];
                let controls = solid.net(leaf).len();
                costs[leaf.element as usize] += samples * sample_cost(batch.kind, controls);
            }
        }
        costs
    }
}

/// Cuts items into contiguous runs, one for each share, whose costs are in proportion to the
/// shares. Runs may be empty; together they hold every item once, in order. Costs and shares are
/// not negative, and the shares do not all vanish.
pub fn shares(costs: &[f64], shares: &[f64]) -> Vec<Range<usize>> {
    let (all, whole): (f64, f64) = (costs.iter().sum(), shares.iter().sum());
    let (mut start, mut cost, mut share) = (0, 0.0, 0.0);
    let mut runs = Vec::with_capacity(shares.len());
    for (index, own) in shares.iter().enumerate() {
        share += own;
        let until = all * share / whole;
        let mut end = start;
        // an item belongs to the run that its middle falls into
        while end < costs.len() && (cost + 0.5 * costs[end] < until || index + 1 == shares.len()) {
            cost += costs[end];
            end += 1;
        }
        runs.push(start..end);
        start = end;
    }
    runs
}
