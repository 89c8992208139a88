//! Tensor samples: one kernel per batch, tasks of a few leaves each.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use crate::basis::MissingLayers;
use crate::basis::bspline::Order;
use crate::disjoint::DisjointArray;
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::limit::{AxisPermutation, LeafKind, Orders};
use crate::numbers::Real;
use crate::plan::{Batch, BatchKind, Plan, evaluated_orders};
use crate::simd::{
    AxisWeights, LayerAxis, LayeredGrid, LayeredOutput, Nets, Scratch, Simd, Stores, TableKernel,
    TableOutput, Tensor, TensorOutput,
};

/// Most leaves of one task: a streamed one waits for its stores only once, and the
/// threads still balance.
const MAX_TASK_LEAVES: usize = 96;

/// Samples that are worth a thread, or a task: they take some 15 microseconds.
const MIN_TASK_SAMPLES: usize = 8192;

/// As many samples take as long as what a leaf costs beside its own.
const LEAF_OVERHEAD_SAMPLES: usize = 64;

/// The kernels of a plan's batches, by the width of the control points.
pub(super) struct BatchKernels<'p, T> {
    plan: &'p Plan<'p>,
    axes: Vec<AxisWeights>,
    orders: Vec<Orders>,
    // tables of irregular batches by table id; they serve any width
    tables: HashMap<u32, TableKernel<T>>,
    by_width: HashMap<usize, Vec<BatchKernel<T>>>,
}

/// What one batch runs, beside the tables.
enum BatchKernel<T> {
    Regular(Tensor<T>),
    // 2D tables in the order of first use, and which of them each output takes
    Layered(LayeredGrid<T>, Vec<usize>),
    Irregular,
}

/// A few leaves of a batch.
struct Task<'a> {
    batch: usize,
    leaves: &'a [u32],
}

impl<'p, T: Real> BatchKernels<'p, T> {
    pub fn new(plan: &'p Plan<'p>) -> Result<Self> {
        let axes = plan.patterns().axes.iter();
        let axes = axes
            .map(|axis| Ok(AxisWeights::new(&axis.parameters)?.sped_up(axis.factor)))
            .collect::<Result<_>>()?;
        // kernels of axes know degrees alone
        let plain = |orders: Orders| orders.map(|order| Order::ALL[order.degree()]);
        let orders = evaluated_orders(plan.want()).into_iter().map(plain).collect();
        let mut tables = HashMap::new();
        for batch in plan.batches() {
            if let BatchKind::Irregular(_) = batch.kind {
                for (output, &id) in batch.tables.iter().enumerate() {
                    if let std::collections::hash_map::Entry::Vacant(entry) = tables.entry(id) {
                        let table = &plan.tables()[id as usize];
                        entry.insert(TableKernel::new(
                            &table.weights,
                            table.controls,
                            output == 0,
                        )?);
                    }
                }
            }
        }
        let mut kernels = Self { plan, axes, orders, tables, by_width: HashMap::new() };
        kernels.add_width(3)?;
        Ok(kernels)
    }

    /// Makes the kernels for control points of `width` components.
    fn add_width(&mut self, width: usize) -> Result<()> {
        let plan = self.plan;
        let kernels = plan.batches().par_iter().map(|batch| {
            let axis = |d: usize| &self.axes[batch.axes[d] as usize];
            Ok(match batch.kind {
                BatchKind::Regular => {
                    BatchKernel::Regular(Tensor::new([axis(0), axis(1), axis(2)], width))
                }
                BatchKind::Irregular(_) => BatchKernel::Irregular,
                BatchKind::Layered(_) => {
                    let (kernel, planes) = self.layered(batch, width)?;
                    BatchKernel::Layered(kernel, planes)
                }
            })
        });
        let kernels = kernels.collect::<Result<Vec<_>>>()?;
        self.by_width.insert(width, kernels);
        Ok(())
    }

