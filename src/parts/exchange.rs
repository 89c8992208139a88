//! Rows that ranks hold in blocks, and get from one another.

use std::ops::Range;

use crate::cluster::{Ranks, block};
use crate::error::Result;
use crate::mesh::{CellKind, Cells};

/// Which rank holds each of some items: every rank a run of them, in the order of the ranks.
#[derive(Clone, Debug)]
pub(crate) struct Holders {
    // [rank], and their end
    starts: Vec<usize>,
}

impl Holders {
    /// Blocks of `count` items: about as many each.
    pub fn of_blocks(count: usize, ranks: usize) -> Self {
        let starts = (0..ranks).map(|rank| block(count, rank, ranks).start);
        Self { starts: starts.chain([count]).collect() }
    }

    /// Runs that have so many items each.
    pub fn of_counts(counts: impl Iterator<Item = usize>) -> Self {
        let mut starts = vec![0];
        counts.for_each(|count| starts.push(starts[starts.len() - 1] + count));
        Self { starts }
    }

    /// So many items in place of each.
    pub fn times(&self, count: usize) -> Self {
        Self { starts: self.starts.iter().map(|start| start * count).collect() }
    }

    /// The items of a rank.
    pub fn range(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// Number of items.
    pub fn count(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The rank that holds an item.
    pub fn holder(&self, item: u32) -> usize {
        self.starts.partition_point(|&start| start <= item as usize) - 1
    }
}

/// Items that a rank asks for at a time: messages stay small beside what is made of them.
const BATCH: usize = 1 << 16;

/// Rounds that all ranks need for their items, as many as the one with most of them.
pub(super) fn rounds(ranks: &Ranks<'_>, items: usize) -> Result<usize> {
    let all = ranks.all_gather(Ok((items as u64).to_ne_bytes().to_vec()))?;
    let most = all.iter().map(|bytes| next_count(&mut &bytes[..])).max().unwrap_or(0);
    Ok((most as usize).div_ceil(BATCH))
}

/// The items of a round.
pub(super) fn batch(items: usize, round: usize) -> Range<usize> {
    (round * BATCH).min(items)..((round + 1) * BATCH).min(items)
}

/// Shows what their holders say of the items `wanted`, ascending: one answer behind another, in
/// messages. `answer` appends what this rank says of the one at a place of its own block.
pub(crate) fn fetch(
    ranks: &Ranks<'_>,
    holders: &Holders,
    wanted: &[u32],
    answer: impl Fn(usize, &mut Vec<u8>),
    mut show: impl FnMut(&[u8]),
) -> Result<()> {
    let own = holders.range(ranks.rank());
    let answered = |wanted: Vec<u8>| {
        let mut bytes = Vec::new();
        ids(&wanted).for_each(|item| answer(item as usize - own.start, &mut bytes));
        bytes
    };
    for round in 0..rounds(ranks, wanted.len())? {
        let mut to = vec![Vec::new(); ranks.size()];
        for &item in &wanted[batch(wanted.len(), round)] {
            to[holders.holder(item)].extend(item.to_ne_bytes());
        }
        let answers = ranks.all_to_all(Ok(to))?.into_iter().map(answered).collect();
        ranks.all_to_all(Ok(answers))?.iter().for_each(|bytes| show(bytes));
    }
    Ok(())
}

/// Sends pairs of an item and something to the items' holders, those of some things at a time; shows
/// a holder the places in its block with their things.
pub(super) fn send<I: Iterator<Item = (u32, u32)>>(
    ranks: &Ranks<'_>,
    holders: &Holders,
    things: usize,
    pairs: impl Fn(usize) -> I,
    mut show: impl FnMut(usize, u32),
) -> Result<()> {
    let own = holders.range(ranks.rank());
    for round in 0..rounds(ranks, things)? {
        let mut to = vec![Vec::new(); ranks.size()];
        for (item, thing) in batch(things, round).flat_map(&pairs) {
            to[holders.holder(item)].extend([item, thing].map(u32::to_ne_bytes).as_flattened());
        }
        for bytes in ranks.all_to_all(Ok(to))? {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                show(next_id(&mut rest) as usize - own.start, next_id(&mut rest));
            }
        }
    }
    Ok(())
}

/// Ids in a message.
pub(crate) fn ids(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|&id| u32::from_ne_bytes(id))
}

/// Numbers in a message.
pub(super) fn numbers(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    bytes.as_chunks().0.iter().map(|&number| f64::from_ne_bytes(number))
}

/// Takes the next item from a message of this program.
fn next<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (item, rest) = bytes.split_first_chunk().unwrap_or((&[0; N], &[]));
    *bytes = rest;
    *item
}

/// Takes the next id from a message of this program.
pub(crate) fn next_id(bytes: &mut &[u8]) -> u32 {
    u32::from_ne_bytes(next(bytes))
}

/// Takes the next count from a message of this program.
pub(crate) fn next_count(bytes: &mut &[u8]) -> u64 {
    u64::from_ne_bytes(next(bytes))
}

/// Takes the next number from a message of this program.
pub(crate) fn next_number(bytes: &mut &[u8]) -> f64 {
    f64::from_ne_bytes(next(bytes))
}

/// Kinds by their numbers in messages.
const KINDS: [CellKind; 4] =
    [CellKind::Hexahedron, CellKind::Tetrahedron, CellKind::Wedge, CellKind::Polyhedron];

/// Appends a cell to a message: its kind, then its vertices or its faces.
pub(super) fn push_cell(bytes: &mut Vec<u8>, cells: &Cells, cell: usize) {
    let mut push = |ids: &[u32]| bytes.extend_from_slice(bytemuck::cast_slice(ids));
    let kind = cells.kind(cell);
    let number = KINDS.iter().position(|&known| known == kind).unwrap_or_default();
    push(&[number as u32]);
    if kind != CellKind::Polyhedron {
        return push(cells.vertices(cell));
    }
    let mut faces = 0;
    cells.for_each_face(cell, |_| faces += 1);
    push(&[faces]);
    cells.for_each_face(cell, |face| {
        push(&[face.len() as u32]);
        push(face);
    });
}

/// Takes a cell from a message.
pub(super) fn next_cell(bytes: &mut &[u8], cells: &mut Cells) {
    let list = |bytes: &mut &[u8], count: u32| (0..count).map(|_| next_id(bytes)).collect();
    match KINDS[next_id(bytes) as usize % KINDS.len()] {
        CellKind::Polyhedron => {
            let count = next_id(bytes);
            let face = |bytes: &mut &[u8]| {
                let corners = next_id(bytes);
                list(bytes, corners)
            };
            let faces: Vec<Vec<u32>> = (0..count).map(|_| face(bytes)).collect();
            cells.push_polyhedron(faces.iter().map(Vec::as_slice));
        }
        kind => {
            let corners = kind.corners().unwrap_or_default() as u32;
            let vertices: Vec<u32> = list(bytes, corners);
            cells.push(kind, &vertices);
        }
    }
}
