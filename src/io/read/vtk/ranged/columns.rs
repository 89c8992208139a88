//! The arrays of a file, of which ranges are read.

use std::ops::Range;

use super::super::outline::ArraySection;
use super::super::values::Scalar;
use super::scan::{FileScan, ScannedRows, ScannedWords};
use crate::io::read::lines::{integer, real};
use crate::io::{CREASE_EDGES, CREASE_SHARPNESS};

/// What a file of one grid has, before any of its numbers is read.
pub(super) struct Contents {
    pub columns: Vec<Column>,
    /// The vertices of the cells, where every list begins with its length.
    pub rows: Option<ScannedRows>,
    /// Whether the list of a polyhedron is its faces.
    pub has_faces_in_cells: bool,
    pub cells: usize,
    pub points: usize,
}

/// An array.
pub(super) struct Column {
    pub section: ArraySection,
    pub name: String,
    pub width: usize,
    pub is_integer: bool,
    pub is_single: bool,
    pub stored: StoredArray,
}

/// Where the numbers of an array are.
pub(super) enum StoredArray {
    /// Numbers one after another in the file.
    Raw {
        start: u64,
        count: usize,
        scalar: Scalar,
        big_endian: bool,
    },
    Words(ScannedWords),
    /// The array is not read; the text is for the report of the file.
    LeftOut(String),
    /// Numbers that only the reader of whole files finds.
    Elsewhere,
}

impl Column {
    pub fn is_crease(&self) -> bool {
        [CREASE_EDGES, CREASE_SHARPNESS].contains(&self.name.as_str())
    }

    /// Whether it has no numbers.
    pub fn is_left_out(&self) -> bool {
        matches!(self.stored, StoredArray::LeftOut(_))
    }

    /// Takes the first number off.
    pub fn split_first(&mut self, scan: &mut FileScan) -> Option<i64> {
        let here = scan.at();
        let first = *self.integers(scan, 0..1)?.first()?;
        scan.seek(here)?;
        match &mut self.stored {
            StoredArray::Raw { start, count, scalar, .. } => {
                *start += scalar.size() as u64;
                *count -= 1;
            }
            StoredArray::Words(words) => words.skip_first(),
            StoredArray::LeftOut(_) | StoredArray::Elsewhere => return None,
        }
        Some(first)
    }

    /// Number of numbers.
    pub fn count(&self) -> Option<usize> {
        match &self.stored {
            StoredArray::Raw { count, .. } => Some(*count),
            StoredArray::Words(words) => Some(words.len()),
            StoredArray::LeftOut(_) | StoredArray::Elsewhere => None,
        }
    }

    pub fn integers(&self, scan: &mut FileScan, range: Range<usize>) -> Option<Vec<i64>> {
        self.read(scan, range, integer, Scalar::integers)
    }

    pub fn reals(&self, scan: &mut FileScan, range: Range<usize>) -> Option<Vec<f64>> {
        self.read(scan, range, real, Scalar::reals)
    }

    /// The rows of some of `count` items.
    pub fn rows(&self, scan: &mut FileScan, items: Range<usize>, count: usize) -> Option<Vec<f64>> {
        if self.width == 0 || count.checked_mul(self.width) != self.count() {
            return None;
        }
        self.reals(scan, items.start * self.width..items.end * self.width)
    }

    fn read<T>(
        &self,
        scan: &mut FileScan,
        range: Range<usize>,
        parse: impl Fn(&[u8]) -> Option<T>,
        decode: impl Fn(Scalar, &[u8], bool) -> Vec<T>,
    ) -> Option<Vec<T>> {
        match &self.stored {
            StoredArray::Words(words) => words.read(scan, range, parse),
            &StoredArray::Raw { start, count, scalar, big_endian } => {
                if range.start > range.end || range.end > count {
                    return None;
                }
                scan.seek(start + (range.start * scalar.size()) as u64)?;
                let bytes = scan.bytes(range.len() * scalar.size())?;
                Some(decode(scalar, &bytes, big_endian))
            }
            StoredArray::LeftOut(_) | StoredArray::Elsewhere => None,
        }
    }
}
