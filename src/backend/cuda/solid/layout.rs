//! A plan laid out for the device: flat arrays that the kernels of all batches share.

mod arrays;
mod nets;
mod tables;

use cudarc::driver::DeviceRepr;

use crate::backend::DeviceInfo;
use crate::backend::cuda::driver::device::matrix_units;
use crate::error::Result;
use crate::numbers::Real;
use crate::plan::{BatchKind, Kernel, Plan, RouteFacts, Strategy, evaluated_orders};
use crate::simd::AxisWeights;
use nets::NetLayout;
use tables::TableLayout;

pub(in crate::backend::cuda) use arrays::{BatchRecord, PlanLayout};

impl<T: Real + DeviceRepr> PlanLayout<T> {
    /// Lays out a plan for the kernels that a strategy takes on a device.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if an axis pattern has too many samples.
    pub fn new(plan: &Plan<'_>, strategy: Strategy, device: &DeviceInfo) -> Result<Self> {
        let kernels = kernels::<T>(plan, strategy, device);
        let nets = NetLayout::of(plan, &kernels);
        let mut layout = Self { kernels, ..Self::default() };
        let axes = layout.lay_axes(plan)?;
        let mut tables = TableLayout::default();
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
    pub(crate) fn most_controls(&self, kernel: Kernel) -> u32 {
        let own = self.batches.iter().zip(&self.kernels).filter(|&(_, &k)| k == kernel);
        own.map(|(batch, _)| batch.controls).max().unwrap_or(0)
    }

    /// Lays the weights of all axis patterns; returns where each begins.
    fn lay_axes(&mut self, plan: &Plan<'_>) -> Result<Vec<u32>> {
        let mut starts = Vec::new();
        for pattern in &plan.patterns().axes {
            let axis = AxisWeights::new(&pattern.parameters)?.sped_up(pattern.factor);
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
        let facts = RouteFacts {
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
fn batch(plan: &Plan<'_>, index: usize, axes: &[u32]) -> BatchRecord {
    let batch = &plan.batches()[index];
    let counts = batch.axes.map(|a| plan.patterns().axes[a as usize].parameters.len());
    let indices = &plan.patterns().orders[batch.order as usize].indices;
    let step = |d: usize, stride: usize| match counts[d] {
        1 => 0,
        _ => indices[stride] as i32 - indices[0] as i32,
    };
    let mut record = BatchRecord {
        controls: nets::controls(plan.solid(), batch.kind) as u32,
        counts: counts.map(|n| n as u32),
        start: indices[0] as i32,
        steps: [step(0, 1), step(1, counts[0]), step(2, counts[0] * counts[1])],
        axes: batch.axes.map(|a| axes[a as usize]),
        ..BatchRecord::default()
    };
    for (output, orders) in evaluated_orders(plan.want()).iter().enumerate() {
        let local = batch.permutation.axes.map(|a| orders[a as usize]);
        record.orders[output] = (0..3).map(|d| (local[d].degree() as u8) << (2 * d)).sum();
        record.negate |= u32::from(batch.permutation.odd(local)) << output;
    }
    record
}
