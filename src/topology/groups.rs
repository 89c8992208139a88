//! A counting sort by several threads.

use crate::interrupt::stop_point;
use std::ops::Range;

use rayon::prelude::*;

/// Rows or groups a work item of a parallel loop covers.
pub(super) const TASK_ROWS: usize = 1024;

/// Maximum number of shares of a counting sort: each has its own counts of all columns.
const MAX_SHARES: usize = 4;

/// A counting sort under way: what rows hold goes to groups, in the order of the rows.
///
/// Every thread counts, and then places, a range of rows of its own; where a range
/// begins within a group follows from the counts of the ranges before, so that the
/// result does not depend on their number.
pub(super) struct CountingSort {
    /// The end of each group.
    pub ends: Vec<u32>,
    rows: usize,
    // of each range of rows the next place in every group
    next: Vec<Vec<u32>>,
}

/// Number of entries that a row holds of each group, or the index of the next entry of each.
pub(super) type Counters = [u32];

/// What is done with a run of rows.
type RowRunVisitor<'a> = &'a (dyn Fn(Range<u32>, &mut Counters) + Sync);

/// The counter's value before it grows by one.
#[inline(always)]
pub(super) fn advance(counters: &mut Counters, group: u32) -> usize {
    let counter = &mut counters[group as usize];
    *counter += 1;
    (*counter - 1) as usize
}

impl CountingSort {
    /// Sorts what the `rows` hold into `groups`; `count` advances the group of each.
    pub fn of(groups: usize, rows: usize, count: impl Fn(u32, &mut Counters) + Sync) -> Self {
        Self::of_shares(groups, rows, &|rows, counts| {
            for row in rows {
                stop_point();
                count(row, counts);
            }
        })
    }

    /// [`Self::of`] by runs of rows. Compiled once for all that it is called with.
    fn of_shares(groups: usize, rows: usize, count: RowRunVisitor<'_>) -> Self {
        let shares = rayon::current_num_threads().min(MAX_SHARES).min(rows / TASK_ROWS).max(1);
        let count_share = |share: usize| {
            let mut counts = vec![0; groups];
            count(range(share, shares, rows), &mut counts);
            counts
        };
        let mut next: Vec<Vec<u32>> = (0..shares).into_par_iter().map(count_share).collect();
        let mut ends = Vec::with_capacity(groups);
        let mut end = 0;
        for group in 0..groups {
            for counts in &mut next {
                end += std::mem::replace(&mut counts[group], end);
            }
            ends.push(end);
        }
        Self { ends, rows, next }
    }

    /// Number of all that the rows hold.
    pub fn len(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Calls `place` with every row and the places where what it holds goes, which it must
    /// advance as it did when it counted; returns the end of each group.
    pub fn place(self, place: impl Fn(u32, &mut Counters) + Sync) -> Vec<u32> {
        self.place_shares(&|rows, next| {
            for row in rows {
                stop_point();
                place(row, next);
            }
        })
    }

    fn place_shares(mut self, place: RowRunVisitor<'_>) -> Vec<u32> {
        let (shares, rows) = (self.next.len(), self.rows);
        self.next.par_iter_mut().enumerate().for_each(|(share, next)| {
            place(range(share, shares, rows), next);
        });
        self.ends
    }
}

/// Consecutive groups.
pub(super) struct Chunk<'a, T> {
    first: u32,
    start: u32,
    ends: &'a [u32],
    items: &'a mut [T],
}

impl<'a, T> Chunk<'a, T> {
    /// Number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Number of items of all of them.
    pub(crate) fn item_count(&self) -> usize {
        self.items.len()
    }

    /// The groups, with their numbers.
    pub fn groups(self) -> impl Iterator<Item = (u32, &'a mut [T])> {
        let (mut start, mut rest) = (self.start, self.items);
        (self.first..).zip(self.ends).map(move |(group, &end)| {
            let items = take(&mut rest, (end - start) as usize);
            start = end;
            (group, items)
        })
    }
}

/// Groups of these ends in chunks of [`TASK_ROWS`], with their `items`.
pub(super) fn chunked<'a, T>(ends: &'a [u32], mut items: &'a mut [T]) -> Vec<Chunk<'a, T>> {
    let (mut first, mut start) = (0, 0);
    let cut = |ends: &'a [u32]| {
        let end = ends.last().map_or(start, |&end| end);
        let chunk = Chunk { first, start, ends, items: take(&mut items, (end - start) as usize) };
        (first, start) = (first + ends.len() as u32, end);
        chunk
    };
    ends.chunks(TASK_ROWS).map(cut).collect()
}

/// One of `shares` nearly equal ranges of rows.
fn range(share: usize, shares: usize, rows: usize) -> Range<u32> {
    (share * rows / shares) as u32..((share + 1) * rows / shares) as u32
}

/// Ranges of at most [`TASK_ROWS`] of `count` things.
pub(super) fn chunks(count: usize) -> impl IndexedParallelIterator<Item = Range<u32>> {
    let chunk = move |i: usize| {
        stop_point();
        (i * TASK_ROWS) as u32..((i + 1) * TASK_ROWS).min(count) as u32
    };
    (0..count.div_ceil(TASK_ROWS)).into_par_iter().map(chunk)
}

/// Running sums.
pub(super) fn scan(counts: impl Iterator<Item = u32>) -> Vec<u32> {
    counts
        .scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
        .collect()
}

pub(super) fn start(ends: &[u32], row: usize) -> u32 {
    if row == 0 { 0 } else { ends[row - 1] }
}

/// Cuts off the front of a slice that is handed out part by part.
pub(super) fn take<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let (front, back) = std::mem::take(rest).split_at_mut(len);
    *rest = back;
    front
}
