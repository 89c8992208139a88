//! A file whose sections have known lengths: pieces of each section go to their offset at once.

use std::io::{self, Seek, SeekFrom, Write};

use super::values::ArrayValues;

/// Sections of known lengths, each after some text, in a file that pieces are written to in any
/// order.
pub struct PlacedSections {
    sections: Vec<PlacedSection>,
    // where the file is written next, and ends
    at: u64,
    end: u64,
}

struct PlacedSection {
    // until it is written
    text: Option<Vec<u8>>,
    next: u64,
}

impl PlacedSections {
    /// A file from its start: of each section the text before it and its bytes.
    pub fn new(sections: impl IntoIterator<Item = (Vec<u8>, u64)>) -> Self {
        let mut end = 0;
        let placed = |(text, bytes): (Vec<u8>, u64)| {
            let next = end + text.len() as u64;
            end = next + bytes;
            PlacedSection { text: Some(text), next }
        };
        let sections = sections.into_iter().map(placed).collect();
        Self { sections, at: 0, end }
    }

    /// Adds values to a section. `seen` gets all bytes.
    pub fn append(
        &mut self,
        out: &mut (impl Write + Seek),
        section: usize,
        values: &ArrayValues<'_>,
        mut seen: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        let own = &mut self.sections[section];
        if let Some(text) = own.text.take() {
            write_at(out, &mut self.at, own.next - text.len() as u64, &text)?;
        }
        values.write(|bytes| {
            seen(bytes);
            write_at(out, &mut self.at, own.next, bytes)?;
            own.next += bytes.len() as u64;
            Ok(())
        })
    }

    /// Bytes of the file, without its tail.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Overwrites the bytes at an offset.
    pub fn overwrite(
        &mut self,
        out: &mut (impl Write + Seek),
        offset: u64,
        bytes: &[u8],
    ) -> io::Result<()> {
        write_at(out, &mut self.at, offset, bytes)
    }

    /// Writes the end of the file.
    pub fn finish(mut self, out: &mut (impl Write + Seek), tail: &[u8]) -> io::Result<()> {
        write_at(out, &mut self.at, self.end, tail)
    }
}

fn write_at(
    out: &mut (impl Write + Seek),
    at: &mut u64,
    offset: u64,
    bytes: &[u8],
) -> io::Result<()> {
    if *at != offset {
        out.seek(SeekFrom::Start(offset))?;
    }
    out.write_all(bytes)?;
    *at = offset + bytes.len() as u64;
    Ok(())
}
