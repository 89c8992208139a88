//! What the CPU would run: the batches of each family of kernels.

use std::ops::Range;

use super::super::explain::{LaunchReport, Sizes, WorkTally, outputs};
use crate::error::Result;
use crate::limit::LeafKind;
use crate::numbers::Real;
use crate::plan::{BatchKind, Plan, Samples};

/// The work of every family of kernels, input after input.
pub(super) fn explain<T: Real>(
    plan: &Plan<'_>,
    attributes: &[usize],
    elements: &Range<usize>,
) -> Result<Vec<LaunchReport>> {
    plan.check_range(elements)?;
    let families: &[&str] = match plan.samples() {
        Samples::Tensor(_) => &["tensor", "layered", "table"],
        Samples::Points(_) => &["regular points", "weighted points"],
    };
    let mut all = Vec::new();
    for (input, &width) in std::iter::once(&3).chain(attributes).enumerate() {
        // the nets of the solid, not copied: 4 bytes an id
        let outputs = outputs(plan, input);
        let sizes = Sizes { number: size_of::<T>(), id: 4, head: 0, width, outputs };
        for &family in families {
            let mut tally = WorkTally::new(plan, sizes);
            for batch in plan.batches().iter().filter(|batch| family_of(batch.kind) == family) {
                if tally.add_batch(batch, elements, |_| true) > 0 {
                    tally.add_tables(batch);
                }
            }
            for group in plan.points().chunk_by(|a, b| a.leaf == b.leaf) {
                let leaf = &plan.solid().leaves()[group[0].leaf as usize];
                let is_regular = matches!(leaf.kind, LeafKind::Regular(_));
                if is_regular == (family == "regular points") {
                    tally.add_leaf(leaf, group.len());
                }
            }
            let work = tally.finish();
            if work.leaves > 0 {
                all.push(LaunchReport { kernel: family.into(), input, ..work });
            }
        }
    }
    Ok(all)
}

fn family_of(kind: BatchKind) -> &'static str {
    match kind {
        BatchKind::Regular => "tensor",
        BatchKind::Layered(_) => "layered",
        BatchKind::Irregular(_) => "table",
    }
}
