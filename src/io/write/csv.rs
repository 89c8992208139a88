//! Tables of points (`.csv`) and of whatever belongs to them.
//!
//! Header `x,y,z`, then the point arrays: `name` if it has width 1, else
//! `name_0,name_1,…`. One row per point. Floating-point numbers have the 17 (single
//! precision: 9) significant digits that give back the very same number.

use std::io::{self, Write};

use rayon::prelude::*;

use super::outline::SingleFile;
use crate::error::Result;
use crate::io::dataset::{ArrayData, Dataset, Points};
use crate::io::table::{check_columns, write_table_header};

const ROWS: usize = 4096; // a task

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
        let count = piece.points.len();
        let batch = ROWS * 4 * rayon::current_num_threads(); // rows in memory at a time
        for first in (0..count).step_by(batch) {
            let tasks = (first..count.min(first + batch)).step_by(ROWS).collect::<Vec<_>>();
            let texts = tasks
                .into_par_iter()
                .map(|start| rows(piece, start..count.min(start + ROWS)))
                .collect::<io::Result<Vec<_>>>()?;
            texts.iter().try_for_each(|text| self.out.write_all(text))?;
        }
        Ok(())
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
    let mut names: Vec<String> = ["x", "y", "z"].map(str::to_owned).into();
    for array in &dataset.point_arrays {
        match array.width {
            1 => names.push(array.name.clone()),
            width => names.extend((0..width).map(|i| format!("{}_{i}", array.name))),
        }
    }
    check_columns(&names)?;
    Ok(names)
}

fn rows(dataset: &Dataset, rows: std::ops::Range<usize>) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for row in rows {
        match &dataset.points {
            Points::F64(points) => write_f64(&mut text, &points[row])?,
            Points::F32(points) => write_f32(&mut text, &points[row])?,
        }
        for array in &dataset.point_arrays {
            let entry = row * array.width..(row + 1) * array.width;
            match &array.data {
                ArrayData::F64(values) => write_f64(&mut text, &values[entry])?,
                ArrayData::F32(values) => write_f32(&mut text, &values[entry])?,
                ArrayData::I32(values) => write_integers(&mut text, &values[entry])?,
                ArrayData::I64(values) => write_integers(&mut text, &values[entry])?,
                ArrayData::U8(values) => write_integers(&mut text, &values[entry])?,
            }
        }
        // Every value has put a comma behind it.
        if let Some(last) = text.last_mut() {
            *last = b'\n';
        }
    }
    Ok(text)
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
