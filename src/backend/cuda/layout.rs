//! A plan laid out for the device: flat arrays that the kernels of all batches share.

use std::collections::HashMap;
use std::ops::Range;

use cudarc::driver::DeviceRepr;

use super::bricks::{self, Brick};
use super::device::DeviceInfo;
use super::fragments::fragments;
use super::number::Number;
use super::published::is_published;
use super::stacks;
use crate::backend::cpu::kernel::Axis;
use crate::error::Result;
use crate::limit::{Leaf, LeafKind, Solid};
use crate::plan::{BatchKind, Facts, Kernel, Plan, Strategy, wanted_orders};

/// What a kernel knows of a batch; see `Batch` in `kernels/gather.cuh`.
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

/// How the leaves of a batch go to the tensor kernels.
#[derive(Debug, Default)]
pub(super) struct TensorLeaves {
    /// Leaves of the solid taken one by one, ascending.
    pub singles: Vec<u32>,
    /// First brick, and the least and the greatest element of each.
    pub first_brick: usize,
    pub bricks: Vec<[u32; 2]>,
}

impl TensorLeaves {
    /// Whether an element of the batch is taken by itself.
    pub fn is_single(&self, solid: &Solid, element: u32) -> bool {
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

/// All arrays of a plan on tensor samples.
pub(super) struct Layout<T> {
    /// One a batch of the plan, and the kernel that it takes.
    pub batches: Vec<Batch>,
    pub kernels: Vec<Kernel>,
    /// Ids of the nets, batch after batch. Those of tensor kernels stand in `offsets`
    /// instead if all of them fit: 16 bits each, counted from the base of the head. Those
    /// of layered kernels are `[line][layer]` here.
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
    pub stacks: Vec<Vec<u32>>,
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

impl<T: Number> Layout<T> {
    /// Lays out a plan for the kernels that a strategy takes on a device.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if an axis pattern has too many samples.
    pub fn new(plan: &Plan<'_>, strategy: Strategy, device: &DeviceInfo) -> Result<Self> {
        let solid = plan.solid();
        let per_element = plan.samples_per_element();
        let samples = (per_element as f64).cbrt().round() as usize;
        let mut layout = Self {
            batches: Vec::new(),
            kernels: Vec::new(),
            nets: Vec::new(),
            offsets: Vec::new(),
            heads: Vec::new(),
            brick_nets: Vec::new(),
            brick_offsets: Vec::new(),
            brick_heads: Vec::new(),
            tensor: Vec::new(),
            stacks: Vec::new(),
            elements: Vec::new(),
            ends: Vec::new(),
            tables: Vec::new(),
            fragments: Vec::new(),
            axes: Vec::new(),
            places: Vec::new(),
        };
        let class_leaves = |kind: BatchKind| {
            let class = std::mem::discriminant(&kind);
            let same = plan.batches().iter().filter(|b| std::mem::discriminant(&b.kind) == class);
            same.map(|batch| batch.leaves.len()).sum()
        };
        for batch in plan.batches() {
            let order = &plan.patterns().orders[batch.order as usize];
            layout.kernels.push(
                Facts {
                    strategy,
                    kind: batch.kind,
                    whole: order.indices.len() == per_element,
                    samples,
                    leaves: batch.leaves.len(),
                    class_leaves: class_leaves(batch.kind),
                    double: size_of::<T>() == 8,
                    shared_memory: device.shared_memory,
                    multiprocessors: device.multiprocessors,
                    architecture: device.architecture(),
                }
                .kernel(),
            );
        }
        let compact = layout.nets_fit(plan);
        // of tensor batches: bricks, and leaves taken one by one
        let mut split: Vec<(Vec<Brick>, Vec<u32>)> = plan
            .batches()
            .iter()
            .zip(&layout.kernels)
            .map(|(batch, kernel)| match kernel {
                Kernel::Bricks => bricks::collect(solid, &batch.leaves),
                Kernel::Tensor => (Vec::new(), batch.leaves.clone()),
                _ => Default::default(),
            })
            .collect();
        let compact_bricks = split.iter().flat_map(|(bricks, _)| bricks).all(|b| fits(&b.net));
        let axes = layout.lay_axes(plan)?;
        let mut tables = Tables::default();
        let mut matrix_tables = Tables::default();
        for (index, batch) in plan.batches().iter().enumerate() {
            let kernel = layout.kernels[index];
            let is_tensor = is_tensor(kernel);
            let compact = compact && is_tensor;
            let first_net = if compact { layout.offsets.len() } else { layout.nets.len() };
            let first_leaf =
                if is_tensor { layout.heads.len() } else { layout.elements.len() } as u32;
            let (bricks, singles) = std::mem::take(&mut split[index]);
            for &leaf in &singles {
                layout.lay_tensor_leaf(solid, &solid.leaves()[leaf as usize], compact);
            }
            let first_brick = layout.brick_heads.len();
            let lay = |brick| layout.lay_brick(solid, brick, compact_bricks);
            let bricks = bricks.iter().map(lay).collect();
            layout.tensor.push(TensorLeaves { singles, first_brick, bricks });
            let controls = match batch.kind {
                BatchKind::Regular => 64,
                BatchKind::Layered(s) => solid.planar_structures()[s as usize].controls(),
                BatchKind::Irregular(s) => solid.spatial_structures()[s as usize].controls(),
            };
            let stacks = match kernel {
                Kernel::Layered => stacks::collect(solid, &batch.leaves, controls),
                _ => Vec::new(),
            };
            if !is_tensor {
                let leaves = if stacks.is_empty() { &batch.leaves } else { &stacks };
                for &leaf in leaves {
                    layout.lay_leaf(solid, &solid.leaves()[leaf as usize], kernel);
                }
            }
            layout.stacks.push(stacks);

            let counts = batch.axes.map(|a| plan.patterns().axes[a as usize].parameters.len());
            let indices = &plan.patterns().orders[batch.order as usize].indices;
            let step = |d: usize, stride: usize| match counts[d] {
                1 => 0,
                _ => indices[stride] as i32 - indices[0] as i32,
            };
            let steps = [step(0, 1), step(1, counts[0]), step(2, counts[0] * counts[1])];
            let mut record = Batch {
                first_net: first_net as u64,
                first_leaf,
                controls: controls as u32,
                counts: counts.map(|n| n as u32),
                start: indices[0] as i32,
                steps,
                axes: batch.axes.map(|a| axes[a as usize]),
                ..Batch::default()
            };
            for (output, orders) in wanted_orders(plan.want()).iter().enumerate() {
                let local = batch.turn.axes.map(|a| orders[a as usize]);
                record.orders[output] = (0..3).map(|d| (local[d] as u8) << (2 * d)).sum();
                record.negate |= u32::from(batch.turn.odd(local)) << output;
            }
            if is_published(kernel) {
                layout.batches.push(record);
                continue;
            }
            let is_table = matches!(batch.kind, BatchKind::Irregular(_));
            // whole elements get their tables in the order of the results, layered ones those
            // of one layer
            let sorted = is_table && indices.len() == per_element;
            let order = (sorted || kernel == Kernel::Layered).then_some(batch.order);
            for (output, &id) in batch.tables.iter().enumerate() {
                let table = &plan.tables()[id as usize];
                if kernel.is_matrix_table() {
                    let own = || fragments::<T>(&table.weights, table.samples, &by_result(indices));
                    let order = Some(batch.order);
                    record.tables[output] =
                        matrix_tables.lay(&mut layout.fragments, id, order, own);
                    continue;
                }
                record.tables[output] = tables.lay(&mut layout.tables, id, order, || {
                    let samples = match order {
                        None => (0..table.samples).collect(),
                        Some(_) => by_result(&indices[..table.samples]),
                    };
                    let weights = |row: &[f64]| {
                        samples.iter().map(|&sample| T::of(row[sample])).collect::<Vec<_>>()
                    };
                    table.weights.chunks_exact(table.samples).flat_map(weights).collect()
                });
            }
            if is_table {
                record.places = tables.places(&mut layout.places, batch.order, sorted, indices);
            }
            layout.batches.push(record);
        }
        Ok(layout)
    }

    /// Most control points a line of layered batches has.
    pub fn most_controls(&self, kernel: Kernel) -> u32 {
        let own = self.batches.iter().zip(&self.kernels).filter(|&(_, &k)| k == kernel);
        own.map(|(batch, _)| batch.controls).max().unwrap_or(0)
    }

    /// Whether the nets of all tensor batches fit into 16-bit offsets.
    fn nets_fit(&self, plan: &Plan<'_>) -> bool {
        use rayon::prelude::*;
        let solid = plan.solid();
        let own = plan.batches().iter().zip(&self.kernels).filter(|&(_, &k)| is_tensor(k));
        own.into_iter().all(|(batch, _)| {
            batch.leaves.par_iter().all(|&leaf| fits(solid.net(&solid.leaves()[leaf as usize])))
        })
    }

    fn lay_leaf(&mut self, solid: &Solid, leaf: &Leaf, kernel: Kernel) {
        let net = solid.net(leaf);
        self.elements.push(leaf.element);
        self.ends.push(match leaf.kind {
            LeafKind::Regular(ends) | LeafKind::Layered(_, _, ends) => ends,
            LeafKind::Irregular(..) => 0,
        });
        if matches!(kernel, Kernel::Layered | Kernel::LayeredPart) {
            let lines = net.len() / 4;
            let line = |line: usize| (0..4).map(move |layer| net[layer * lines + line]);
            self.nets.extend((0..lines).flat_map(line));
        } else {
            self.nets.extend_from_slice(net);
        }
    }

    /// Lays a brick; returns its least and greatest element.
    fn lay_brick(&mut self, solid: &Solid, brick: &Brick, compact: bool) -> [u32; 2] {
        let elements = brick.leaves.map(|leaf| solid.leaves()[leaf as usize].element);
        let ends = brick.leaves.map(|leaf| match solid.leaves()[leaf as usize].kind {
            LeafKind::Regular(ends) => u32::from(ends),
            LeafKind::Layered(..) | LeafKind::Irregular(..) => 0,
        });
        let base = if compact { bounds(&brick.net).0 } else { 0 };
        let padded = brick.net.iter().copied().chain([brick.net[0]; 3]);
        match compact {
            true => self.brick_offsets.extend(padded.map(|id| (id - base) as u16)),
            false => self.brick_nets.extend(padded),
        }
        let mut head = [0; 12];
        head[0] = base;
        for (corner, (end, element)) in ends.into_iter().zip(elements).enumerate() {
            head[2 + corner / 4] |= end << (8 * (corner % 4));
            head[4 + corner] = element;
        }
        self.brick_heads.push(head);
        let (least, greatest) = bounds(&elements);
        [least, greatest]
    }

    fn lay_tensor_leaf(&mut self, solid: &Solid, leaf: &Leaf, compact: bool) {
        let net = solid.net(leaf);
        let ends = match leaf.kind {
            LeafKind::Regular(ends) => u32::from(ends),
            _ => 0,
        };
        let base = if compact { bounds(net).0 } else { 0 };
        self.heads.push([base, leaf.element, ends, 0]);
        if compact {
            self.offsets.extend(net.iter().map(|&id| (id - base) as u16));
        } else {
            self.nets.extend_from_slice(net);
        }
    }

    /// Lays the weights of all axis patterns; returns where each begins.
    fn lay_axes(&mut self, plan: &Plan<'_>) -> Result<Vec<u32>> {
        let mut starts = Vec::new();
        for pattern in &plan.patterns().axes {
            let axis = Axis::new(&pattern.parameters)?.sped_up(pattern.factor);
            starts.push(self.axes.len() as u32);
            for order in crate::basis::bspline::Order::ALL {
                self.axes.extend(axis.weights(order).iter().flatten().map(|&w| T::of(w)));
            }
        }
        Ok(starts)
    }
}

/// Which tables and places have been laid.
#[derive(Default)]
struct Tables {
    tables: HashMap<(u32, Option<u32>), u64>,
    places: HashMap<(u32, bool), u64>,
}

impl Tables {
    /// Where a table begins, in the order given; laid now if it is new, so that four numbers
    /// can be read at once.
    fn lay<T: Copy + Default>(
        &mut self,
        all: &mut Vec<T>,
        id: u32,
        order: Option<u32>,
        weights: impl FnOnce() -> Vec<T>,
    ) -> u64 {
        *self.tables.entry((id, order)).or_insert_with(|| {
            all.resize(all.len().next_multiple_of(4), T::default());
            let start = all.len() as u64;
            all.extend(weights());
            start
        })
    }

    fn places(
        &mut self,
        all: &mut Vec<[u32; 2]>,
        order: u32,
        sorted: bool,
        indices: &[u32],
    ) -> u64 {
        *self.places.entry((order, sorted)).or_insert_with(|| {
            let start = all.len() as u64;
            if sorted {
                all.extend((0..indices.len() as u32).map(|i| [i, i]));
            } else {
                let mut places: Vec<[u32; 2]> =
                    indices.iter().enumerate().map(|(i, &result)| [i as u32, result]).collect();
                places.sort_unstable_by_key(|place| place[1]);
                all.extend(places);
            }
            start
        })
    }
}

/// Local samples in the order of their results.
fn by_result(indices: &[u32]) -> Vec<usize> {
    let mut samples: Vec<usize> = (0..indices.len()).collect();
    samples.sort_unstable_by_key(|&sample| indices[sample]);
    samples
}

fn is_tensor(kernel: Kernel) -> bool {
    matches!(kernel, Kernel::Tensor | Kernel::Bricks)
}

/// Whether a net fits into 16-bit offsets.
fn fits(net: &[u32]) -> bool {
    let (low, high) = bounds(net);
    high - low <= u32::from(u16::MAX)
}

fn bounds(net: &[u32]) -> (u32, u32) {
    net.iter().fold((u32::MAX, 0), |(low, high), &id| (low.min(id), high.max(id)))
}
