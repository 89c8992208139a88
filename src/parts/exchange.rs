//! Rows that ranks hold in blocks and request from one another.

use std::ops::Range;

use crate::cluster::{Ranks, block};
use crate::error::{Error, Result};
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

    /// The index in the block of a rank of an item that a message names.
    pub(super) fn place(&self, item: u32, rank: usize) -> Result<usize> {
        let (item, own) = (item as usize, self.range(rank));
        own.contains(&item).then(|| item - own.start).ok_or_else(Error::broken_message)
    }
}

/// Items that a rank asks for at a time: messages stay small beside what is made of them.
const BATCH_ITEMS: usize = 1 << 16;

/// A count of each rank.
pub(crate) fn gather_count(ranks: &Ranks<'_>, own: usize) -> Result<Vec<usize>> {
    let all = ranks.all_gather(Ok((own as u64).to_ne_bytes().to_vec()))?;
    all.iter().map(|bytes| Ok(next_count(&mut &bytes[..])? as usize)).collect()
}

/// Rounds that all ranks need for their items, as many as the one with most of them.
pub(super) fn rounds(ranks: &Ranks<'_>, items: usize) -> Result<usize> {
    let most = gather_count(ranks, items)?.into_iter().max().unwrap_or(0);
    Ok(most.div_ceil(BATCH_ITEMS))
}

/// The items of a round.
pub(super) fn batch(items: usize, round: usize) -> Range<usize> {
    (round * BATCH_ITEMS).min(items)..((round + 1) * BATCH_ITEMS).min(items)
}

/// Shows what their holders say of the items `wanted`, ascending: one answer behind another, in
/// messages. `answer` appends what this rank says of the one at an index of its own block.
pub(crate) fn fetch(
    ranks: &Ranks<'_>,
    holders: &Holders,
    wanted: &[u32],
    answer: impl Fn(usize, &mut Vec<u8>),
    mut show: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let answered = |wanted: Vec<u8>| {
        let mut bytes = Vec::new();
        for item in ids(&wanted)? {
            answer(holders.place(item, ranks.rank())?, &mut bytes);
        }
        Ok(bytes)
    };
    for round in 0..rounds(ranks, wanted.len())? {
        let mut to = vec![Vec::new(); ranks.size()];
        for &item in &wanted[batch(wanted.len(), round)] {
            to[holders.holder(item)].extend(item.to_ne_bytes());
        }
        let answers = ranks.all_to_all(Ok(to))?.into_iter().map(answered).collect();
        ranks.all_to_all(answers)?.iter().try_for_each(|bytes| show(bytes))?;
    }
    Ok(())
}

/// Sends pairs of an item and something to the items' holders, those of some things at a time;
/// shows a holder the indices in its block with their things.
pub(super) fn send<I: Iterator<Item = (u32, u32)>>(
    ranks: &Ranks<'_>,
    holders: &Holders,
    things: usize,
    pairs: impl Fn(usize) -> I,
    mut show: impl FnMut(usize, u32),
) -> Result<()> {
    for round in 0..rounds(ranks, things)? {
        let mut to = vec![Vec::new(); ranks.size()];
        for (item, thing) in batch(things, round).flat_map(&pairs) {
            to[holders.holder(item)].extend([item, thing].map(u32::to_ne_bytes).as_flattened());
        }
        for bytes in ranks.all_to_all(Ok(to))? {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let [item, thing] = next_ids(&mut rest)?;
                show(holders.place(item, ranks.rank())?, thing);
            }
        }
    }
    Ok(())
}

/// Ids in a message.
pub(crate) fn ids(bytes: &[u8]) -> Result<impl Iterator<Item = u32>> {
    let (ids, rest) = bytes.as_chunks();
    check_ended(rest)?;
    Ok(ids.iter().map(|&id| u32::from_ne_bytes(id)))
}

/// Numbers in a message.
pub(super) fn numbers(bytes: &[u8]) -> Result<impl Iterator<Item = f64>> {
    let (numbers, rest) = bytes.as_chunks();
    check_ended(rest)?;
    Ok(numbers.iter().map(|&number| f64::from_ne_bytes(number)))
}

/// Refuses a message that goes on behind what was taken from it.
pub(super) fn check_ended(rest: &[u8]) -> Result<()> {
    if rest.is_empty() { Ok(()) } else { Err(Error::broken_message()) }
}

/// Takes the next bytes from a message of this program.
pub(crate) fn next<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (item, rest) = bytes.split_first_chunk().ok_or_else(Error::broken_message)?;
    *bytes = rest;
    Ok(*item)
}

