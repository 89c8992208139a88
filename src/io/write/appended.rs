//! The appended data of VTK XML files: sections as they are, and zlib-compressed block by block.

use std::io::{self, Seek, SeekFrom, Write};

use flate2::{Compression, write::ZlibEncoder};
use rayon::prelude::*;

use super::deflate::LEVEL;
use super::values::{ArrayValues, BLOCK_BYTES};

/// Writes the section of one array: its length in bytes, then its bytes.
pub fn write_raw(out: &mut impl Write, values: &ArrayValues<'_>) -> io::Result<()> {
    out.write_all(&(values.byte_len() as u64).to_ne_bytes())?;
    values.write(|bytes| out.write_all(bytes))
}

/// One section being written as zlib blocks, compressed in parallel: number of blocks, bytes of a
/// full and of the last partial block (0 if it is full), compressed bytes of each block; then the
/// blocks.
#[derive(Default)]
pub struct CompressedSection {
    header: Vec<u64>,
    start: u64,
    // blocks written
    done: usize,
    // bytes of the blocks to come
    waiting: Vec<u8>,
}

impl CompressedSection {
    /// Begins a section of `bytes` bytes. The sizes of its blocks are known when they are written:
    /// it leaves room for them.
    pub fn begin(out: &mut (impl Write + Seek), bytes: u64) -> io::Result<Self> {
        let count = bytes.div_ceil(BLOCK_BYTES as u64);
        let mut header = vec![0; 3 + count as usize];
        header[..3].copy_from_slice(&[count, BLOCK_BYTES as u64, bytes % BLOCK_BYTES as u64]);
        let start = out.stream_position()?;
        out.write_all(bytemuck::cast_slice(&header))?;
        Ok(Self { header, start, done: 0, waiting: Vec::new() })
    }

    /// Adds bytes of the section.
    pub fn append(&mut self, out: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
        let most = 4 * rayon::current_num_threads() * BLOCK_BYTES; // in memory at a time
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(most - self.waiting.len()));
            self.waiting.extend_from_slice(now);
            bytes = rest;
            if self.waiting.len() == most {
                self.compress(out)?;
            }
        }
        Ok(())
    }

    /// Ends the section, once it has all of its bytes.
    pub fn end(mut self, out: &mut (impl Write + Seek)) -> io::Result<()> {
        self.compress(out)?;
        let end = out.stream_position()?;
        out.seek(SeekFrom::Start(self.start))?;
        out.write_all(bytemuck::cast_slice(&self.header))?;
        out.seek(SeekFrom::Start(end)).map(drop)
    }

    fn compress(&mut self, out: &mut impl Write) -> io::Result<()> {
        let blocks =
            self.waiting.par_chunks(BLOCK_BYTES).map(compress).collect::<io::Result<Vec<_>>>()?;
        for block in blocks {
            self.header[3 + self.done] = block.len() as u64;
            self.done += 1;
            out.write_all(&block)?;
        }
        self.waiting.clear();
        Ok(())
    }
}

fn compress(block: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(block.len()), Compression::new(LEVEL));
    encoder.write_all(block)?;
    encoder.finish()
}
