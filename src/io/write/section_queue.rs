//! Sections that a file has one after the other, from pieces that bring some of each.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::values::{ArrayValues, BLOCK_BYTES};
use crate::io::atomic;

/// What takes sections one after the other.
pub trait SectionSink {
    /// Begins the section, the one after the last.
    fn begin(&mut self, section: usize) -> io::Result<()>;
    /// Adds bytes to it.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Ends it.
    fn end(&mut self) -> io::Result<()>;
}

/// Keeps sections whose turn has not come in files without a name, on the disk of the output, as
/// long as a section before is not complete.
pub struct SectionQueue {
    output: PathBuf,
    sections: Vec<WaitingSection>,
    // the section whose turn it is, once it has begun
    turn: usize,
    begun: bool,
}

struct WaitingSection {
    // bytes to come
    missing: u64,
    file: Option<File>,
}

impl SectionQueue {
    /// Sections by their numbers of bytes, for `output`.
    pub fn new(output: &Path, bytes: impl IntoIterator<Item = u64>) -> Self {
        let waiting = |missing| WaitingSection { missing, file: None };
        let sections = bytes.into_iter().map(waiting).collect();
        Self { output: output.to_owned(), sections, turn: 0, begun: false }
    }

    /// Adds values to a section.
    pub fn append(
        &mut self,
        to: &mut impl SectionSink,
        section: usize,
        values: &ArrayValues<'_>,
    ) -> io::Result<()> {
        let waiting = &mut self.sections[section];
        waiting.missing -= values.byte_len() as u64;
        if section == self.turn {
            if !self.begun {
                to.begin(section)?;
                self.begun = true;
            }
            values.write(|bytes| to.append(bytes))?;
            return self.pass_on(to);
        }
        if waiting.file.is_none() {
            let file = atomic::unnamed_file(&self.output)?;
            waiting.file = Some(file);
        }
        let file = waiting.file.as_mut();
        values.write(|bytes| file.as_deref().map_or(Ok(()), |mut file| file.write_all(bytes)))
    }

    /// Gives the turn to the next section, as often as one is complete.
    fn pass_on(&mut self, to: &mut impl SectionSink) -> io::Result<()> {
        while self.begun && self.sections[self.turn].missing == 0 {
            to.end()?;
            self.turn += 1;
            self.begun = false;
            let Some(next) = self.sections.get_mut(self.turn) else { return Ok(()) };
            let Some(mut file) = next.file.take() else { return Ok(()) };
            to.begin(self.turn)?;
            self.begun = true;
            file.rewind()?;
            let mut block = vec![0; BLOCK_BYTES];
            loop {
                match file.read(&mut block)? {
                    0 => break,
                    count => to.append(&block[..count])?,
                }
            }
        }
        Ok(())
    }
}
