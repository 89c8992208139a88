//! The appended data of VTK XML files: raw or zlib-compressed sections, written
//! block by block so that no array is ever copied as a whole.

use std::borrow::Cow;
use std::io::{self, Seek, SeekFrom, Write};

use flate2::{Compression, write::ZlibEncoder};
use rayon::prelude::*;

/// Bytes of a compressed block and of the buffer for made-up values; whole
/// numbers of all value sizes.
const BLOCK: usize = 1 << 18;

/// Values of one array, at hand or made up while writing.
pub enum Values<'a> {
    /// Values as they lie in memory.
    Bytes(&'a [u8]),
    /// 64-bit `step, 2 step, … , count step`: the ends of equal cells.
    Multiples {
        /// The difference.
        step: u64,
        /// How many.
        count: usize,
    },
    /// The same byte throughout: the type of equal cells.
    Repeated {
        /// The byte.
        value: u8,
        /// How many.
        count: usize,
    },
    /// Ids as 64-bit values.
    Widened(&'a [u32]),
}

impl Values<'_> {
    /// Length in bytes.
    pub fn byte_len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Multiples { count, .. } => count * 8,
            Self::Repeated { count, .. } => *count,
            Self::Widened(ids) => ids.len() * 8,
        }
    }

    fn block_count(&self) -> usize {
        self.byte_len().div_ceil(BLOCK)
    }

    /// Block `index` of [`BLOCK`] bytes; the last may be shorter.
    fn block(&self, index: usize) -> Cow<'_, [u8]> {
        let start = index * BLOCK;
        let end = self.byte_len().min(start + BLOCK);
        match self {
            Self::Bytes(bytes) => Cow::Borrowed(&bytes[start..end]),
            Self::Multiples { step, .. } => Cow::Owned(
                (start / 8..end / 8).flat_map(|i| (step * (i as u64 + 1)).to_ne_bytes()).collect(),
            ),
            Self::Repeated { value, .. } => Cow::Owned(vec![*value; end - start]),
            Self::Widened(ids) => Cow::Owned(
                ids[start / 8..end / 8]
                    .iter()
                    .flat_map(|&id| u64::from(id).to_ne_bytes())
                    .collect(),
            ),
        }
    }
}

/// Ids of that many points and the type that VTK reads them as; those that `Int32` can hold are
/// written as they lie.
pub fn vtk_ids(ids: &[u32], points: usize) -> (&'static str, Values<'_>) {
    match i32::try_from(points) {
        Ok(_) => ("Int32", Values::Bytes(bytemuck::cast_slice(ids))),
        Err(_) => ("Int64", Values::Widened(ids)),
    }
}

/// Writes the section of one array: its length in bytes, then its bytes.
pub fn write_raw(out: &mut impl Write, values: &Values) -> io::Result<()> {
    out.write_all(&(values.byte_len() as u64).to_ne_bytes())?;
    (0..values.block_count()).try_for_each(|index| out.write_all(&values.block(index)))
}

/// Writes the section of one array as zlib blocks, compressed in parallel: number
/// of blocks, bytes of a full and of the last partial block (0 if it is full),
/// compressed bytes of each block; then the blocks.
pub fn write_compressed(out: &mut (impl Write + Seek), values: &Values) -> io::Result<()> {
    let count = values.block_count();
    let mut header = vec![0u64; 3 + count];
    header[..3].copy_from_slice(&[count as u64, BLOCK as u64, (values.byte_len() % BLOCK) as u64]);
    // The sizes are known when the blocks are written: leave room, come back.
    let start = out.stream_position()?;
    out.write_all(bytemuck::cast_slice(&header))?;
    let batch = 4 * rayon::current_num_threads(); // blocks in memory at a time
    for first in (0..count).step_by(batch) {
        let blocks = (first..count.min(first + batch))
            .into_par_iter()
            .map(|index| compress(&values.block(index)))
            .collect::<io::Result<Vec<_>>>()?;
        for (size, block) in header[3 + first..].iter_mut().zip(&blocks) {
            *size = block.len() as u64;
            out.write_all(block)?;
        }
    }
    let end = out.stream_position()?;
    out.seek(SeekFrom::Start(start))?;
    out.write_all(bytemuck::cast_slice(&header))?;
    out.seek(SeekFrom::Start(end)).map(drop)
}

fn compress(block: &[u8]) -> io::Result<Vec<u8>> {
    // Coordinates hardly compress more at higher levels, only slower.
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(block.len()), Compression::new(4));
    encoder.write_all(block)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_int32_cannot_hold_are_widened() {
        let written = |points| {
            let (kind, values) = vtk_ids(&[7, u32::MAX - 1], points);
            let mut bytes = Vec::new();
            write_raw(&mut bytes, &values).unwrap();
            (kind, bytes)
        };
        let narrow = [&8_u64.to_ne_bytes()[..], bytemuck::bytes_of(&[7, u32::MAX - 1])].concat();
        assert_eq!(written(i32::MAX as usize), ("Int32", narrow));
        let wide = bytemuck::bytes_of(&[16, 7, u64::from(u32::MAX) - 1]).to_vec();
        assert_eq!(written(1 << 31), ("Int64", wide));
    }
}
