//! Text of many rows: made in parallel, written in order.

use crate::interrupt::stop_point;
use std::io::{self, Write};
use std::ops::Range;

use rayon::prelude::*;

/// Tasks per thread whose text is in memory at a time.
const TASKS_PER_THREAD: usize = 4;

/// What appends the text of a run of rows.
type RowText<'a> = &'a (dyn Fn(Range<usize>, &mut Vec<u8>) -> io::Result<()> + Sync);

/// Writes the text of `count` rows; `text` appends `step` rows at a time.
pub(crate) fn write_rows(
    out: &mut impl Write,
    count: usize,
    step: usize,
    text: impl Fn(Range<usize>, &mut Vec<u8>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    write_runs(out, count, step, &text)
}

/// [`write_rows`], compiled once for all that it is called with.
fn write_runs(out: &mut dyn Write, count: usize, step: usize, text: RowText<'_>) -> io::Result<()> {
    let batch = step * TASKS_PER_THREAD * rayon::current_num_threads();
    for first in (0..count).step_by(batch) {
        let starts: Vec<usize> = (first..count.min(first + batch)).step_by(step).collect();
        let texts: io::Result<Vec<Vec<u8>>> = starts
            .into_par_iter()
            .map(|start| {
                stop_point();
                let mut own = Vec::new();
                text(start..count.min(start + step), &mut own)?;
                Ok(own)
            })
            .collect();
        texts?.iter().try_for_each(|text| out.write_all(text))?;
    }
    Ok(())
}
