//! Tensor samples on the device: the plan's arrays, and the launches of an evaluation.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::bricks;
use super::device::failed;
use super::functions::{Function, Functions, Shape};
use super::launch::{Argument, Job, Launch, Pass};
use super::layout::{Batch, Layout};
use super::memory::Buffer;
use super::number::Number;
use super::published::{self, Published};
use super::sources::{BRICKS, LAYERED, PARTS, TABLE, TENSOR, Variant};
use super::work::{Item, TensorRun, Tile, Work};
use crate::error::Result;
use crate::plan::{Kernel, Plan, Samples, Strategy, Want};

/// The arrays of a plan on the device.
pub(super) struct Grid<T> {
    functions: Arc<Functions>,
    layout: Layout<T>,
    published: Published<T>,
    samples: usize,
    batches: Buffer<Batch>,
    nets: Buffer<u32>,
    offsets: Buffer<u16>,
    heads: Buffer<[u32; 4]>,
    brick_nets: Buffer<u32>,
    brick_offsets: Buffer<u16>,
    brick_heads: Buffer<[u32; 12]>,
    elements: Buffer<u32>,
    ends: Buffer<u8>,
    tables: Buffer<T>,
    axes: Buffer<T>,
    places: Buffer<[u32; 2]>,
}

/// Work with its items on the device.
pub(super) struct Prepared {
    tensor: Vec<TensorRun>,
    elements: u32,
    items: BTreeMap<Kernel, Buffer<Item>>,
    published: published::Prepared,
}

impl<T: Number> Grid<T> {
    /// Brings a plan to the device.
    pub fn new(
        functions: Arc<Functions>,
        plan: &Plan<'_>,
        strategy: Strategy,
        stream: &Arc<CudaStream>,
    ) -> Result<Self> {
        let layout = Layout::<T>::new(plan, strategy, &functions.device().info)?;
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
            axes: Buffer::of(stream, &layout.axes)?,
            places: Buffer::of(stream, &layout.places)?,
            published: Published::new(plan, &layout, stream)?,
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
    ) -> Result<Prepared> {
        let published = self.published.prepare(plan, &range, stream)?;
        let warps = 16 * self.functions.device().info.multiprocessors;
        let tiles = [self.tile(Kernel::WideTable)?, self.tile(Kernel::NarrowTable)?];
        let tile = |kernel| tiles[usize::from(kernel == Kernel::NarrowTable)];
        let work = Work::new(plan, &self.layout, &range, warps, tile);
        let items = work.items.iter();
        let items = items
            .map(|(&kernel, items)| Ok((kernel, Buffer::of(stream, items)?)))
            .collect::<Result<_>>()?;
        Ok(Prepared { tensor: work.tensor, elements: range.len() as u32, items, published })
    }

    /// The launches of one pass that all of [`Grid::launches`] wait for.
    pub fn clearing(&self, work: &Prepared, pass: Pass, job: Job) -> Result<Option<Launch>> {
        self.published.clearing(&self.functions, &work.published, pass, job)
    }

    fn tile(&self, kernel: Kernel) -> Result<Tile> {
        if !self.layout.kernels.contains(&kernel) {
            return Ok(Tile { leaves: 1, samples: 1 });
        }
        let pass = Pass { width: 3, strided: false, want: Want::POSITION };
        let function = self.functions.get(&self.table_variant(pass, kernel), "table")?;
        Ok(Tile {
            leaves: function.constant("table_cells")?,
            samples: function.constant("table_samples")?,
        })
    }

    fn table_variant(&self, pass: Pass, kernel: Kernel) -> Variant {
        let cells = if kernel == Kernel::WideTable { 2 } else { 1 };
        pass.variant::<T>(&TABLE).with("CELLS", cells)
    }

    /// The launches of one pass.
    pub fn launches(&self, work: &Prepared, pass: Pass, job: Job) -> Result<Vec<Launch>> {
        let (functions, leaves) = (&self.functions, self.leaves());
        let mut launches =
            self.published.launches(functions, leaves, &work.published, pass, job)?;
        for &run in &work.tensor {
            launches.push(self.tensor(pass, job, run, work.elements)?);
        }
        for (&kernel, items) in &work.items {
            launches.push(match kernel {
                Kernel::WideTable | Kernel::NarrowTable => self.table(kernel, pass, job, items)?,
                _ => self.warps(kernel, pass, job, items)?,
            });
        }
        Ok(launches)
    }

    fn tensor(&self, pass: Pass, job: Job, run: TensorRun, elements: u32) -> Result<Launch> {
        let batch = &self.layout.batches[run.batch];
        let at_once = run.bricks && bricks::AT_ONCE.contains(&self.samples);
        let source = if at_once { &BRICKS } else { &TENSOR };
        let variant = pass.variant::<T>(source).with("SAMPLES", self.samples);
        let compact = match run.bricks {
            true => !self.layout.brick_offsets.is_empty(),
            false => !self.layout.offsets.is_empty(),
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
            let nets = match compact {
                true => self.brick_offsets.address(net),
                false => self.brick_nets.address(net),
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
        let kernel = if run.bricks { Kernel::Bricks } else { Kernel::Tensor };
        Ok(Launch {
            name: kernel.to_string(),
            function,
            shape,
            arguments: vec![
                Argument::Job(Box::new(job)),
                Argument::Leaves(Box::new(leaves)),
                Argument::Words(T::words(weights)),
                Argument::Number(run.first),
                Argument::Number(run.count),
                Argument::Number(elements),
            ],
        })
    }

    /// Kernels whose warps each take one item after another.
    fn warps(&self, kernel: Kernel, pass: Pass, job: Job, items: &Buffer<Item>) -> Result<Launch> {
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
                let function = self.functions.get(&pass.variant::<T>(&PARTS), "layered_part")?;
                let shared = controls * function.constant("layered_part_shared_control")?;
                (function, shared)
            }
            _ => {
                let function = self.functions.get(&pass.variant::<T>(&PARTS), "regular_part")?;
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
        Ok(Launch { name: kernel.to_string(), function, shape, arguments })
    }

    fn table(&self, kernel: Kernel, pass: Pass, job: Job, items: &Buffer<Item>) -> Result<Launch> {
        let function = self.functions.get(&self.table_variant(pass, kernel), "table")?;
        let controls = self.layout.most_controls(kernel);
        let own = function.constant("table_shared")?;
        let shared = own + controls * function.constant("table_shared_control")?;
        function.occupancy(128, shared)?;
        let shape = Shape { blocks: items.len() as u32, threads: 128, shared };
        let arguments = vec![
            Argument::Job(Box::new(job)),
            Argument::Leaves(Box::new(self.leaves())),
            Argument::Address(self.batches.address(0)),
            Argument::Address(items.address(0)),
            Argument::Address(self.tables.address(0)),
            Argument::Address(self.places.address(0)),
        ];
        Ok(Launch { name: kernel.to_string(), function, shape, arguments })
    }

    fn leaves(&self) -> [u64; 4] {
        [self.nets.address(0), 0, self.elements.address(0), self.ends.address(0)]
    }

    /// As many blocks as the device holds, or as there is work for.
    fn shape(&self, function: &Function, shared: u32, most: u32, threads: u32) -> Result<Shape> {
        let multiprocessors = self.functions.device().info.multiprocessors;
        let blocks = (multiprocessors * function.occupancy(threads, shared)?).min(most);
        Ok(Shape { blocks, threads, shared })
    }

    /// The plan as it was laid out.
    pub fn layout(&self) -> &Layout<T> {
        &self.layout
    }
}