    /// The kernel of a layered batch, and which of its tables each output takes.
    fn layered(&self, batch: &Batch, width: usize) -> Result<(LayeredGrid<T>, Vec<usize>)> {
        let mut ids: Vec<u32> = Vec::new();
        let mut planes = Vec::new();
        for id in &batch.tables {
            let at = ids.iter().position(|x| x == id).unwrap_or(ids.len());
            if at == ids.len() {
                ids.push(*id);
            }
            planes.push(at);
        }
        let tables = ids.iter().map(|&id| &self.plan.tables()[id as usize]);
        let axis = &self.axes[batch.axes[2] as usize];
        let [na, nb] = [0, 1].map(|d| self.axes[batch.axes[d] as usize].samples());
        let controls = self.plan.tables()[ids[0] as usize].controls;
        let order = &self.plan.patterns().orders[batch.order as usize];
        if order.indices.len() != self.plan.samples_per_element() {
            // a part of an element: its own axes, put in order afterwards
            let weights: Vec<&[f64]> = tables.map(|table| &table.weights[..]).collect();
            let across = LayerAxis { axis: 2, low: na };
            return Ok((LayeredGrid::new(&weights, controls, axis, width, across)?, planes));
        }
        // as the element has them: where sample (low, high) is in the table's own plane
        let AxisPermutation { axes, flips } = batch.permutation;
        let swapped = axes[0] > axes[1];
        let low = if swapped { nb } else { na };
        let place = |sample: usize| {
            let [low, high] = [sample % low, sample / low];
            let [a, b] = if swapped { [high, low] } else { [low, high] };
            let permuted = |i: usize, n: usize, flip: bool| if flip { n - 1 - i } else { i };
            permuted(b, nb, flips[1]) * na + permuted(a, na, flips[0])
        };
        let weights: Vec<Vec<f64>> = tables
            .map(|table| {
                let rows = table.weights.chunks_exact(na * nb);
                rows.flat_map(|row| (0..na * nb).map(|sample| row[place(sample)])).collect()
            })
            .collect();
        let weights: Vec<&[f64]> = weights.iter().map(Vec::as_slice).collect();
        let axis = if flips[2] { axis.clone().reversed() } else { axis.clone() };
        let across = LayerAxis { axis: axes[2] as usize, low };
        Ok((LayeredGrid::new(&weights, controls, &axis, width, across)?, planes))
    }

    pub fn run(
        &mut self,
        simd: Simd,
        points: &[f64],
        width: usize,
        elements: &Range<usize>,
        outputs: &mut [&mut [T]],
    ) -> Result<()> {
        if !self.by_width.contains_key(&width) {
            self.add_width(width)?;
        }
        let stores = Stores::of_bytes(outputs.iter().map(|o| size_of_val(*o)).sum());
        let job = GridEvaluation {
            kernels: self,
            own: &self.by_width[&width],
            simd,
            points,
            width,
            first_element: elements.start,
            outputs: outputs.iter_mut().map(|o| DisjointArray::new(o)).collect(),
        };
        let (solid, orders) = (self.plan.solid(), &self.plan.patterns().orders);
        let batches = self.plan.batches().iter();
        let shares: Vec<&[u32]> = batches.map(|batch| batch.leaves_in(solid, elements)).collect();
        let samples = self.plan.batches().iter().map(|b| orders[b.order as usize].indices.len());
        let count: usize = shares.iter().map(|leaves| leaves.len()).sum();
        let cost: usize = shares
            .iter()
            .zip(samples)
            .map(|(leaves, n)| leaves.len() * (n + LEAF_OVERHEAD_SAMPLES))
            .sum();
        let threads = rayon::current_num_threads().min(cost / MIN_TASK_SAMPLES).max(1);
        // several tasks per thread where there is enough to do
        let least = (MIN_TASK_SAMPLES * count).div_ceil(cost.max(1)).clamp(1, MAX_TASK_LEAVES);
        let grain = (count / (4 * threads)).clamp(least, MAX_TASK_LEAVES);
        let mut tasks = Vec::new();
        for (batch, leaves) in shares.iter().enumerate() {
            tasks.extend(leaves.chunks(grain).map(|leaves| Task { batch, leaves }));
        }
        // What takes longest comes first, and every thread takes the next task until none
        // is left: nobody waits for one who has a large share to finish.
        tasks.reverse();
        let next = AtomicUsize::new(0);
        let take_tasks = |_| {
            let (mut scratch, mut cached) = (Scratch::new(stores), Scratch::new(Stores::Cached));
            let mut local = ThreadBuffers::default();
            while let Some(task) = tasks.get(next.fetch_add(1, Relaxed)) {
                stop_point();
                job.run(task, &mut scratch, &mut cached, &mut local);
            }
        };
        match threads.min(tasks.len()) {
            // at once, without waking another
            0 | 1 => take_tasks(0),
            threads => (0..threads).into_par_iter().with_max_len(1).for_each(take_tasks),
        }
        Ok(())
    }
}

/// Buffers of a thread.
struct ThreadBuffers<T> {
    nets: Vec<u32>,
    grids: Vec<[u32; 64]>,
    ends: Vec<MissingLayers>,
    // results of leaves that are only a part of their element: [output][leaf][sample][width]
    results: Vec<T>,
}

impl<T> Default for ThreadBuffers<T> {
    fn default() -> Self {
        Self { nets: Vec::new(), grids: Vec::new(), ends: Vec::new(), results: Vec::new() }
    }
}

struct GridEvaluation<'a, 'p, T> {
    kernels: &'a BatchKernels<'p, T>,
    own: &'a [BatchKernel<T>],
    simd: Simd,
    points: &'a [f64],
    width: usize,
    first_element: usize,
    outputs: Vec<DisjointArray<'a, T>>,
}

