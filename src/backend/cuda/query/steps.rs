//! Launches put on a stream one after another, with room for sorts and scans.

use std::sync::Arc;

use cudarc::driver::{CudaEvent, CudaStream};

use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::{Buffer, seconds_since};
pub(in crate::backend::cuda) use crate::backend::cuda::driver::constants::QUERY_THREADS as THREADS;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{KernelSource, Variant};
use crate::backend::cuda::sort::{Items, Space};
use crate::error::Result;

/// A stream, and what sorts and scans on it need.
pub(in crate::backend::cuda) struct SortStream {
    pub functions: Arc<Functions>,
    pub stream: Arc<CudaStream>,
    space: Option<(usize, Space)>,
}

/// The variant of a kernel file of queries.
pub(super) fn variant(source: &'static KernelSource) -> Variant {
    Variant::new(source, Precision::F64)
}

pub(in crate::backend::cuda) fn number(n: usize) -> Argument {
    Argument::Number(n as u32)
}

pub(in crate::backend::cuda) fn array<T: Copy + Default + cudarc::driver::DeviceRepr>(
    buffer: &Buffer<T>,
) -> Argument {
    Argument::Address(buffer.address(0))
}

impl SortStream {
    pub fn new(gpu: &Cuda) -> Result<Self> {
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        Ok(Self { functions, stream, space: None })
    }

    pub fn empty<T: Copy + Default + cudarc::driver::DeviceRepr>(
        &self,
        len: usize,
    ) -> Result<Buffer<T>> {
        Buffer::empty(&self.stream, len)
    }

    pub fn of<T: Copy + Default + cudarc::driver::DeviceRepr>(
        &self,
        values: &[T],
    ) -> Result<Buffer<T>> {
        Buffer::of(&self.stream, values)
    }

    /// Launches a thread for each of `items`.
    pub fn each(
        &self,
        source: &'static KernelSource,
        name: &'static str,
        items: usize,
        arguments: Vec<Argument>,
    ) -> Result<()> {
        let kernels = Kernels::new(&self.functions, variant(source));
        self.enqueue(&[kernels.items(name, items, THREADS, arguments)?])
    }

    /// Launches `blocks` blocks.
    pub fn blocks(
        &self,
        source: &'static KernelSource,
        name: &'static str,
        blocks: u32,
        arguments: Vec<Argument>,
    ) -> Result<()> {
        let kernels = Kernels::new(&self.functions, variant(source));
        self.enqueue(&[kernels.blocks(name, blocks, THREADS, arguments)?])
    }

    /// Seconds since an event, on the device; waits for the stream.
    pub fn seconds_since(&self, start: &CudaEvent) -> Result<f64> {
        seconds_since(start, &self.stream)
    }

    /// Waits until all that was launched has ended.
    pub fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(failed("the kernels failed"))
    }

    /// Puts launches on the stream.
    pub fn enqueue(&self, launches: &[Launch]) -> Result<()> {
        let broken = failed("the kernels cannot be launched");
        // SAFETY: the callers of this module give arrays as long as the kernels take them to be;
        // memory that they free meanwhile is freed on the same stream, behind the launch.
        launches
            .iter()
            .try_for_each(|launch| unsafe { launch.enqueue(&self.stream) })
            .map_err(broken)
    }

    /// Puts a launch on the stream whose blocks wait for one another.
    pub fn enqueue_cooperative(&self, launch: &Launch) -> Result<()> {
        // SAFETY: as in `enqueue`.
        unsafe { launch.enqueue_cooperative(&self.stream) }
            .map_err(failed("the kernels cannot be launched"))
    }

    fn space(&mut self, items: usize) -> Result<&Space> {
        if self.space.as_ref().is_none_or(|(room, _)| *room < items) {
            self.space = None;
            self.space = Some((items, Space::new(&self.stream, items)?));
        }
        // just made, if it was not there
        self.space
            .as_ref()
            .map(|(_, space)| space)
            .ok_or_else(|| crate::error::Error::request("no room for a sort on the device"))
    }

    /// Sorts `count` items by the lowest `bits` of their keys, stably; see [`Space::sort`]. What
    /// comes back holds until the next sort.
    pub fn sort(&mut self, items: Items, count: usize, bits: u32) -> Result<Items> {
        let functions = self.functions.clone();
        let mut launches = Vec::new();
        let sorted = self.space(count)?.sort(&functions, &mut launches, items, count, bits)?;
        self.enqueue(&launches)?;
        Ok(sorted)
    }

    /// Turns `count` numbers into the sums before each, and the sum of all behind them.
    pub fn scan(&mut self, numbers: &Buffer<u32>, count: usize) -> Result<()> {
        let functions = self.functions.clone();
        let (mut launches, at) = (Vec::new(), numbers.address(0));
        self.space(count)?.scan(&functions, &mut launches, at, count, at)?;
        self.enqueue(&launches)
    }
}

/// Bits of the numbers below `count`.
pub(super) fn bits(count: usize) -> u32 {
    (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1)
}
