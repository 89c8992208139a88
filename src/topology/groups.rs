//! A counting sort by several threads, and arrays that threads fill together.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use crate::pages;

/// Rows or groups a work item of a parallel loop covers.
pub(super) const GRAIN: usize = 1024;

/// Vertices whose surroundings are brought close together.
pub(super) const BLOCK: usize = 64;

/// Most parts of a counting sort: each has its own counts of all columns.
const MOST_PARTS: usize = 4;

/// For each of `columns` the rows below `count` that `columns_of` leads there, ascending:
/// the end of each column, and all rows.
///
/// Every thread counts, and then places, a range of rows of its own; where a range
/// begins within a column follows from the counts of the ranges before, so that the
/// result does not depend on their number.
pub(super) fn group<I: Iterator<Item = u32>>(
    columns: usize,
    count: usize,
    columns_of: impl Fn(u32) -> I + Sync,
) -> (Vec<u32>, Vec<u32>) {
    let parts = rayon::current_num_threads().min(MOST_PARTS).min(count / GRAIN).max(1);
    let rows_of = |part: usize| (part * count / parts) as u32..((part + 1) * count / parts) as u32;
    let count_part = |part: usize| {
        let mut counts = vec![0_u32; columns];
        rows_of(part).flat_map(&columns_of).for_each(|column| counts[column as usize] += 1);
        counts
    };
    let mut next: Vec<Vec<u32>> = (0..parts).into_par_iter().map(count_part).collect();
    let mut ends = Vec::with_capacity(columns);
    let mut end = 0;
    for column in 0..columns {
        for counts in &mut next {
            end += std::mem::replace(&mut counts[column], end);
        }
        ends.push(end);
    }
    let mut rows = pages::zeros(end as usize);
    let places = together(&mut rows);
    next.par_iter_mut().enumerate().for_each(|(part, next)| {
        for row in rows_of(part) {
            for column in columns_of(row) {
                let at = &mut next[column as usize];
                places[*at as usize].store(row, Relaxed);
                *at += 1;
            }
        }
    });
    (ends, rows)
}

/// Numbers that threads may write at once, each at places of its own.
pub(super) fn together(numbers: &mut [u32]) -> &[AtomicU32] {
    let numbers: *mut [u32] = numbers;
    // SAFETY: the same layout, and nothing else reaches the numbers while they are lent.
    unsafe { &*(numbers as *const [AtomicU32]) }
}

/// Ranges of at most [`GRAIN`] of `count` things.
pub(super) fn chunks(count: usize) -> impl IndexedParallelIterator<Item = Range<u32>> {
    let chunk = move |i: usize| (i * GRAIN) as u32..((i + 1) * GRAIN).min(count) as u32;
    (0..count.div_ceil(GRAIN)).into_par_iter().map(chunk)
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
