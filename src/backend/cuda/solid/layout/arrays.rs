//! The arrays that a plan is laid out in.

use std::ops::Range;

use cudarc::driver::DeviceRepr;

use crate::backend::cuda::solid::stacks::Stacks;
use crate::limit::Solid;
use crate::plan::Kernel;

/// What a kernel knows of a batch; see `Batch` in `kernels/common/layout.cuh`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct BatchRecord {
    pub first_net: u64,
    pub first_leaf: u32,
    pub controls: u32,
    pub counts: [u32; 3],
    pub start: i32,
    pub steps: [i32; 3],
    pub axes: [u32; 3],
    pub negate: u32,
    pub tables: [u64; 10],
    pub orders: [u8; 12],
    pub places: u64,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for BatchRecord {}

/// All arrays of a plan on tensor samples.
#[derive(Default)]
pub struct PlanLayout<T> {
    /// One a batch of the plan, and the kernel that it takes.
    pub batches: Vec<BatchRecord>,
    pub kernels: Vec<Kernel>,
    /// Ids of the nets, batch after batch. Ids of tensor kernels are in `offsets`
    /// instead if all of them fit: 16 bits each, counted from the base of the head. Nets
    /// of whole layered leaves overlap, `[layer][line]` of each stack; of parts of such leaves
    /// they are `[line][layer]`.
    pub nets: Vec<u32>,
    pub offsets: Vec<u16>,
    /// Base, element and missing layers of the leaves of tensor kernels.
    pub heads: Vec<[u32; 4]>,
    /// Ids of the nets of bricks, 128 each of which 125 count, and their 16-bit offsets, as
    /// above.
    pub brick_nets: Vec<u32>,
    pub brick_offsets: Vec<u16>,
    /// Base; missing layers, a byte a leaf, in words 2 and 3; then elements.
    pub brick_heads: Vec<[u32; 12]>,
    /// What the tensor kernels run, by batch.
    pub tensor: Vec<TensorLeaves>,
    /// Whole layered leaves stack by stack, as all arrays have them; by batch, empty for others.
    pub stacks: Vec<Stacks>,
    /// Elements of the leaves, batch after batch.
    pub elements: Vec<u32>,
    pub ends: Vec<u8>,
    /// Weights `[control][sample]` of all tables, one after another. Tables of layered kernels
    /// have their samples in the order of the results.
    pub tables: Vec<T>,
    /// Tables for tensor cores; see [`fragments`](crate::backend::cuda::solid::fragments).
    pub fragments: Vec<[u32; 4]>,
    /// Weights `[order 3][sample][4]` of all axes, one after another.
    pub axes: Vec<T>,
    /// (local sample, result) in the order of the results, for tables.
    pub places: Vec<[u32; 2]>,
}

/// How the leaves of a batch go to the tensor kernels.
#[derive(Debug, Default)]
pub(crate) struct TensorLeaves {
    /// Leaves of the solid taken one by one, ascending.
    pub singles: Vec<u32>,
    /// First brick, and the least and the greatest element of each.
    pub first_brick: usize,
    pub bricks: Vec<[u32; 2]>,
}

impl TensorLeaves {
    /// Whether an element of the batch is taken by itself.
    pub(crate) fn is_single(&self, solid: &Solid, element: u32) -> bool {
        let find = |&leaf: &u32| solid.leaves()[leaf as usize].element.cmp(&element);
        self.singles.binary_search_by(find).is_ok()
    }

    /// The bricks with elements in a range, some perhaps outside it, and the single leaves.
    pub fn runs(&self, solid: &Solid, range: &Range<usize>) -> [Range<usize>; 2] {
        // bricks ascend by their first leaf; take all from the first that reaches the range
        let reaches = |&[least, greatest]: &[u32; 2]| {
            (least as usize) < range.end && greatest as usize >= range.start
        };
        let start = self.bricks.iter().position(reaches).unwrap_or(0);
        let end = self.bricks.iter().rposition(reaches).map_or(start, |last| last + 1);
        let element = |&leaf: &u32| solid.leaves()[leaf as usize].element as usize;
        let first = self.singles.partition_point(|leaf| element(leaf) < range.start);
        let last = self.singles.partition_point(|leaf| element(leaf) < range.end);
        [start..end, first..last]
    }
}
