//! One stream of deflate from blocks that are compressed in parallel.
//!
//! Every block is compressed by itself and ends at a whole byte (a sync flush), so that blocks one
//! after the other are one stream, whatever the number of threads.

use crate::interrupt::stop_point;
use std::io::{self, Write};
use std::mem;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rayon::prelude::*;

/// Coordinates hardly compress more at higher levels, only slower.
pub const LEVEL: u32 = 4;
/// Bytes of a block.
const BLOCK_BYTES: usize = 1 << 20;
/// Blocks compressed at once, at most.
const MAX_BLOCKS: usize = 64;
/// An empty block that says that it is the last.
const LAST_BLOCK: [u8; 2] = [3, 0];

/// Compresses streams one after the other.
#[derive(Default)]
pub struct Deflater {
    waiting: Vec<u8>,
}

impl Deflater {
    /// Adds bytes to the stream; returns how many it wrote.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut impl Write) -> io::Result<u64> {
        let room = BLOCK_BYTES * rayon::current_num_threads().clamp(1, MAX_BLOCKS);
        let mut written = 0;
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(room - self.waiting.len()));
            self.waiting.extend_from_slice(now);
            bytes = rest;
            if self.waiting.len() == room {
                written += self.compress(out)?;
            }
        }
        Ok(written)
    }

    /// Ends the stream; returns how many bytes it wrote. The next bytes start another one.
    pub fn finish(&mut self, out: &mut impl Write) -> io::Result<u64> {
        let written = self.compress(out)?;
        out.write_all(&LAST_BLOCK)?;
        Ok(written + LAST_BLOCK.len() as u64)
    }

    fn compress(&mut self, out: &mut impl Write) -> io::Result<u64> {
        let blocks =
            self.waiting.par_chunks(BLOCK_BYTES).map(compress).collect::<io::Result<Vec<_>>>()?;
        self.waiting.clear();
        let mut written = 0;
        for block in blocks {
            out.write_all(&block)?;
            written += block.len() as u64;
        }
        Ok(written)
    }
}

/// A block that others can follow.
fn compress(block: &[u8]) -> io::Result<Vec<u8>> {
    stop_point();
    let packed = Vec::with_capacity(block.len());
    let mut encoder = DeflateEncoder::new(packed, Compression::new(LEVEL));
    encoder.write_all(block)?;
    encoder.flush()?;
    Ok(mem::take(encoder.get_mut()))
}
