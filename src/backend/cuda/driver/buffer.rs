//! Arrays on the device, and page-locked memory of the host.

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, DeviceRepr, PinnedHostSlice,
    ValidAsZeroBits, result, sys,
};

use super::device::failed;
use crate::error::Result;
use crate::result_buffer::DeviceBytes;

/// An array on the device.
#[derive(Debug)]
pub(in crate::backend::cuda) struct Buffer<T> {
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
        self.fill_from(stream, 0, values)
    }

    /// Copies `values` to the array from number `at` on, where there is room for them.
    pub fn fill_from(&mut self, stream: &Arc<CudaStream>, at: usize, values: &[T]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        let mut part = self.slice.slice_mut(at..at + values.len());
        stream.memcpy_htod(values, &mut part).map_err(failed("a copy to the device failed"))
    }

    /// Copies another array to the front of this one.
    pub(crate) fn copy_from(&mut self, stream: &Arc<CudaStream>, other: &Self) -> Result<()> {
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

    /// Number `at` of the array, copied to the host.
    pub(crate) fn read_at(&self, stream: &Arc<CudaStream>, at: usize) -> Result<T> {
        let value = stream.clone_dtoh(&self.slice.slice(at..at + 1));
        let value = value.map_err(failed("a copy from the device failed"))?;
        stream.synchronize().map_err(failed("the evaluation failed"))?;
        Ok(value.first().copied().unwrap_or_default())
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

/// Memory of the host that devices copy to without help.
pub(in crate::backend::cuda) struct PageLocked {
    memory: PinnedHostSlice<u8>,
    // of `memory`, which asks an event before it says
    start: *mut u8,
}

// SAFETY: this value owns the memory, as a box does.
unsafe impl Send for PageLocked {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for PageLocked {}

impl PageLocked {
    /// `bytes` bytes.
    pub fn new(context: &Arc<CudaContext>, bytes: usize) -> Result<Self> {
        let lock = || {
            let flags = sys::CU_MEMHOSTALLOC_PORTABLE;
            // SAFETY: pages come cleared from the system, and any byte is one.
            let mut memory = unsafe { context.alloc_pinned_with_flags(bytes, flags) }?;
            let start = memory.as_mut_ptr()?;
            Ok(Self { memory, start })
        };
        lock().map_err(failed("page-locked memory is refused"))
    }
}

impl DeviceBytes for PageLocked {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the memory is as long and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start, self.memory.len()) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nothing else refers to it.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.memory.len()) }
    }
}

/// Starts a copy of memory at the device's address `from` to the host; the device goes on by
/// itself if it is page-locked.
///
/// # Safety
/// `to` must stay, untouched, until the stream is behind the copy.
pub(super) unsafe fn start_copy(from: u64, to: &mut [u8], stream: &CudaStream) -> Result<()> {
    // SAFETY: as the caller says.
    let started = unsafe { result::memcpy_dtoh_async(to, from, stream.cu_stream()) };
    started.map_err(failed("a copy from the device failed"))
}

/// Seconds on the device since an event; waits for the stream.
pub(in crate::backend::cuda) fn seconds_since(
    start: &CudaEvent,
    stream: &CudaStream,
) -> Result<f64> {
    let end = timed_event(stream)?;
    let elapsed = start.elapsed_ms(&end).map_err(failed("the kernels failed"))?;
    Ok(f64::from(elapsed) * 1e-3)
}

/// An event that tells time.
pub(in crate::backend::cuda) fn timed_event(stream: &CudaStream) -> Result<CudaEvent> {
    let flags = sys::CUevent_flags::CU_EVENT_DEFAULT;
    stream.record_event(Some(flags)).map_err(failed("an event cannot be recorded"))
}
