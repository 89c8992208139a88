//! Tables of points (`.csv`) and of their values.
//!
//! Header `x,y,z`, then the point arrays: `name` if it has width 1, else `name_0,name_1,…`, and
//! `attribute:x` if it is named as a coordinate. One row per point. Floating-point numbers have the
//! 17 (single precision: 9) significant digits that give back the very same number.

use std::io::{self, Write};
use std::ops::Range;

use super::outline::SingleFile;
use super::text_rows::write_rows;
use crate::error::Result;
use crate::io::dataset::{ArrayData, Dataset, Points};
use crate::io::table::{point_columns, write_table_header};

/// Rows of a task.
const TASK_ROWS: usize = 4096;

/// A table being written from pieces.
pub struct TableFile<'o, W> {
    out: &'o mut W,
}

impl<'o, W: Write> TableFile<'o, W> {
    /// A table with the columns of `first`, which has been checked.
    pub fn new(out: &'o mut W, first: &Dataset) -> io::Result<Self> {
        let names = columns(first).map_err(io::Error::other)?;
        write_table_header(&mut *out, &names)?;
        Ok(Self { out })
    }
}

impl<W: Write> SingleFile for TableFile<'_, W> {
    fn push(&mut self, piece: &Dataset, _cells_before: usize) -> io::Result<()> {
        write_rows(self.out, piece.points.len(), TASK_ROWS, |rows, text| {
            push_rows(piece, rows, text)
        })
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Names of the columns of a dataset in a table.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) if two are equal.
pub fn columns(dataset: &Dataset) -> Result<Vec<String>> {
    point_columns(dataset.point_arrays.iter().map(|array| (array.name.as_str(), array.width)))
}

fn push_rows(dataset: &Dataset, rows: Range<usize>, text: &mut Vec<u8>) -> io::Result<()> {
    for row in rows {
        match &dataset.points {
            Points::F64(points) => write_f64(text, &points[row])?,
            Points::F32(points) => write_f32(text, &points[row])?,
        }
        for array in &dataset.point_arrays {
            let entry = row * array.width..(row + 1) * array.width;
            match &array.data {
                ArrayData::F64(values) => write_f64(text, &values[entry])?,
                ArrayData::F32(values) => write_f32(text, &values[entry])?,
                ArrayData::I32(values) => write_integers(text, &values[entry])?,
                ArrayData::I64(values) => write_integers(text, &values[entry])?,
                ArrayData::U8(values) => write_integers(text, &values[entry])?,
            }
        }
        // Every value has put a comma behind it.
        if let Some(last) = text.last_mut() {
            *last = b'\n';
        }
    }
    Ok(())
}

fn write_f64(text: &mut Vec<u8>, values: &[f64]) -> io::Result<()> {
    values.iter().try_for_each(|value| write!(text, "{value:.16e},"))
}

fn write_f32(text: &mut Vec<u8>, values: &[f32]) -> io::Result<()> {
    values.iter().try_for_each(|value| write!(text, "{value:.8e},"))
}

fn write_integers<T: std::fmt::Display>(text: &mut Vec<u8>, values: &[T]) -> io::Result<()> {
    values.iter().try_for_each(|value| write!(text, "{value},"))
}
