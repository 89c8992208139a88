//! Sparse matrices by rows, and their products.

use rayon::prelude::*;

use crate::interrupt::stop_point;

/// Rows of a work item.
const TASK_ROWS: usize = 256;

/// A sparse matrix; columns of a row are in any order, and those of equal entries add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    /// Where each row starts among the entries, and where the last one ends.
    pub starts: Vec<usize>,
    /// Columns of the entries.
    pub columns: Vec<u32>,
    /// Values of the entries.
    pub values: Vec<f64>,
    /// Number of columns of the matrix.
    pub width: usize,
}

impl Csr {
    /// Adds an entry to the row that has no end yet.
    pub(crate) fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Columns and values of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    pub(crate) fn diagonal(&self) -> Vec<f64> {
        let entry = |r: usize| self.row(r).filter(|(c, _)| *c as usize == r).map(|(_, x)| x).sum();
        (0..self.rows()).map(entry).collect()
    }

    /// Writes the product with `x` into `y`.
    pub(crate) fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.apply_wide(x, 1, y);
    }

    /// Writes the product with `x` into `y`, of `width` numbers a column and a row.
    pub(crate) fn apply_wide(&self, x: &[f64], width: usize, y: &mut [f64]) {
        let rows = y.par_chunks_exact_mut(width).with_min_len(TASK_ROWS);
        rows.enumerate().for_each(|(row, y)| {
            y.fill(0.0);
            for (column, value) in self.row(row) {
                let x = &x[column as usize * width..][..width];
                y.iter_mut().zip(x).for_each(|(y, x)| *y += value * x);
            }
        });
    }

    /// The rows are the columns.
    pub(crate) fn transposed(&self) -> Self {
        let mut starts = vec![0; self.width + 1];
        self.columns.iter().for_each(|&column| starts[column as usize + 1] += 1);
        (0..self.width).for_each(|column| starts[column + 1] += starts[column]);
        let mut ends = starts.clone();
        let (mut columns, mut values) = (vec![0; self.columns.len()], vec![0.0; self.values.len()]);
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                let end = &mut ends[column as usize];
                (columns[*end], values[*end]) = (row as u32, value);
                *end += 1;
            }
        }
        Self { starts, columns, values, width: self.rows() }
    }

    /// The sum with another matrix of as many rows and columns.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut sum = Self { starts: vec![0], width: self.width, ..Self::default() };
        for row in 0..self.rows() {
            let both = self.row(row).chain(other.row(row));
            both.for_each(|(column, value)| sum.push(column, value));
            sum.starts.push(sum.columns.len());
        }
        sum
    }

    /// The product with another matrix; sums run in the order of the rows.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let firsts: Vec<usize> = (0..self.rows()).step_by(TASK_ROWS).collect();
        let parts: Vec<(Vec<usize>, Vec<u32>, Vec<f64>)> = firsts
            .into_par_iter()
            .map_init(
                || vec![usize::MAX; other.width],
                |places, first| {
                    stop_point();
                    let (mut lengths, mut columns, mut values) = (vec![], vec![], vec![]);
                    for row in first..(first + TASK_ROWS).min(self.rows()) {
                        let start = columns.len();
                        for (middle, factor) in self.row(row) {
                            for (column, value) in other.row(middle as usize) {
                                let place = &mut places[column as usize];
                                if *place == usize::MAX {
                                    *place = columns.len();
                                    columns.push(column);
                                    values.push(0.0);
                                }
                                values[*place] += factor * value;
                            }
                        }
                        columns[start..].iter().for_each(|&c| places[c as usize] = usize::MAX);
                        lengths.push(columns.len() - start);
                    }
                    (lengths, columns, values)
                },
            )
            .collect();
        let mut all = Self { starts: vec![0], width: other.width, ..Self::default() };
        for (lengths, columns, values) in parts {
            for length in lengths {
                all.starts.push(all.starts[all.starts.len() - 1] + length);
            }
            all.columns.extend(columns);
            all.values.extend(values);
        }
        all
    }
}
