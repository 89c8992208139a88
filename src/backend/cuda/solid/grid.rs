//! Tensor samples on the device: the plan's arrays, and the launches of an evaluation.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::bricks;
use super::launch_kind::{EvaluationLaunch, LaunchKind};
use super::layout::{BatchRecord, PlanLayout};
use super::published::{self, PublishedArrays};
use super::work::{GridWork, Item, TableTile, TensorRun};
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::{Function, Functions, LaunchShape};
use crate::backend::cuda::driver::launch::{Argument, Launch, LaunchJob, Pass};
use crate::backend::cuda::driver::sources::{BRICKS, LAYERED, PARTIAL, TABLE, TABLE_MMA, TENSOR};
use crate::error::Result;
use crate::numbers::Real;
use crate::plan::{Kernel, Plan, Samples, Strategy, Want};
use cudarc::driver::DeviceRepr;

/// The arrays of a plan on the device.
pub(super) struct Grid<T> {
    functions: Arc<Functions>,
    layout: PlanLayout<T>,
    published: PublishedArrays<T>,
    samples: usize,
    batches: Buffer<BatchRecord>,
    nets: Buffer<u32>,
    offsets: Buffer<u16>,
    heads: Buffer<[u32; 4]>,
    brick_nets: Buffer<u32>,
    brick_offsets: Buffer<u16>,
    brick_heads: Buffer<[u32; 12]>,
    elements: Buffer<u32>,
    ends: Buffer<u8>,
    tables: Buffer<T>,
    fragments: Buffer<[u32; 4]>,
    axes: Buffer<T>,
    places: Buffer<[u32; 2]>,
}

/// Work with its items on the device.
pub(super) struct PreparedGrid {
    tensor: Vec<TensorRun>,
    elements: u32,
    items: BTreeMap<Kernel, Buffer<Item>>,
    published: published::PublishedBlocks,
}

impl<T: Real + DeviceRepr> Grid<T> {
    /// Brings a plan to the device.
    pub fn new(
        functions: Arc<Functions>,
        plan: &Plan<'_>,
        strategy: Strategy,
        stream: &Arc<CudaStream>,
    ) -> Result<Self> {
        let layout = PlanLayout::<T>::new(plan, strategy, &functions.device().info)?;
        let samples = match plan.samples() {
            Samples::Tensor(parameters) => parameters.len(),
            Samples::Points(_) => 0,
        };
        let grid = Self {
            batches: Buffer::of(stream, &layout.batches)?,
            nets: Buffer::of(stream, &layout.nets)?,
            offsets: Buffer::of(stream, &layout.offsets)?,
            heads: Buffer::of(stream, &layout.heads)?,
            brick_nets: Buffer::of(stream, &layout.brick_nets)?,
            brick_offsets: Buffer::of(stream, &layout.brick_offsets)?,
            brick_heads: Buffer::of(stream, &layout.brick_heads)?,
            elements: Buffer::of(stream, &layout.elements)?,
            ends: Buffer::of(stream, &layout.ends)?,
            tables: Buffer::of(stream, &layout.tables)?,
            fragments: Buffer::of(stream, &layout.fragments)?,
            axes: Buffer::of(stream, &layout.axes)?,
            places: Buffer::of(stream, &layout.places)?,
            published: PublishedArrays::new(plan, &layout, stream)?,
            functions,
            layout,
            samples,
        };
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(grid)
    }

    /// The work of a range of elements, with its items on the device.
    pub fn prepare(
        &self,
        plan: &Plan<'_>,
        range: Range<usize>,
        stream: &Arc<CudaStream>,
    ) -> Result<PreparedGrid> {
        let published = self.published.prepare(plan, &range, stream)?;
        let warps = 16 * self.functions.device().info.multiprocessors;
        let tables = self.layout.kernels.iter().filter(|kernel| kernel.is_table());
        let tiles = tables
            .map(|&kernel| Ok((kernel, self.tile(kernel)?)))
            .collect::<Result<BTreeMap<_, _>>>()?;
        let tile = |kernel| tiles[&kernel];
        let work = GridWork::new(plan, &self.layout, &range, warps, tile);
        let items = work.items.iter();
        let items = items
            .map(|(&kernel, items)| Ok((kernel, Buffer::of(stream, items)?)))
            .collect::<Result<_>>()?;
        Ok(PreparedGrid { tensor: work.tensor, elements: range.len() as u32, items, published })
    }

    /// The launches of one pass that all of [`Grid::launches`] wait for.
    pub fn clearing(
        &self,
        work: &PreparedGrid,
        pass: Pass,
        job: LaunchJob,
    ) -> Result<Option<Launch>> {
        self.published.clearing(&self.functions, &work.published, pass, job)
    }

