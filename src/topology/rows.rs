//! Rows of varying length in two flat arrays.

use std::iter::repeat_n;
use std::sync::atomic::Ordering::Relaxed;

use super::groups::{CountingSort, advance};
use crate::disjoint::together;
use crate::pages;

/// Rows of `u32` stored one after another.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    // the width of all rows; 0: they vary, and row r is items[ends[r - 1]..ends[r]]
    width: usize,
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Rows {
    /// Rows of one fixed `width`, at least 1.
    pub fn uniform(items: Vec<u32>, width: usize) -> Self {
        debug_assert_eq!(items.len() % width, 0);
        Self { width, ends: Vec::new(), items }
    }

    /// Rows with room for `rows` rows and `items` items.
    pub fn with_capacity(rows: usize, items: usize) -> Self {
        let (ends, items) = (Vec::with_capacity(rows), Vec::with_capacity(items));
        Self { width: 0, ends, items }
    }

    /// Rows from the end of each row and all items.
    pub(crate) fn from_parts(ends: Vec<u32>, items: Vec<u32>) -> Self {
        debug_assert_eq!(ends.last().map_or(0, |&e| e as usize), items.len());
        Self { width: 0, ends, items }
    }

    /// Rows as `self` has them, of other items.
    pub(super) fn with_items(&self, items: Vec<u32>) -> Self {
        debug_assert_eq!(self.items.len(), items.len());
        Self { width: self.width, ends: self.ends.clone(), items }
    }

    /// Appends a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        if self.width > 0 {
            self.ends = (1..=self.len()).map(|r| (r * self.width) as u32).collect();
            self.width = 0;
        }
        self.items.extend(row);
        self.ends.push(self.items.len() as u32);
    }

    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len().checked_div(self.width).unwrap_or(self.ends.len())
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Index in [`Rows::items`] at which row `r` starts.
    #[inline]
    pub fn start(&self, r: usize) -> usize {
        if self.width > 0 {
            r * self.width
        } else if r == 0 {
            0
        } else {
            self.ends[r - 1] as usize
        }
    }

    /// Row `r`.
    #[inline(always)]
    pub fn row(&self, r: usize) -> &[u32] {
        if self.width > 0 {
            return &self.items[r * self.width..(r + 1) * self.width];
        }
        &self.items[self.start(r)..self.ends[r] as usize]
    }

    /// All rows as arrays, if they are of that one width.
    pub(super) fn arrays<const N: usize>(&self) -> Option<&[[u32; N]]> {
        (self.width == N).then(|| self.items.as_chunks().0)
    }

    /// The row that an item is in.
    pub(super) fn rows_of_items(&self) -> impl Fn(u32) -> u32 + Sync + use<> {
        let width = self.width as u32;
        let length = |r: usize| self.row(r).len();
        let rows: Vec<u32> = match width {
            0 => (0..self.len()).flat_map(|r| repeat_n(r as u32, length(r))).collect(),
            _ => Vec::new(),
        };
        move |item| match width {
            0 => rows[item as usize],
            4 => item / 4, // quickly
            width => item / width,
        }
    }

    /// All items, alone.
    pub(super) fn into_items(self) -> Vec<u32> {
        self.items
    }

    /// All items, row by row.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|r| self.row(r))
    }

    /// The transposed relation: row `i` of the result lists, ascending, the rows
    /// of `self` that contain `i`, for `i < columns` (a counting sort).
    pub fn transpose(&self, columns: usize) -> Self {
        Self::transposed(columns, self.len(), |r| self.row(r as usize).iter().copied())
    }

    /// Row `i` of the result lists, ascending, the `r` below `count` of whose `columns_of` one
    /// is `i`, for `i < columns`: [`Rows::transpose`] of rows that are not stored.
    pub(crate) fn transposed<I: Iterator<Item = u32>>(
        columns: usize,
        count: usize,
        columns_of: impl Fn(u32) -> I + Sync,
    ) -> Self {
        Self::grouped(columns, count, |row| columns_of(row).map(move |column| (column, row)))
    }

    /// Row `i` of the result lists, for `i < columns`, the values of all `(i, value)` in the
    /// `entries_of` the rows below `count`, in their order.
    pub(super) fn grouped<I: Iterator<Item = (u32, u32)>>(
        columns: usize,
        count: usize,
        entries_of: impl Fn(u32) -> I + Sync,
    ) -> Self {
        let groups = CountingSort::of(columns, count, |row, counts| {
            entries_of(row).for_each(|(column, _)| _ = advance(counts, column));
        });
        let mut items = pages::zeros(groups.len());
        let places = together(&mut items);
        let ends = groups.place(|row, next| {
            entries_of(row).for_each(|(column, value)| {
                places[advance(next, column)].store(value, Relaxed);
            });
        });
        Self::from_parts(ends, items)
    }
}