/// Takes the bytes of so many items of a size.
fn next_bytes<'b>(bytes: &mut &'b [u8], [count, size]: [usize; 2]) -> Result<&'b [u8]> {
    let taken = count.checked_mul(size).and_then(|length| bytes.split_at_checked(length));
    let (taken, rest) = taken.ok_or_else(Error::broken_message)?;
    *bytes = rest;
    Ok(taken)
}

/// Takes the next id from a message of this program.
pub(crate) fn next_id(bytes: &mut &[u8]) -> Result<u32> {
    next(bytes).map(u32::from_ne_bytes)
}

/// Takes the next ids from a message of this program.
pub(crate) fn next_ids<const N: usize>(bytes: &mut &[u8]) -> Result<[u32; N]> {
    let mut all = [0; N];
    for id in &mut all {
        *id = next_id(bytes)?;
    }
    Ok(all)
}

/// Takes so many ids from a message of this program.
pub(super) fn next_id_list(bytes: &mut &[u8], count: usize) -> Result<Vec<u32>> {
    Ok(ids(next_bytes(bytes, [count, size_of::<u32>()])?)?.collect())
}

/// Takes the next count from a message of this program.
pub(crate) fn next_count(bytes: &mut &[u8]) -> Result<u64> {
    next(bytes).map(u64::from_ne_bytes)
}

/// Takes the next number from a message of this program.
pub(crate) fn next_number(bytes: &mut &[u8]) -> Result<f64> {
    next(bytes).map(f64::from_ne_bytes)
}

/// Takes the next numbers from a message of this program.
pub(crate) fn next_numbers<const N: usize>(bytes: &mut &[u8]) -> Result<[f64; N]> {
    let mut all = [0.0; N];
    for number in &mut all {
        *number = next_number(bytes)?;
    }
    Ok(all)
}

/// Appends so many numbers of a message of this program to `values`.
pub(super) fn push_numbers(values: &mut Vec<f64>, bytes: &mut &[u8], count: usize) -> Result<()> {
    values.extend(numbers(next_bytes(bytes, [count, size_of::<f64>()])?)?);
    Ok(())
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
pub(super) fn next_cell(bytes: &mut &[u8], cells: &mut Cells) -> Result<()> {
    match *KINDS.get(next_id(bytes)? as usize).ok_or_else(Error::broken_message)? {
        CellKind::Polyhedron => {
            let count = next_id(bytes)?;
            let faces = (0..count).map(|_| next_face(bytes)).collect::<Result<Vec<_>>>()?;
            cells.push_polyhedron(faces.iter().map(Vec::as_slice));
        }
        kind => cells.push(kind, &next_id_list(bytes, kind.corners().unwrap_or_default())?),
    }
    Ok(())
}

/// Takes the vertices of a face, behind their number, from a message.
pub(super) fn next_face(bytes: &mut &[u8]) -> Result<Vec<u32>> {
    let corners = next_id(bytes)?;
    next_id_list(bytes, corners as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_are_cut_short_are_refused() {
        let mut cells = Cells::default();
        cells.push(CellKind::Tetrahedron, &[7, 2, 5, 1]);
        cells.push_polyhedron([&[0, 1, 2][..], &[0, 3, 1], &[1, 3, 2], &[2, 3, 0]]);
        let (mut bytes, mut first) = (Vec::new(), 0);
        for c in 0..2 {
            first = bytes.len();
            push_cell(&mut bytes, &cells, c);
        }
        let read = |mut bytes: &[u8]| -> Result<Cells> {
            let mut cells = Cells::default();
            while !bytes.is_empty() {
                next_cell(&mut bytes, &mut cells)?;
            }
            Ok(cells)
        };
        assert_eq!(read(&bytes).unwrap(), cells);
        for length in (1..bytes.len()).filter(|&length| length != first) {
            assert!(read(&bytes[..length]).is_err(), "{length} bytes");
        }
        bytes[0] = 9; // no kind of cell
        assert!(read(&bytes).is_err());
        assert!(ids(&bytes[..6]).is_err() && numbers(&bytes[..12]).is_err());
        assert_eq!(next_ids(&mut &bytes[4..12]).unwrap(), [7, 2]);
        assert!(next_numbers::<2>(&mut &bytes[..15]).is_err());
        let holders = Holders::of_blocks(5, 2);
        assert!(holders.place(0, 1).is_err() && holders.place(5, 1).is_err());
    }
}
