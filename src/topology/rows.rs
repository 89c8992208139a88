//! Rows of varying length in two flat arrays.

use super::groups::group;

/// Rows of `u32` stored one after another: row `r` is `items[ends[r - 1]..ends[r]]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// Rows of one fixed `width`.
    pub fn uniform(items: Vec<u32>, width: usize) -> Self {
        let count = items.len() / width.max(1);
        Self { ends: (1..=count).map(|r| (r * width) as u32).collect(), items }
    }

    /// Rows with room for `rows` rows and `items` items.
    pub fn with_capacity(rows: usize, items: usize) -> Self {
        Self { ends: Vec::with_capacity(rows), items: Vec::with_capacity(items) }
    }

    /// Rows from the end of each row and all items.
    pub fn from_parts(ends: Vec<u32>, items: Vec<u32>) -> Self {
        debug_assert_eq!(ends.last().map_or(0, |&e| e as usize), items.len());
        Self { ends, items }
    }

    /// Appends a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.items.extend(row);
        self.ends.push(self.items.len() as u32);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where row `r` starts in [`Rows::items`].
    pub fn start(&self, r: usize) -> usize {
        if r == 0 { 0 } else { self.ends[r - 1] as usize }
    }

    /// Row `r`.
    pub fn row(&self, r: usize) -> &[u32] {
        &self.items[self.start(r)..self.ends[r] as usize]
    }

    /// The end of each row among the items.
    pub fn ends(&self) -> &[u32] {
        &self.ends
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
        let rows = 0..self.len() as u32;
        let pairs = rows.flat_map(|r| self.row(r as usize).iter().map(move |&i| (i, r)));
        let (ends, items) = group(columns, self.items.iter().copied(), pairs);
        Self { ends, items }
    }

    /// Row `i` of the result lists, ascending, the `r` below `count` of whose `columns_of` one
    /// is `i`, for `i < columns`: [`Rows::transpose`] of rows that are not stored.
    pub(super) fn transposed<I: Iterator<Item = u32>>(
        columns: usize,
        count: usize,
        columns_of: impl Fn(u32) -> I + Copy,
    ) -> Self {
        let pairs = || (0..count as u32).flat_map(|r| columns_of(r).map(move |i| (i, r)));
        let (ends, items) = group(columns, pairs().map(|(i, _)| i), pairs());
        Self { ends, items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_restores_sorted_rows() {
        let mut rows = Rows::default();
        rows.push([0, 2, 3]);
        rows.push([]);
        rows.push([1, 2]);
        let transposed = rows.transpose(4);
        assert_eq!(transposed.row(2), [0, 2]);
        assert_eq!(transposed.row(1), [2]);
        assert_eq!(transposed.transpose(3), rows);
    }
}
