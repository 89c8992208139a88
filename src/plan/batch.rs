//! Sorting leaves into batches.

use std::collections::HashMap;
use std::ops::Range;

use super::pattern::{AxisId, Patterns, SampleSpan};
use super::{Want, evaluated_orders};
use crate::limit::{AxisPermutation, Leaf, LeafKind, Solid, parameters_within};

/// Index of a table in [`super::Plan::tables`].
pub type TableId = u32;

/// Leaves that one kernel evaluates with one set of tables.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Kind of the leaves, and their structure.
    pub kind: BatchKind,
    /// How the local axes lie in the elements.
    pub permutation: AxisPermutation,
    /// Patterns of the three local axes.
    pub axes: [AxisId; 3],
    /// Where local samples go: an index into [`Patterns::orders`].
    pub order: u32,
    /// Weight tables, one an output (in the order of [`super::wanted_orders`]): of the planar
    /// structure over axes 0 and 1, or of the spatial one; none for regular leaves.
    pub tables: Vec<TableId>,
    /// Leaves, as ascending indices into [`Solid::leaves`].
    pub leaves: Vec<u32>,
}

/// The kernel family of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BatchKind {
    /// Tensor-product splines.
    Regular,
    /// A spline along local axis 2 of this planar structure.
    Layered(u32),
    /// This spatial structure.
    Irregular(u32),
}

impl Batch {
    /// The leaves that belong to the elements in `range`.
    pub(crate) fn leaves_in(&self, solid: &Solid, range: &Range<usize>) -> &[u32] {
        let position = |element: usize| {
            let before = |&leaf: &u32| (solid.leaves()[leaf as usize].element as usize) < element;
            self.leaves.partition_point(before)
        };
        &self.leaves[position(range.start)..position(range.end)]
    }
}

/// What decides a leaf's batch: kind, permutation, depth and origin.
type Signature = (BatchKind, AxisPermutation, u8, [u16; 3]);

/// Batches of all leaves that hold samples of a tensor grid.
pub(super) fn collect(solid: &Solid, parameters: &[f64], want: Want) -> (Patterns, Vec<Batch>) {
    let derivatives = evaluated_orders(want).len() > 1;
    let mut patterns = Patterns::default();
    let mut batches: Vec<Batch> = Vec::new();
    let mut by_key: HashMap<(BatchKind, AxisPermutation, [AxisId; 3], u32), usize> = HashMap::new();
    let mut batch_of = |(kind, permutation, depth, origin): Signature, batches: &mut Vec<Batch>| {
        let spans: [SampleSpan; 3] = origin.map(|origin| {
            let own = parameters_within(parameters, depth, origin);
            (own.start as u32, own.len() as u32)
        });
        spans.iter().all(|s| s.1 > 0).then(|| {
            let axes = std::array::from_fn(|d| {
                let axis = permutation.axes[d] as usize;
                let (span, origin) = (spans[axis], origin[axis]);
                patterns.axis(parameters, span, depth, origin, permutation.flips[d], derivatives)
            });
            let order = patterns.order(parameters.len(), permutation, spans);
            *by_key.entry((kind, permutation, axes, order)).or_insert_with(|| {
                let (tables, leaves) = (Vec::new(), Vec::new());
                batches.push(Batch { kind, permutation, axes, order, tables, leaves });
                batches.len() - 1
            })
        })
    };
    let mut by_signature: HashMap<Signature, Option<usize>> = HashMap::new();
    // most leaves are like the one before
    let mut last: Option<(Signature, Option<usize>)> = None;
    for (index, leaf) in solid.leaves().iter().enumerate() {
        let (kind, permutation) = kind_and_permutation(leaf);
        let signature = (kind, permutation, leaf.depth, leaf.origin);
        let batch = match last {
            Some((previous, batch)) if previous == signature => batch,
            _ => {
                let entry = by_signature.entry(signature);
                let found = *entry.or_insert_with(|| batch_of(signature, &mut batches));
                last = Some((signature, found));
                found
            }
        };
        if let Some(batch) = batch {
            batches[batch].leaves.push(index as u32);
        }
    }
    batches.sort_by_key(|b| (b.kind, b.permutation, b.axes, b.order));
    (patterns, batches)
}

fn kind_and_permutation(leaf: &Leaf) -> (BatchKind, AxisPermutation) {
    match leaf.kind {
        LeafKind::Regular(_) => (BatchKind::Regular, AxisPermutation::IDENTITY),
        LeafKind::Layered(structure, permutation, _) => {
            (BatchKind::Layered(structure), permutation)
        }
        LeafKind::Irregular(structure, permutation) => {
            (BatchKind::Irregular(structure), permutation)
        }
    }
}
