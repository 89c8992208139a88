//! Results on their way to the host: straight to page-locked memory, to other memory by way of
//! a few page-locked blocks, used in turn.

use std::collections::VecDeque;
use std::sync::Arc;

use cudarc::driver::{CudaEvent, CudaStream};
use rayon::prelude::*;

use super::buffer::{PageLocked, start_copy};
use super::device::failed;
use crate::error::Result;
use crate::result_buffer::DeviceBytes;
use crate::simd::{Simd, stream};

/// Bytes of a block: large enough for the bus, small enough that moving one on hides behind
/// the next one's copy.
const BLOCK_BYTES: usize = 8 << 20;

/// Blocks under way at once.
const BLOCKS: usize = 4;

/// Page-locked memory through which results reach the host: blocks are copied by the
/// device and moved on by the CPU, side by side.
pub(in crate::backend::cuda) struct Transfer {
    stream: Arc<CudaStream>,
    blocks: Vec<PageLocked>,
}

/// Copies that are under way until [`Delivery::finish`], or until it is dropped.
pub(in crate::backend::cuda) struct Delivery<'r, 'a> {
    transfer: &'r mut Transfer,
    pending: VecDeque<PendingBlock<'a>>,
    next: usize,
}

/// Memory of the host that results go to.
pub(in crate::backend::cuda) struct HostPlace<'a> {
    pub bytes: &'a mut [u8],
    pub page_locked: bool,
}

/// A block on its way: where it goes.
struct PendingBlock<'a> {
    event: CudaEvent,
    to: &'a mut [u8],
    block: usize,
}

impl Transfer {
    /// Blocks whose copies run on `stream`.
    pub fn new(stream: Arc<CudaStream>) -> Result<Self> {
        let context = stream.context().clone();
        let block = |_| PageLocked::new(&context, BLOCK_BYTES);
        let blocks = (0..BLOCKS).map(block).collect::<Result<_>>()?;
        Ok(Self { stream, blocks })
    }

    /// Begins to copy.
    pub(crate) fn deliver(&mut self) -> Delivery<'_, '_> {
        Delivery { transfer: self, pending: VecDeque::new(), next: 0 }
    }

    /// Copies device memory to host memory, part after part, and waits for all.
    pub fn copy(&mut self, parts: Vec<(u64, &mut [u8])>) -> Result<()> {
        let mut delivery = self.deliver();
        for (from, bytes) in parts {
            delivery.copy(from, HostPlace { bytes, page_locked: false })?;
        }
        delivery.finish()
    }
}

impl<'a> Delivery<'_, 'a> {
    /// The stream of the copies.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.transfer.stream
    }

    /// Puts a copy of device memory to host memory on the stream; the last blocks of one
    /// through the blocks are still to be moved on.
    pub fn copy(&mut self, from: u64, to: HostPlace<'a>) -> Result<()> {
        if to.page_locked {
            // SAFETY: `to` is borrowed for as long as this value, which waits when dropped.
            return unsafe { start_copy(from, to.bytes, &self.transfer.stream) };
        }
        for (i, to) in to.bytes.chunks_mut(BLOCK_BYTES).enumerate() {
            if self.pending.len() == BLOCKS {
                self.move_on()?;
            }
            let Transfer { stream, blocks } = &mut *self.transfer;
            let block = &mut blocks[self.next].bytes_mut()[..to.len()];
            // SAFETY: the block was moved on, and is not used before the event below.
            unsafe { start_copy(from + (i * BLOCK_BYTES) as u64, block, stream) }?;
            let event = stream.record_event(None);
            let event = event.map_err(failed("a copy from the device failed"))?;
            self.pending.push_back(PendingBlock { event, to, block: self.next });
            self.next = (self.next + 1) % BLOCKS;
        }
        Ok(())
    }

    /// Waits for all copies.
    pub fn finish(mut self) -> Result<()> {
        while !self.pending.is_empty() {
            self.move_on()?;
        }
        self.transfer.stream.synchronize().map_err(failed("the evaluation failed"))
    }

    /// Moves the oldest block to its place.
    fn move_on(&mut self) -> Result<()> {
        let Some(PendingBlock { event, to, block }) = self.pending.pop_front() else {
            return Ok(());
        };
        event.synchronize().map_err(failed("the evaluation failed"))?;
        let block = &self.transfer.blocks[block].bytes()[..to.len()];
        let part = to.len().div_ceil(2 * rayon::current_num_threads()).max(1 << 16);
        let part = part.next_multiple_of(64);
        let parts = to.par_chunks_mut(part).zip(block.par_chunks(part));
        parts.for_each(|(to, from)| move_bytes(to, from));
        Ok(())
    }
}

impl Drop for Delivery<'_, '_> {
    fn drop(&mut self) {
        // after an error: memory that the device still writes may not be given back
        let _ = self.transfer.stream.synchronize();
    }
}

/// Copies past the caches, where results do not fit anyway: their memory is then not read
/// before it is written.
fn move_bytes(to: &mut [u8], from: &[u8]) {
    match (bytemuck::try_cast_slice_mut(&mut *to), bytemuck::try_cast_slice(from)) {
        (Ok(to), Ok(from)) => stream(Simd::detect(), to, from),
        _ => to.copy_from_slice(from),
    }
}
