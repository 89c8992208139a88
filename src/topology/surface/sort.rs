//! Radix sort of pairs of 32-bit ids, the primitive that all adjacency here is built
//! from: equal pairs become neighbors, a scan over them numbers the edges.
//!
//! Least significant digit first, 11 bits a pass, only as many passes as the largest ids
//! need. A pass counts digits a block of the input, scans the counts digit by digit and
//! block by block, and moves every item to its final index, so that it is stable and gives the
//! same order with any number of threads (and on any processor).

use rayon::prelude::*;

use crate::disjoint::DisjointArray;
use crate::interrupt::stop_point;

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Items a block counts.
const BLOCK_ITEMS: usize = 1 << 16;

/// A pair of ids as a number, its first id in the upper half, and what belongs to it.
pub(super) type KeyedPair = (u64, u32);

/// Sorts by key; items of equal keys keep their order. `bound` is above all ids.
pub(super) fn sort(items: &mut Vec<KeyedPair>, bound: usize) {
    if items.len() < DIGITS {
        return items.sort_by_key(|item| item.0);
    }
    let bits = usize::BITS - bound.leading_zeros();
    let digits = (0..bits).step_by(DIGIT_BITS as usize);
    let mut other = vec![(0, 0); items.len()];
    for shift in digits.clone().chain(digits.map(|shift| shift + 32)) {
        let digit = |&(key, _): &KeyedPair| (key >> shift) as usize & (DIGITS - 1);
        let mut counts: Vec<Vec<u32>> = items
            .par_chunks(BLOCK_ITEMS)
            .map(|block| {
                stop_point();
                let mut counts = vec![0; DIGITS];
                block.iter().for_each(|item| counts[digit(item)] += 1);
                counts
            })
            .collect();
        let mut start = 0;
        for d in 0..DIGITS {
            for counts in &mut counts {
                (counts[d], start) = (start, start + counts[d]);
            }
        }
        let moved = DisjointArray::new(&mut other);
        items.par_chunks(BLOCK_ITEMS).zip(&mut counts).for_each(|(block, next)| {
            stop_point();
            for item in block {
                let place = &mut next[digit(item)];
                // SAFETY: the scan gives every item of every block a place of its own
                unsafe { moved.write(*place as usize, *item) };
                *place += 1;
            }
        });
        std::mem::swap(items, &mut other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::testing::Random;

    #[test]
    fn sorts_stably_over_block_boundaries() {
        for bound in [1usize, 7, 5000, 3_000_000] {
            let mut numbers = Random::new(1);
            let mut random = || numbers.below(bound as u64);
            let mut items: Vec<KeyedPair> =
                (0..200_000).map(|i| (random() << 32 | random(), i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort(&mut items, bound);
            assert!(items == expected, "ids below {bound}");
        }
    }
}
