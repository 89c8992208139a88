//! Rows of numbers.

use std::fmt::Display;
use std::io::{self, Write};

use crate::io::write::text_rows::write_rows;

/// Rows whose text is made at a time.
const STEP: usize = 4096;

/// Writes `count` rows; `row` appends the text of one.
pub fn rows(
    out: &mut dyn Write,
    count: usize,
    row: impl Fn(usize, &mut Vec<u8>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let mut out = out;
    write_rows(&mut out, count, STEP, |range, text| {
        range.into_iter().try_for_each(|i| row(i, text))
    })
}

/// Appends numbers with a gap after each but the last, then the end of the line.
pub fn line<T: Display>(
    text: &mut dyn Write,
    numbers: impl IntoIterator<Item = T>,
    gap: &str,
) -> io::Result<()> {
    for (i, number) in numbers.into_iter().enumerate() {
        write!(text, "{}{number}", if i == 0 { "" } else { gap })?;
    }
    text.write_all(b"\n")
}

/// Writes numbers, 16 a line at most, as decks have them.
pub fn list<T: Display>(
    out: &mut dyn Write,
    numbers: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    let mut numbers = numbers.into_iter().peekable();
    while numbers.peek().is_some() {
        line(out, numbers.by_ref().take(16), ", ")?;
    }
    Ok(())
}

/// A point as text: the shortest digits that are read back as the same numbers.
pub fn point([x, y, z]: [f64; 3], gap: &str) -> String {
    format!("{x:?}{gap}{y:?}{gap}{z:?}")
}

/// A name that may stand in double quotes.
pub fn unquoted(name: &str) -> String {
    name.replace('"', "'")
}
