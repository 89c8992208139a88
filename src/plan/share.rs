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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cost_what_their_shares_say() {
        assert_eq!(shares(&[1.0; 6], &[1.0, 1.0]), [0..3, 3..6]);
        assert_eq!(shares(&[1.0; 6], &[1.0, 2.0]), [0..2, 2..6]);
        assert_eq!(shares(&[4.0, 1.0, 1.0, 1.0, 1.0], &[1.0, 1.0]), [0..1, 1..5]);
        assert_eq!(shares(&[1.0], &[1.0, 1.0, 1.0]), [0..0, 0..1, 1..1]);
        assert_eq!(shares(&[], &[1.0, 1.0]), [0..0, 0..0]);
        // nothing costs anything, or a share is 0
        assert_eq!(shares(&[0.0; 3], &[1.0, 1.0]), [0..0, 0..3]);
        assert_eq!(shares(&[1.0; 3], &[0.0, 1.0, 0.0]), [0..0, 0..3, 3..3]);
    }

    #[test]
    fn runs_hold_every_item_once() {
        let costs: Vec<f64> = (0..1000).map(|i| f64::from(i * 37 % 11) * 0.1).collect();
        for count in 1..8 {
            let runs = shares(&costs, &vec![1.0; count]);
            assert_eq!((runs[0].start, runs[count - 1].end), (0, 1000));
            assert!(runs.windows(2).all(|pair| pair[0].end == pair[1].start));
            let (all, part) = (costs.iter().sum::<f64>(), count as f64);
            for run in runs {
                let own: f64 = costs[run].iter().sum();
                assert!((own - all / part).abs() <= 1.0, "{own} of {all} in {count}");
            }
        }
    }
}