impl<'j, T: Real> GridEvaluation<'j, '_, T> {
    fn run(
        &self,
        task: &Task<'_>,
        scratch: &mut Scratch<T>,
        cached: &mut Scratch<T>,
        local: &mut ThreadBuffers<T>,
    ) {
        let plan = self.kernels.plan;
        let batch = &plan.batches()[task.batch];
        let order = &plan.patterns().orders[batch.order as usize];
        let samples = plan.samples_per_element();
        self.gather(task, local);
        if order.indices.len() == samples {
            // The leaf is all of its element: results go there at once.
            let place = |output: &DisjointArray<'j, T>, &leaf: &u32| {
                let element = plan.solid().leaves()[leaf as usize].element as usize;
                let len = samples * self.width;
                // SAFETY: every element has one such leaf, and it is in one task.
                unsafe { output.slice((element - self.first_element) * len, len) }
            };
            let mut places: Vec<Vec<&mut [T]>> = self
                .outputs
                .iter()
                .map(|output| task.leaves.iter().map(|leaf| place(output, leaf)).collect())
                .collect();
            let indices = (!order.is_identity).then_some(&order.indices[..]);
            self.kernel(task.batch, batch, indices, scratch, local, &mut places);
            return;
        }
        let len = order.indices.len() * self.width;
        let mut results = std::mem::take(&mut local.results);
        results.resize(self.outputs.len() * task.leaves.len() * len, T::default());
        let mut places: Vec<Vec<&mut [T]>> = results
            .chunks_exact_mut(task.leaves.len() * len)
            .map(|output| output.chunks_exact_mut(len).collect())
            .collect();
        self.kernel(task.batch, batch, None, cached, local, &mut places);
        for (output, places) in self.outputs.iter().zip(&places) {
            for (&leaf, place) in task.leaves.iter().zip(places) {
                let element = plan.solid().leaves()[leaf as usize].element as usize;
                let start = (element - self.first_element) * samples;
                for (&index, value) in order.indices.iter().zip(place.chunks_exact(self.width)) {
                    let at = (start + index as usize) * self.width;
                    // SAFETY: every sample of an element belongs to one leaf.
                    unsafe { output.slice(at, self.width) }.copy_from_slice(value);
                }
            }
        }
        local.results = results;
    }

    fn gather(&self, task: &Task<'_>, local: &mut ThreadBuffers<T>) {
        let solid = self.kernels.plan.solid();
        local.nets.clear();
        local.grids.clear();
        local.ends.clear();
        for &leaf in task.leaves {
            let leaf = &solid.leaves()[leaf as usize];
            let net = solid.net(leaf);
            match leaf.kind {
                LeafKind::Regular(ends) => {
                    let mut grid = [0; 64];
                    grid.copy_from_slice(net);
                    local.grids.push(grid);
                    local.ends.push(ends);
                }
                LeafKind::Layered(_, _, ends) => {
                    local.nets.extend_from_slice(net);
                    local.ends.push(ends);
                }
                LeafKind::Irregular(..) => local.nets.extend_from_slice(net),
            }
        }
    }

    fn kernel<'a>(
        &self,
        index: usize,
        batch: &Batch,
        order: Option<&'a [u32]>,
        scratch: &mut Scratch<T>,
        local: &ThreadBuffers<T>,
        places: &'a mut [Vec<&mut [T]>],
    ) {
        let local_orders = |orders: &Orders| batch.permutation.axes.map(|a| orders[a as usize]);
        let cells = places.iter_mut().map(|cells| &mut cells[..]);
        let outputs = self.kernels.orders.iter().zip(cells);
        match &self.own[index] {
            BatchKernel::Regular(kernel) => {
                let mut outputs: Vec<_> = outputs
                    .map(|(orders, cells)| TensorOutput { orders: *orders, cells })
                    .collect();
                let nets = Nets { ids: &local.grids, ends: &local.ends };
                kernel.evaluate(self.simd, scratch, self.points, nets, &mut outputs);
            }
            BatchKernel::Layered(kernel, planes) => {
                let mut outputs: Vec<_> = outputs
                    .zip(planes)
                    .map(|((orders, cells), &plane)| {
                        let orders = local_orders(orders);
                        let negate = batch.permutation.odd(orders);
                        LayeredOutput { plane, order_c: orders[2], cells, negate }
                    })
                    .collect();
                let nets = Nets { ids: &local.nets, ends: &local.ends };
                kernel.evaluate(self.simd, scratch, self.points, nets, &mut outputs);
            }
            BatchKernel::Irregular => {
                for ((orders, cells), id) in outputs.zip(&batch.tables) {
                    let table = &self.kernels.tables[id];
                    let negate = batch.permutation.odd(local_orders(orders));
                    let output = TableOutput { cells, order, negate };
                    let (points, nets) = (self.points, &local.nets);
                    table.evaluate(self.simd, scratch, points, self.width, nets, output);
                }
            }
        }
    }
}
