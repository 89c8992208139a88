//! Values of arrays as bytes of a file: borrowed, or generated block by block while writing, so
//! that no array is ever copied as a whole.

use crate::io::dataset::{Array, ArrayData, Points};

/// Bytes of a compressed block and of the buffer for made-up values; whole
/// numbers of all value sizes.
pub const BLOCK_BYTES: usize = 1 << 18;

/// Values of one array.
#[derive(Clone, Copy)]
pub enum ArrayValues<'a> {
    /// Values as they lie in memory.
    Bytes(&'a [u8]),
    /// 64-bit `step (first + 1)`, `step (first + 2)`, …: the ends of equal cells.
    Multiples {
        /// The difference.
        step: u64,
        /// Cells before.
        first: u64,
        /// Number of values.
        count: usize,
    },
    /// One byte repeated throughout: the type of equal cells.
    Repeated {
        /// The byte.
        value: u8,
        /// Number of bytes.
        count: usize,
    },
    /// Ids as 64-bit values.
    Widened(&'a [u32]),
    /// Numbers with the most significant byte first.
    BigEndian(&'a [u8], NumberSize),
    /// 64-bit integers as 32 bits, the most significant byte first.
    Narrowed(&'a [i64]),
    /// 32 bits, the most significant byte first: `size`, then as many ids, and so on.
    Rows {
        /// Ids a row.
        size: usize,
        /// The ids.
        ids: &'a [u32],
    },
    /// One 32-bit number repeated throughout, the most significant byte first.
    RepeatedBigEndian {
        /// The number.
        value: u32,
        /// Number of times that the number is repeated.
        count: usize,
    },
}

/// Bytes of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NumberSize {
    /// One byte.
    One,
    /// Four.
    Four,
    /// Eight.
    Eight,
}

impl<'a> ArrayValues<'a> {
    /// The numbers of an array, the most significant byte first.
    pub fn big_endian(data: &'a ArrayData) -> Self {
        let size = match data.value_size() {
            1 => NumberSize::One,
            4 => NumberSize::Four,
            _ => NumberSize::Eight,
        };
        Self::BigEndian(data.bytes(), size)
    }

    /// Point coordinates, the most significant byte first.
    pub fn big_endian_points(points: &'a Points) -> Self {
        let size = match points {
            Points::F32(_) => NumberSize::Four,
            Points::F64(_) => NumberSize::Eight,
        };
        Self::BigEndian(points.bytes(), size)
    }

    /// Length in bytes.
    pub fn byte_len(&self) -> usize {
        match self {
            Self::Bytes(bytes) | Self::BigEndian(bytes, _) => bytes.len(),
            Self::Multiples { count, .. } => count * 8,
            Self::Repeated { count, .. } => *count,
            Self::Widened(ids) => ids.len() * 8,
            Self::Narrowed(numbers) => numbers.len() * 4,
            Self::Rows { size, ids } => (ids.len() + ids.len() / size) * 4,
            Self::RepeatedBigEndian { count, .. } => count * 4,
        }
    }

    /// Gives all bytes to `write`, in blocks that fit a cache.
    pub fn write<E>(&self, mut write: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut words: Vec<u64> = Vec::new();
        let mut halves: Vec<u32> = Vec::new();
        match *self {
            Self::Bytes(bytes) | Self::BigEndian(bytes, NumberSize::One) => write(bytes),
            Self::Repeated { value, count } => {
                let block = vec![value; count.min(BLOCK_BYTES)];
                (0..count)
                    .step_by(BLOCK_BYTES)
                    .try_for_each(|i| write(&block[..(count - i).min(BLOCK_BYTES)]))
            }
            Self::RepeatedBigEndian { value, count } => {
                let block = vec![value.to_be(); count.min(BLOCK_BYTES / 4)];
                (0..count).step_by(BLOCK_BYTES / 4).try_for_each(|i| {
                    write(bytemuck::cast_slice(&block[..(count - i).min(BLOCK_BYTES / 4)]))
                })
            }
            Self::Multiples { step, first, count } => {
                (0..count).step_by(BLOCK_BYTES / 8).try_for_each(|start| {
                    let end = count.min(start + BLOCK_BYTES / 8);
                    words.clear();
                    words.extend((start..end).map(|i| step * (first + i as u64 + 1)));
                    write(bytemuck::cast_slice(&words))
                })
            }
            Self::Widened(ids) => ids.chunks(BLOCK_BYTES / 8).try_for_each(|ids| {
                words.clear();
                words.extend(ids.iter().map(|&id| u64::from(id)));
                write(bytemuck::cast_slice(&words))
            }),
            Self::BigEndian(bytes, NumberSize::Eight) => {
                bytes.chunks(BLOCK_BYTES).try_for_each(|bytes| {
                    words.clear();
                    words
                        .extend(bytes.as_chunks().0.iter().map(|&b| u64::from_ne_bytes(b).to_be()));
                    write(bytemuck::cast_slice(&words))
                })
            }
            Self::BigEndian(bytes, NumberSize::Four) => {
                bytes.chunks(BLOCK_BYTES).try_for_each(|bytes| {
                    halves.clear();
                    halves
                        .extend(bytes.as_chunks().0.iter().map(|&b| u32::from_ne_bytes(b).to_be()));
                    write(bytemuck::cast_slice(&halves))
                })
            }
            Self::Narrowed(numbers) => numbers.chunks(BLOCK_BYTES / 4).try_for_each(|numbers| {
                halves.clear();
                halves.extend(numbers.iter().map(|&number| (number as u32).to_be()));
                write(bytemuck::cast_slice(&halves))
            }),
            Self::Rows { size, ids } => {
                let rows = (BLOCK_BYTES / 4 / (size + 1)).max(1);
                ids.chunks(rows * size).try_for_each(|rows| {
                    halves.clear();
                    for row in rows.chunks_exact(size) {
                        halves.push((size as u32).to_be());
                        halves.extend(row.iter().map(|id| id.to_be()));
                    }
                    write(bytemuck::cast_slice(&halves))
                })
            }
        }
    }
}

/// What the values of a section belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ValueSource {
    /// The points, by bytes of each.
    Points(usize),
    /// The cells, by bytes of each.
    Cells(usize),
    /// The whole file.
    File,
}

/// A section of a file: the values of one array, or the part of it that a piece has.
pub struct Section<'a> {
    /// What they belong to.
    pub of: ValueSource,
    /// The values.
    pub values: ArrayValues<'a>,
}

