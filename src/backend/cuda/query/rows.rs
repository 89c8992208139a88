//! Rows of every query on the device.

use super::incidence::{Incidence, Lists};
use super::steps::{SortStream, array, bits, number};
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::sources::ROWS;
use crate::backend::cuda::sort::Items;
use crate::error::{Error, Result, option};
use crate::query::{Op, too_many};
use crate::topology::order::EntityKind;

/// Rows whose short ids have one base: `LANES` in the kernels.
const ROWS_OF_BASE: usize = 32;

/// Rows as operators visit them.
pub(in crate::backend::cuda) struct StoredRows {
    pub lists: Lists,
    // items less the base of their rows, where these lie within 2^16
    short_ids: Buffer<u16>,
    // [row / ROWS_OF_BASE]; u32::MAX where they lie farther apart
    bases: Buffer<u32>,
}

impl StoredRows {
    pub fn new(steps: &SortStream, lists: Lists) -> Result<Self> {
        let short_ids = steps.empty(lists.items.len())?;
        let bases = steps.empty(lists.count.div_ceil(ROWS_OF_BASE))?;
        let arguments = vec![lists.words(), number(lists.count), array(&short_ids), array(&bases)];
        steps.each(&ROWS, "shorten", lists.count, arguments)?;
        Ok(Self { lists, short_ids, bases })
    }

    /// `Rows` in the kernel of operators.
    pub fn words(&self) -> Argument {
        let Lists { count, starts, items } = &self.lists;
        let counts = *count as u64 | (items.len() as u64) << 32;
        let [starts, items] = [starts, items].map(|array| array.address(0));
        let arrays = [starts, items, self.short_ids.address(0), self.bases.address(0), counts];
        Argument::Words(Box::new(arrays))
    }
}

/// The rows of `op`, each ascending.
pub(super) fn rows(steps: &mut SortStream, mesh: &Incidence, op: Op) -> Result<Lists> {
    let (from, to) = (op.from(), op.to());
    if from > to {
        return down(steps, mesh, op, from, to);
    }
    if from < to {
        let down = down(steps, mesh, op, to, from)?;
        return transpose(steps, &down, mesh.count(from));
    }
    let via = op.common();
    let (there, back) = if from > via {
        let there = down(steps, mesh, op, from, via)?;
        let back = transpose(steps, &there, mesh.count(via))?;
        (there, back)
    } else {
        let back = down(steps, mesh, op, via, from)?;
        (transpose(steps, &back, mesh.count(from))?, back)
    };
    near(steps, &op.to_string(), &there, &back, false)
}

/// Vertices one to k + 1 edges away from those that are one to k, and from those one edge away.
pub(super) fn wider_ring(steps: &mut SortStream, ring: &Lists, neighbors: &Lists) -> Result<Lists> {
    near(steps, "a k-ring", ring, neighbors, true)
}

/// What elements of a kind have of a lower one.
fn down(
    steps: &mut SortStream,
    mesh: &Incidence,
    op: Op,
    from: EntityKind,
    to: EntityKind,
) -> Result<Lists> {
    let count = mesh.count(from);
    let arguments =
        || vec![mesh.words(), number(from as usize), number(to as usize), number(count)];
    gather(steps, &op.to_string(), count, ["measure_down", "gather_down"], arguments)
}

/// The other elements in the rows back of an element's row; with `through` also these.
fn near(
    steps: &mut SortStream,
    name: &str,
    there: &Lists,
    back: &Lists,
    through: bool,
) -> Result<Lists> {
    let arguments = || {
        let through = number(usize::from(through));
        vec![there.words(), back.words(), through, number(there.count)]
    };
    gather(steps, name, there.count, ["measure_near", "gather_near"], arguments)
}

/// Rows by two kernels that take the same arguments: one measures, one writes.
fn gather(
    steps: &mut SortStream,
    name: &str,
    count: usize,
    [measure, write]: [&'static str; 2],
    arguments: impl Fn() -> Vec<Argument>,
) -> Result<Lists> {
    let starts = steps.empty::<u32>(count + 1)?;
    let tally = steps.of(&[0_u64; 2])?;
    let mut own = arguments();
    own.extend([array(&starts), array(&tally)]);
    steps.each(&ROWS, measure, count, own)?;
    let entries = tally.read_at(&steps.stream, 0)?;
    if entries > u64::from(u32::MAX) {
        return Err(too_many(name));
    }
    steps.scan(&starts, count)?;
    let items = steps.empty::<u32>(entries as usize)?;
    let lengths = steps.empty::<u32>(count + 1)?;
    let mut own = arguments();
    own.extend([array(&starts), array(&items), array(&lengths), array(&tally)]);
    steps.each(&ROWS, write, count, own)?;
    let repeated = tally.read_at(&steps.stream, 1)?;
    let rows = Lists { count, starts, items };
    if repeated == 0 {
        return Ok(rows);
    }
    steps.scan(&lengths, count)?;
    let items = steps.empty((entries - repeated) as usize)?;
    let arguments = vec![rows.words(), array(&lengths), number(count), array(&items)];
    steps.each(&ROWS, "compact", count, arguments)?;
    Ok(Lists { count, starts: lengths, items })
}

/// For each of `count` elements the rows that it is in, ascending.
fn transpose(steps: &mut SortStream, rows: &Lists, count: usize) -> Result<Lists> {
    let entries = rows.items.len();
    let of_items = steps.empty::<u32>(entries)?;
    let arguments = vec![array(&rows.starts), number(rows.count), array(&of_items)];
    steps.each(&ROWS, "expand", rows.count, arguments)?;
    let items = Items { keys: rows.items.address(0), values: of_items.address(0) };
    if entries >= 1 << 31 {
        return Err(Error::request(format!("{entries} entries of rows to sort on a GPU"))
            .with_help(message!(
                "2^31 at most: take the mesh in parts, or ",
                option("backend", "cpu")
            )));
    }
    let sorted = steps.sort(items, entries, bits(count))?;
    let (starts, items) = (steps.empty::<u32>(count + 1)?, steps.empty::<u32>(entries)?);
    let arguments = vec![
        Argument::Address(sorted.keys),
        Argument::Address(sorted.values),
        number(entries),
        number(count),
        array(&starts),
        array(&items),
    ];
    steps.each(&ROWS, "start_rows", entries.max(count + 1), arguments)?;
    Ok(Lists { count, starts, items })
}
