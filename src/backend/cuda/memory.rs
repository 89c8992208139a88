//! Arrays on the device, and copies of results to the host.

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, DeviceRepr, PinnedHostSlice,
    ValidAsZeroBits, result, sys,
};
use rayon::prelude::*;

use super::device::failed;
use crate::error::Result;

/// Numbers of a block of a copy to the host: large enough for the bus, small enough that
/// moving one block on hides behind the next one's copy.
const BLOCK: usize = 8 << 20;

/// Blocks under way at once.
const BLOCKS: usize = 4;

/// An array on the device.
#[derive(Debug)]
pub(super) struct Buffer<T> {
    slice: CudaSlice<T>,
    len: usize,
}

impl<T: DeviceRepr + Default + Copy> Buffer<T> {
    /// An array of `len` numbers of unspecified value.
    pub fn empty(stream: &Arc<CudaStream>, len: usize) -> Result<Self> {
        // SAFETY: every array is written before it is read.
        let slice = unsafe { stream.alloc(len.max(1)) };
        Ok(Self { slice: slice.map_err(failed("the memory of the device is too small"))?, len })
    }

    /// A copy of `values`.
    pub fn of(stream: &Arc<CudaStream>, values: &[T]) -> Result<Self> {
        let mut buffer = Self::empty(stream, values.len())?;
        buffer.fill(stream, values)?;
        Ok(buffer)
    }

    /// Copies `values` to the front of the array, which must be as long.
    pub fn fill(&mut self, stream: &Arc<CudaStream>, values: &[T]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        let mut front = self.slice.slice_mut(..values.len());
        stream.memcpy_htod(values, &mut front).map_err(failed("a copy to the device failed"))
    }

    /// Copies another array to the front of this one.
    pub fn copy_from(&mut self, stream: &Arc<CudaStream>, other: &Self) -> Result<()> {
        let mut front = self.slice.slice_mut(..other.len);
        let from = other.slice.slice(..other.len);
        stream.memcpy_dtod(&from, &mut front).map_err(failed("a copy on the device failed"))
    }

    /// The array, copied to the host.
    pub fn read(&self, stream: &Arc<CudaStream>) -> Result<Vec<T>> {
        let values = stream.clone_dtoh(&self.slice.slice(..self.len));
        let values = values.map_err(failed("a copy from the device failed"))?;
        stream.synchronize().map_err(failed("the evaluation failed"))?;
        Ok(values)
    }

    /// Address of number `at`.
    pub fn address(&self, at: usize) -> u64 {
        let stream = self.slice.stream();
        self.slice.device_ptr(stream).0 + (at * size_of::<T>()) as u64
    }

    /// Number of numbers.
    pub fn len(&self) -> usize {
        self.len
    }
}

impl<T: DeviceRepr + Default + Copy + ValidAsZeroBits> Buffer<T> {
    /// An array of `len` zeros.
    pub fn zeros(stream: &Arc<CudaStream>, len: usize) -> Result<Self> {
        let mut buffer = Self::empty(stream, len)?;
        let zeroed = stream.memset_zeros(&mut buffer.slice);
        zeroed.map_err(failed("memory of the device cannot be cleared"))?;
        Ok(buffer)
    }

    /// Makes all numbers zero again.
    pub fn clear(&mut self, stream: &Arc<CudaStream>) -> Result<()> {
        let zeroed = stream.memset_zeros(&mut self.slice);
        zeroed.map_err(failed("memory of the device cannot be cleared"))
    }
}

/// Memory of the host that the device copies to without help.
pub(super) struct PageLocked(PinnedHostSlice<u8>);

impl PageLocked {
    /// So many bytes.
    pub fn new(context: &Arc<CudaContext>, bytes: usize) -> Result<Self> {
        // SAFETY: memory is read only where a copy has written it.
        let slice = unsafe { context.alloc_pinned_with_flags(bytes, 0) };
        Ok(Self(slice.map_err(failed("page-locked memory is refused"))?))
    }

    /// Starts a copy of `bytes` at the device's address `from` to the front of the memory,
    /// which must be free and as long.
    pub fn copy(&mut self, from: u64, bytes: usize, stream: &CudaStream) -> Result<()> {
        let mut start = || {
            let start = self.0.as_mut_ptr()?;
            // SAFETY: the memory is as long, and nothing else uses it.
            unsafe {
                let memory = std::slice::from_raw_parts_mut(start, bytes);
                result::memcpy_dtoh_async(memory, from, stream.cu_stream())
            }
        };
        start().map_err(failed("a copy from the device failed"))
    }

    /// The bytes that the last copy brought.
    pub fn bytes(&self) -> Result<&[u8]> {
        self.0.as_slice().map_err(failed("a copy from the device failed"))
    }
}

/// Page-locked memory through which results reach the host: blocks are copied by the
/// device and moved on by the CPU, side by side.
pub(super) struct Ring {
    stream: Arc<CudaStream>,
    blocks: Vec<PageLocked>,
}

/// A block on its way: where it goes.
struct Pending<'a> {
    event: CudaEvent,
    to: &'a mut [u8],
    block: usize,
}

impl Ring {
    /// A ring whose copies run on `stream`.
    pub fn new(stream: Arc<CudaStream>) -> Result<Self> {
        let context = stream.context().clone();
        let block = |_| PageLocked::new(&context, BLOCK);
        let blocks = (0..BLOCKS).map(block).collect::<Result<_>>()?;
        Ok(Self { stream, blocks })
    }

    /// The stream of the copies.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Copies device memory to host memory, part after part, and waits for all.
    pub fn copy(&mut self, parts: Vec<(u64, &mut [u8])>) -> Result<()> {
        let mut pending: std::collections::VecDeque<Pending<'_>> = Default::default();
        let mut next = 0;
        let pieces = parts.into_iter().flat_map(|(from, to)| {
            let chunks = to.chunks_mut(BLOCK).enumerate();
            chunks.map(move |(i, to)| (from + (i * BLOCK) as u64, to))
        });
        for (from, to) in pieces {
            if pending.len() == BLOCKS {
                let oldest = pending.pop_front();
                oldest.map_or(Ok(()), |oldest| self.deliver(oldest))?;
            }
            self.blocks[next].copy(from, to.len(), &self.stream)?;
            let event = self.stream.record_event(None);
            let event = event.map_err(failed("a copy from the device failed"))?;
            pending.push_back(Pending { event, to, block: next });
            next = (next + 1) % BLOCKS;
        }
        pending.into_iter().try_for_each(|pending| self.deliver(pending))
    }

    fn deliver(&mut self, pending: Pending<'_>) -> Result<()> {
        pending.event.synchronize().map_err(failed("the evaluation failed"))?;
        let block = self.blocks[pending.block].bytes()?;
        let part = pending.to.len().div_ceil(2 * rayon::current_num_threads()).max(1 << 16);
        let from = block[..pending.to.len()].par_chunks(part);
        pending.to.par_chunks_mut(part).zip(from).for_each(|(to, from)| to.copy_from_slice(from));
        Ok(())
    }
}

/// An event that tells time.
pub(super) fn timed_event(stream: &CudaStream) -> Result<CudaEvent> {
    let flags = sys::CUevent_flags::CU_EVENT_DEFAULT;
    stream.record_event(Some(flags)).map_err(failed("an event cannot be recorded"))
}