    fn tile(&self, kernel: Kernel) -> Result<TableTile> {
        let pass = Pass { width: 3, strided: false, want: Want::POSITION };
        let function = self.table_function(pass, kernel)?;
        let (shared, threads) = self.table_block(kernel, &function)?;
        let multiprocessors = self.functions.device().info.multiprocessors;
        Ok(TableTile {
            leaves: function.constant("table_cells")?,
            samples: function.constant("table_samples")?,
            blocks: multiprocessors * function.occupancy(threads, shared)?,
        })
    }

    /// Shared memory and threads of a block.
    fn table_block(&self, kernel: Kernel, function: &Function) -> Result<(u32, u32)> {
        // tensor cores take control points several at a time
        let at_once = if kernel.is_matrix_table() { function.constant("table_depth")? } else { 1 };
        let controls = self.layout.most_controls(kernel).next_multiple_of(at_once);
        let own = function.constant("table_shared")?;
        let shared = own + controls * function.constant("table_shared_control")?;
        Ok((shared, function.constant("table_threads")?))
    }

    fn table_function(&self, pass: Pass, kernel: Kernel) -> Result<Arc<Function>> {
        let plain = |cells| pass.variant::<T>(&TABLE).with("CELLS", cells);
        let matrix = |tile| pass.variant::<T>(&TABLE_MMA).with("TILE", tile);
        let (variant, name) = match kernel {
            Kernel::WideTable => (plain(2), "table"),
            Kernel::LongMatrixTable => (matrix(1), "table_mma"),
            Kernel::WideMatrixTable => (matrix(2), "table_mma"),
            Kernel::NarrowMatrixTable => (matrix(0), "table_mma"),
            _ => (plain(1), "table"),
        };
        self.functions.get(&variant, name)
    }

    /// The launches of one pass, which wait for `stream` and that for them.
    pub fn launches(
        &self,
        work: &PreparedGrid,
        pass: Pass,
        job: LaunchJob,
        stream: &Arc<CudaStream>,
    ) -> Result<Vec<EvaluationLaunch>> {
        let (functions, leaves) = (&self.functions, self.leaves());
        let mut launches =
            self.published.launches(functions, leaves, &work.published, pass, job)?;
        let beside = work.tensor.iter().any(|run| !run.bricks);
        for &run in &work.tensor {
            let mut launch = self.tensor(pass, job, run, work.elements, Argument::own(stream)?)?;
            if beside && self.evaluates_at_once(run) {
                // leaves taken one by one find room for a block on each multiprocessor; with more
                // samples, results are in the way of both, not warps
                let multiprocessors = self.functions.device().info.multiprocessors;
                let blocks = &mut launch.launch.shape.blocks;
                *blocks = blocks.saturating_sub(multiprocessors).max(multiprocessors.min(*blocks));
            }
            launches.push(launch);
        }
        for (&kernel, items) in &work.items {
            launches.push(match kernel {
                kernel if kernel.is_table() => self.table(kernel, pass, job, items)?,
                _ => self.warps(kernel, pass, job, items, Argument::own(stream)?)?,
            });
        }
        Ok(launches)
    }

    /// Whether bricks are evaluated as wholes, not element by element.
    fn evaluates_at_once(&self, run: TensorRun) -> bool {
        run.bricks && bricks::BRICK_SAMPLES.contains(&self.samples)
    }

    fn tensor(
        &self,
        pass: Pass,
        job: LaunchJob,
        run: TensorRun,
        elements: u32,
        asked: Argument,
    ) -> Result<EvaluationLaunch> {
        let batch = &self.layout.batches[run.batch];
        let source = if self.evaluates_at_once(run) { &BRICKS } else { &TENSOR };
        let variant = pass.variant::<T>(source).with("SAMPLES", self.samples);
        let compact = if run.bricks {
            !self.layout.brick_offsets.is_empty()
        } else {
            !self.layout.offsets.is_empty()
        };
        let (name, shared) = match (run.bricks, compact) {
            (false, true) => ("tensor_compact", "tensor_compact_shared"),
            (false, false) => ("tensor_wide", "tensor_wide_shared"),
            (true, true) => ("bricks_compact", "bricks_compact_shared"),
            (true, false) => ("bricks_wide", "bricks_wide_shared"),
        };
        let function = self.functions.get(&variant, name)?;
        let leaves = if run.bricks {
            let first = self.layout.tensor[run.batch].first_brick;
            let net = 128 * first;
            let nets = if compact {
                self.brick_offsets.address(net)
            } else {
                self.brick_nets.address(net)
            };
            [nets, self.brick_heads.address(first), 0, 0]
        } else {
            let net = batch.first_net as usize;
            let nets = if compact { self.offsets.address(net) } else { self.nets.address(net) };
            [nets, self.heads.address(batch.first_leaf as usize), 0, 0]
        };
        let shared = function.constant(shared)?;
        // [order][sample][4] of the orders that occur; all three axes are alike
        let orders = match (pass.want.contains(Want::FIRST), pass.want.contains(Want::SECOND)) {
            (_, true) => 3,
            (true, _) => 2,
            _ => 1,
        };
        let start = batch.axes[0] as usize;
        let weights = &self.layout.axes[start..start + orders * self.samples * 4];
        let shape = self.shape(&function, shared, run.count.div_ceil(4), 128)?;
        let arguments = vec![
            Argument::Job(Box::new(job)),
            Argument::Leaves(Box::new(leaves)),
            Argument::Words(words(weights)),
            Argument::Number(run.first),
            Argument::Number(run.count),
            Argument::Number(elements),
            asked,
        ];
        let kind = LaunchKind::Tensor { batch: run.batch, bricks: run.bricks };
        Ok(EvaluationLaunch::new(kind, function, shape, arguments))
    }

