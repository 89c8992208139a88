//! Sparse matrices by rows, and their products.

use rayon::prelude::*;

use crate::interrupt::stop_point;

/// Rows of a work item.
const TASK_ROWS: usize = 256;

/// A sparse matrix; columns of a row are in any order, and those of equal entries add up. Products are
/// in double precision, whatever the entries are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr<V = f64> {
    /// Where each row starts among the entries, and where the last one ends.
    pub starts: Vec<usize>,
    /// Columns of the entries.
    pub columns: Vec<u32>,
    /// Values of the entries.
    pub values: Vec<V>,
    /// Number of columns of the matrix.
    pub width: usize,
}

impl<V: Copy + Into<f64> + Sync> Csr<V> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Columns and values of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, V)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The product of a row with `x`.
    pub(crate) fn row_product(&self, row: usize, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (column, value) in self.row(row) {
            sum += value.into() * x[column as usize];
        }
        sum
    }

    /// Writes the product with `x` into `y`.
    pub(crate) fn apply(&self, x: &[f64], y: &mut [f64]) {
        let rows = y.par_iter_mut().with_min_len(TASK_ROWS).enumerate();
        rows.for_each(|(row, y)| *y = self.row_product(row, x));
    }

    /// Writes the product with `x` into `y`, of `width` numbers a column and a row.
    pub(crate) fn apply_wide(&self, x: &[f64], width: usize, y: &mut [f64]) {
        let rows = y.par_chunks_exact_mut(width).with_min_len(TASK_ROWS);
        rows.enumerate().for_each(|(row, y)| {
            y.fill(0.0);
            for (column, value) in self.row(row) {
                let x = &x[column as usize * width..][..width];
                y.iter_mut().zip(x).for_each(|(y, x)| *y += value.into() * x);
            }
        });
    }
}

impl Csr {
    /// Adds an entry to the row that has no end yet.
    pub(crate) fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// With entries in single precision.
    pub(crate) fn single(self) -> Csr<f32> {
        let values = self.values.iter().map(|&value| value as f32).collect();
        Csr { starts: self.starts, columns: self.columns, values, width: self.width }
    }

    pub(crate) fn diagonal(&self) -> Vec<f64> {
        let entry = |r: usize| self.row(r).filter(|(c, _)| *c as usize == r).map(|(_, x)| x).sum();
        (0..self.rows()).into_par_iter().with_min_len(TASK_ROWS).map(entry).collect()
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
        let scratch = || vec![usize::MAX; other.width];
        Self::from_rows(self.rows(), other.width, scratch, |row, places, columns, values| {
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
        })
    }

    /// A matrix whose rows `add` puts behind those before, in parallel: the same for any number of
    /// threads. `scratch`: room that it has for some rows after another.
    pub(crate) fn from_rows<S>(
        rows: usize,
        width: usize,
        scratch: impl Fn() -> S + Send + Sync,
        add: impl Fn(usize, &mut S, &mut Vec<u32>, &mut Vec<f64>) + Send + Sync,
    ) -> Self {
        let step = rows.div_ceil(16 * rayon::current_num_threads()).max(TASK_ROWS);
        let firsts: Vec<usize> = (0..rows).step_by(step).collect();
        let parts: Vec<(Vec<usize>, Vec<u32>, Vec<f64>)> = firsts
            .into_par_iter()
            .map_init(scratch, |scratch, first| {
                let (mut ends, mut columns, mut values) = (vec![], vec![], vec![]);
                for row in first..(first + step).min(rows) {
                    if row % TASK_ROWS == 0 {
                        stop_point();
                    }
                    add(row, scratch, &mut columns, &mut values);
                    ends.push(columns.len());
                }
                (ends, columns, values)
            })
            .collect();
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        for (ends, ..) in &parts {
            let before = starts[starts.len() - 1];
            starts.extend(ends.iter().map(|end| before + end));
        }
        let count = starts[rows];
        let (mut columns, mut values) = (vec![0; count], vec![0.0; count]);
        let (mut columns_left, mut values_left) = (&mut columns[..], &mut values[..]);
        let mut places = Vec::with_capacity(parts.len());
        for part in parts {
            let own = std::mem::take(&mut columns_left).split_at_mut(part.1.len());
            let other = std::mem::take(&mut values_left).split_at_mut(part.2.len());
            places.push((own.0, other.0, part));
            (columns_left, values_left) = (own.1, other.1);
        }
        places.into_par_iter().for_each(|(columns, values, part)| {
            columns.copy_from_slice(&part.1);
            values.copy_from_slice(&part.2);
        });
        Self { starts, columns, values, width }
    }
}
