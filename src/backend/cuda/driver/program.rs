//! Launches that run again and again: one CUDA graph.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DriverError};

use super::buffer::{seconds_since, timed_event};
use super::device::failed;
use super::functions::{Function, Functions, LaunchShape};
use super::graph::Graph;
use super::launch::{Argument, Launch};
use super::sources::Variant;
use crate::error::Result;

/// Launches in their order, recorded by the first run.
#[derive(Default)]
pub(in crate::backend::cuda) struct Program {
    launches: Vec<Launch>,
    graph: Option<Graph>,
}

impl Program {
    pub fn new(launches: Vec<Launch>) -> Self {
        Self { launches, graph: None }
    }

    /// Runs all launches; returns the seconds that they took on the device.
    ///
    /// # Safety
    /// Every array in the arguments holds, and is as large as the kernels take it to be.
    pub unsafe fn run(&mut self, stream: &Arc<CudaStream>) -> Result<f64> {
        self.record(stream)?;
        let start = timed_event(stream)?;
        // SAFETY: by the caller.
        unsafe { self.enqueue(stream) }?;
        seconds_since(&start, stream)
    }

    /// Puts all launches on the stream.
    ///
    /// # Safety
    /// As [`Program::run`], until they have run.
    pub unsafe fn enqueue(&mut self, stream: &Arc<CudaStream>) -> Result<()> {
        self.record(stream)?;
        let launched = match &self.graph {
            Some(graph) => graph.launch(),
            // SAFETY: by the caller.
            None => unsafe { self.launch_each(stream) },
        };
        launched.map_err(failed("the kernels cannot be launched"))
    }

    fn record(&mut self, stream: &Arc<CudaStream>) -> Result<()> {
        if self.graph.is_none() {
            // SAFETY: nothing runs yet.
            let found = Graph::capture(stream, || unsafe { self.launch_each(stream) });
            self.graph = found.map_err(failed("the kernels cannot be launched"))?;
        }
        Ok(())
    }

    /// # Safety
    /// As [`Program::enqueue`].
    unsafe fn launch_each(&self, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
        // SAFETY: by the caller.
        self.launches.iter().try_for_each(|launch| unsafe { launch.enqueue(stream) })
    }
}

/// Runs launches once; returns the seconds that they took on the device.
///
/// # Safety
/// As [`Program::run`].
pub(in crate::backend::cuda) unsafe fn run_once(
    launches: &[Launch],
    stream: &CudaStream,
) -> Result<f64> {
    let start = timed_event(stream)?;
    for launch in launches {
        // SAFETY: by the caller.
        unsafe { launch.enqueue(stream) }.map_err(failed("a kernel cannot be launched"))?;
    }
    seconds_since(&start, stream)
}

/// Makes the launches of one variant of a kernel file.
pub(in crate::backend::cuda) struct Kernels<'a> {
    functions: &'a Functions,
    variant: Variant,
}

impl<'a> Kernels<'a> {
    pub fn new(functions: &'a Functions, variant: Variant) -> Self {
        Self { functions, variant }
    }

    /// The kernel of this name.
    pub fn get(&self, name: &'static str) -> Result<Arc<Function>> {
        self.functions.get(&self.variant, name)
    }

    /// A launch of any shape.
    pub fn launch(
        &self,
        name: &'static str,
        shape: LaunchShape,
        arguments: Vec<Argument>,
    ) -> Result<Launch> {
        Ok(Launch { name: name.into(), function: self.get(name)?, shape, arguments })
    }

    /// A launch of `blocks` blocks.
    pub fn blocks(
        &self,
        name: &'static str,
        blocks: u32,
        threads: u32,
        arguments: Vec<Argument>,
    ) -> Result<Launch> {
        self.launch(name, LaunchShape { blocks, threads, shared: 0 }, arguments)
    }

    /// As many blocks as the device holds at once, at most `most` a multiprocessor.
    pub fn resident_blocks(&self, name: &'static str, threads: u32, most: u32) -> Result<u32> {
        let held = self.get(name)?.occupancy(threads, 0)?;
        Ok(held.min(most) * self.functions.device().info.multiprocessors)
    }

    /// A launch of a thread an item.
    pub fn items(
        &self,
        name: &'static str,
        items: usize,
        threads: u32,
        arguments: Vec<Argument>,
    ) -> Result<Launch> {
        self.blocks(name, (items as u64).div_ceil(threads.into()) as u32, threads, arguments)
    }
}