    /// Kernels whose warps each take one item after another.
    fn warps(
        &self,
        kernel: Kernel,
        pass: Pass,
        job: LaunchJob,
        items: &Buffer<Item>,
        asked: Argument,
    ) -> Result<EvaluationLaunch> {
        let controls = self.layout.most_controls(kernel);
        let (function, shared) = match kernel {
            Kernel::Layered => {
                let variant = pass.variant::<T>(&LAYERED).with("SAMPLES", self.samples);
                let function = self.functions.get(&variant, "layered")?;
                let own = function.constant("layered_shared")?;
                let shared = own + controls * function.constant("layered_shared_control")?;
                (function, shared)
            }
            Kernel::LayeredPart => {
                let function = self.functions.get(&pass.variant::<T>(&PARTIAL), "layered_part")?;
                let shared = controls * function.constant("layered_part_shared_control")?;
                (function, shared)
            }
            _ => {
                let function = self.functions.get(&pass.variant::<T>(&PARTIAL), "regular_part")?;
                let shared = function.constant("regular_part_shared")?;
                (function, shared)
            }
        };
        let shape = self.shape(&function, shared, (items.len() as u32).div_ceil(4), 128)?;
        let mut arguments = vec![
            Argument::Job(Box::new(job)),
            Argument::Leaves(Box::new(self.leaves())),
            Argument::Address(self.batches.address(0)),
            Argument::Address(items.address(0)),
            Argument::Number(items.len() as u32),
        ];
        if kernel != Kernel::RegularPart {
            arguments.push(Argument::Address(self.tables.address(0)));
        }
        arguments.push(Argument::Address(self.axes.address(0)));
        if kernel != Kernel::RegularPart {
            arguments.push(Argument::Number(controls));
        }
        if kernel == Kernel::Layered {
            arguments.push(asked);
        }
        Ok(EvaluationLaunch::new(LaunchKind::Batches(kernel), function, shape, arguments))
    }

    fn table(
        &self,
        kernel: Kernel,
        pass: Pass,
        job: LaunchJob,
        items: &Buffer<Item>,
    ) -> Result<EvaluationLaunch> {
        let function = self.table_function(pass, kernel)?;
        let (shared, threads) = self.table_block(kernel, &function)?;
        function.occupancy(threads, shared)?;
        let shape = LaunchShape { blocks: items.len() as u32, threads, shared };
        let tables = if kernel.is_matrix_table() {
            self.fragments.address(0)
        } else {
            self.tables.address(0)
        };
        let arguments = vec![
            Argument::Job(Box::new(job)),
            Argument::Leaves(Box::new(self.leaves())),
            Argument::Address(self.batches.address(0)),
            Argument::Address(items.address(0)),
            Argument::Address(tables),
            Argument::Address(self.places.address(0)),
        ];
        Ok(EvaluationLaunch::new(LaunchKind::Batches(kernel), function, shape, arguments))
    }

    fn leaves(&self) -> [u64; 4] {
        [self.nets.address(0), 0, self.elements.address(0), self.ends.address(0)]
    }

    /// As many blocks as the device holds, or as there is work for.
    fn shape(
        &self,
        function: &Function,
        shared: u32,
        most: u32,
        threads: u32,
    ) -> Result<LaunchShape> {
        let multiprocessors = self.functions.device().info.multiprocessors;
        let blocks = (multiprocessors * function.occupancy(threads, shared)?).min(most);
        Ok(LaunchShape { blocks, threads, shared })
    }

    /// The plan as it was laid out.
    pub fn layout(&self) -> &PlanLayout<T> {
        &self.layout
    }
}

/// The bytes of the numbers, aligned to 8 and padded with zeros.
fn words<T: Real>(values: &[T]) -> Box<[u64]> {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_ne_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}
