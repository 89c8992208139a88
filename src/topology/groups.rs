//! Grouping by a counting sort, and parallel work on groups of a few items.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

/// Groups or rows a work item of a parallel loop covers.
pub(super) const GRAIN: usize = 2048;

/// Groups the values of `pairs` (key, value) by their keys (each below `groups`),
/// keeping their order within a group (a counting sort): the end of each group,
/// and all values. `keys` are those of the pairs.
pub(super) fn group<T: Copy + Default>(
    groups: usize,
    keys: impl Iterator<Item = u32>,
    pairs: impl Iterator<Item = (u32, T)>,
) -> (Vec<u32>, Vec<T>) {
    let mut ends = vec![0_u32; groups + 1];
    for key in keys {
        ends[key as usize + 1] += 1;
    }
    for g in 0..groups {
        ends[g + 1] += ends[g];
    }
    let mut values = vec![T::default(); ends[groups] as usize];
    for (key, value) in pairs {
        let next = &mut ends[key as usize];
        values[*next as usize] = value;
        *next += 1;
    }
    ends.truncate(groups);
    (ends, values)
}

/// Numbers runs of equal items, group after group: the number of every item, and
/// the first item of every number.
pub(super) fn number<T: Sync>(
    ends: &[u32],
    items: &[T],
    equal: impl Fn(&T, &T) -> bool + Sync,
) -> (Vec<u32>, Vec<u32>) {
    let starts_run = |group: &[T], i: usize| i == 0 || !equal(&group[i - 1], &group[i]);
    let groups = |first: usize, count: usize| {
        (first..first + count).map(|g| (start(ends, g) as usize, ends[g] as usize))
    };
    let chunks: Vec<usize> = (0..ends.len()).step_by(GRAIN).collect();
    let size = |first: usize| GRAIN.min(ends.len() - first);
    // the first items of each chunk's runs
    let firsts: Vec<Vec<u32>> = chunks
        .par_iter()
        .map(|&first| {
            let runs = groups(first, size(first)).flat_map(|(start, end)| {
                let group = &items[start..end];
                (0..group.len()).filter(move |&i| starts_run(group, i)).map(move |i| start + i)
            });
            runs.map(|i| i as u32).collect()
        })
        .collect();
    let totals = scan(firsts.iter().map(|f| f.len() as u32));
    let mut numbers = vec![0; items.len()];
    split(ends, &mut numbers).into_par_iter().enumerate().for_each(|(chunk, (first, _, out))| {
        let origin = start(ends, first);
        let runs = &firsts[chunk];
        for (i, (number, &run)) in (start(&totals, chunk)..).zip(runs).enumerate() {
            let end = runs.get(i + 1).map_or(out.len(), |&next| (next - origin) as usize);
            out[(run - origin) as usize..end].fill(number);
        }
    });
    (numbers, firsts.concat())
}

/// An array of `len` numbers from all pairs (index, number), each index once.
pub(super) fn scatter(pairs: impl ParallelIterator<Item = (u32, u32)>, len: usize) -> Vec<u32> {
    let out: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
    pairs.for_each(|(at, number)| out[at as usize].store(number, Relaxed));
    out.into_iter().map(AtomicU32::into_inner).collect()
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

/// Splits rows for parallel work: (first row, ends of the rows, their items).
pub(super) fn split<'a, 'b, T>(
    ends: &'a [u32],
    items: &'b mut [T],
) -> Vec<(usize, &'a [u32], &'b mut [T])> {
    let mut rest = items;
    let mut from = 0;
    let mut parts = Vec::with_capacity(ends.len() / GRAIN + 1);
    for (chunk, ends) in ends.chunks(GRAIN).enumerate() {
        let end = ends[ends.len() - 1];
        let (head, tail) = rest.split_at_mut((end - from) as usize);
        parts.push((chunk * GRAIN, ends, head));
        rest = tail;
        from = end;
    }
    parts
}

/// Runs `work` on the slice of `items` of every group, in parallel.
pub(super) fn for_each_group<T: Send>(
    ends: &[u32],
    items: &mut [T],
    work: impl Fn(&mut [T]) + Sync,
) {
    split(ends, items).into_par_iter().for_each(|(first, own, mut slice)| {
        let mut from = start(ends, first);
        for &end in own {
            let (group, tail) = slice.split_at_mut((end - from) as usize);
            work(group);
            slice = tail;
            from = end;
        }
    });
}
