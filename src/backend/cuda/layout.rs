//! A plan laid out for the device: flat arrays that the kernels of all batches share.

mod nets;
mod tables;

use cudarc::driver::DeviceRepr;

use super::device::matrix_units;
use super::stacks::Stacks;
use crate::backend::device::DeviceInfo;
use crate::error::Result;
use crate::kernel::Axis;
use crate::numbers::Real;
use crate::plan::{BatchKind, Facts, Kernel, Plan, Strategy, wanted_orders};
use nets::Nets;
use tables::Tables;

pub(super) use nets::TensorLeaves;

/// What a kernel knows of a batch; see `Batch` in `kernels/common/gather.cuh`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Batch {
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
unsafe impl DeviceRepr for Batch {}

/// All arrays of a plan on tensor samples.
#[derive(Default)]
pub(super) struct Layout<T> {
    /// One a batch of the plan, and the kernel that it takes.
    pub batches: Vec<Batch>,
    pub kernels: Vec<Kernel>,
    /// Ids of the nets, batch after batch. Those of tensor kernels stand in `offsets`
    /// instead if all of them fit: 16 bits each, counted from the base of the head. Those
    /// of whole layered leaves overlap, `[layer][line]` of each stack; those of parts of such
    /// leaves are `[line][layer]`.
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
    /// By leaf, batch after batch.
    pub elements: Vec<u32>,
    pub ends: Vec<u8>,
    /// Weights `[control][sample]` of all tables, one after another. Those of layered kernels
    /// have their samples in the order of the results.
    pub tables: Vec<T>,
    /// Tables for tensor cores; see [`fragments`].
    pub fragments: Vec<[u32; 4]>,
    /// Weights `[order 3][sample][4]` of all axes, one after another.
    pub axes: Vec<T>,
    /// (local sample, result) in the order of the results, for tables.
    pub places: Vec<[u32; 2]>,
}

impl<T: Real + DeviceRepr> Layout<T> {
    /// Lays out a plan for the kernels that a strategy takes on a device.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if an axis pattern has too many samples.
    pub fn new(plan: &Plan<'_>, strategy: Strategy, device: &DeviceInfo) -> Result<Self> {
        let kernels = kernels::<T>(plan, strategy, device);
        let nets = Nets::of(plan, &kernels);
        let mut layout = Self { kernels, ..Self::default() };
        let axes = layout.lay_axes(plan)?;
        let mut tables = Tables::default();
        for index in 0..plan.batches().len() {
            let mut batch = batch(plan, index, &axes);
            (batch.first_net, batch.first_leaf) = layout.lay_nets(plan, index, &nets);
            if !is_published(layout.kernels[index]) {
                layout.lay_tables(plan, index, &mut batch, &mut tables);
            }
            layout.batches.push(batch);
        }
        Ok(layout)
    }

    /// Most control points a line of layered batches has.
    pub fn most_controls(&self, kernel: Kernel) -> u32 {
        let own = self.batches.iter().zip(&self.kernels).filter(|&(_, &k)| k == kernel);
        own.map(|(batch, _)| batch.controls).max().unwrap_or(0)
    }

    /// Lays the weights of all axis patterns; returns where each begins.
    fn lay_axes(&mut self, plan: &Plan<'_>) -> Result<Vec<u32>> {
        let mut starts = Vec::new();
        for pattern in &plan.patterns().axes {
            let axis = Axis::new(&pattern.parameters)?.sped_up(pattern.factor);
            starts.push(self.axes.len() as u32);
            for order in crate::basis::bspline::Order::ALL {
                self.axes.extend(axis.weights(order).iter().flatten().map(|&w| T::from_f64(w)));
            }
        }
        Ok(starts)
    }
}

/// Whether a batch takes the published method.
pub(super) fn is_published(kernel: Kernel) -> bool {
    matches!(kernel, Kernel::PublishedThread | Kernel::PublishedWarp)
}

/// The kernel that each batch of a plan takes.
fn kernels<T>(plan: &Plan<'_>, strategy: Strategy, device: &DeviceInfo) -> Vec<Kernel> {
    let per_element = plan.samples_per_element();
    let class_leaves = |kind: BatchKind| {
        let class = std::mem::discriminant(&kind);
        let same = plan.batches().iter().filter(|b| std::mem::discriminant(&b.kind) == class);
        same.map(|batch| batch.leaves.len()).sum()
    };
    let kernel = |batch: &crate::plan::Batch| {
        let order = &plan.patterns().orders[batch.order as usize];
        let facts = Facts {
            strategy,
            kind: batch.kind,
            whole: order.indices.len() == per_element,
            samples: (per_element as f64).cbrt().round() as usize,
            leaves: batch.leaves.len(),
            class_leaves: class_leaves(batch.kind),
            double: size_of::<T>() == 8,
            shared_memory: device.shared_memory,
            multiprocessors: device.multiprocessors,
            matrix_units: matrix_units(device.architecture()),
        };
        facts.kernel()
    };
    plan.batches().iter().map(kernel).collect()
}

/// What a kernel knows of a batch but for where its nets and tables are.
fn batch(plan: &Plan<'_>, index: usize, axes: &[u32]) -> Batch {
    let batch = &plan.batches()[index];
    let counts = batch.axes.map(|a| plan.patterns().axes[a as usize].parameters.len());
    let indices = &plan.patterns().orders[batch.order as usize].indices;
    let step = |d: usize, stride: usize| match counts[d] {
        1 => 0,
        _ => indices[stride] as i32 - indices[0] as i32,
    };
    let mut record = Batch {
        controls: nets::controls(plan.solid(), batch.kind) as u32,
        counts: counts.map(|n| n as u32),
        start: indices[0] as i32,
        steps: [step(0, 1), step(1, counts[0]), step(2, counts[0] * counts[1])],
        axes: batch.axes.map(|a| axes[a as usize]),
        ..Batch::default()
    };
    for (output, orders) in wanted_orders(plan.want()).iter().enumerate() {
        let local = batch.permutation.axes.map(|a| orders[a as usize]);
        record.orders[output] = (0..3).map(|d| (local[d] as u8) << (2 * d)).sum();
        record.negate |= u32::from(batch.permutation.odd(local)) << output;
    }
    record
}