impl<'a> Section<'a> {
    /// Bytes of the section in a file, by its numbers of points and cells.
    pub fn total(&self, points: usize, cells: usize) -> u64 {
        match self.of {
            ValueSource::Points(bytes) => points as u64 * bytes as u64,
            ValueSource::Cells(bytes) => cells as u64 * bytes as u64,
            ValueSource::File => self.values.byte_len() as u64,
        }
    }

    /// Arrays of points as they lie in memory.
    pub fn of_points(array: &'a Array) -> Self {
        Self {
            of: ValueSource::Points(entry(array)),
            values: ArrayValues::Bytes(array.data.bytes()),
        }
    }

    /// Arrays of cells.
    pub fn of_cells(array: &'a Array) -> Self {
        Self {
            of: ValueSource::Cells(entry(array)),
            values: ArrayValues::Bytes(array.data.bytes()),
        }
    }

    /// Arrays of the file.
    pub fn of_file(array: &'a Array) -> Self {
        Self { of: ValueSource::File, values: ArrayValues::Bytes(array.data.bytes()) }
    }

    /// Coordinates.
    pub fn coordinates(points: &'a Points) -> Self {
        Self {
            of: ValueSource::Points(coordinate_bytes(points)),
            values: ArrayValues::Bytes(points.bytes()),
        }
    }
}

/// Bytes an entry.
pub fn entry(array: &Array) -> usize {
    array.width * array.data.value_size()
}

/// Bytes of a point.
pub fn coordinate_bytes(points: &Points) -> usize {
    match points {
        Points::F32(_) => 12,
        Points::F64(_) => 24,
    }
}

/// Ids in a file of that many points and the type that VTK reads them as; those that `Int32` can
/// hold are written as they lie.
pub fn vtk_ids(ids: &[u32], points: usize) -> (&'static str, ArrayValues<'_>) {
    match i32::try_from(points) {
        Ok(_) => ("Int32", ArrayValues::Bytes(bytemuck::cast_slice(ids))),
        Err(_) => ("Int64", ArrayValues::Widened(ids)),
    }
}
