//! Files that a deck takes lines from: `*INCLUDE, INPUT=file`, `*NODE, INPUT=file`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::deck::Deck;
use super::{fields, option, whole_keyword};
use crate::error::{Error, Result};
use crate::io::read::lines::Text;
use crate::io::source;

/// Files one of which includes the other.
const MAX_DEPTH: usize = 32;
/// Files that one deck includes, each as often as it is named.
const MAX_INCLUDES: usize = 1 << 16;

/// The files that a deck includes, and those that these include. Files that cannot be read are not
/// among them.
pub(super) struct Includes {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Includes {
    /// Reads the files that a deck names.
    pub fn read(path: &Path, bytes: &[u8]) -> Self {
        let mut files = BTreeMap::new();
        let mut new = inputs(path, bytes);
        while let Some(path) = new.pop() {
            if files.contains_key(&path) || files.len() == MAX_INCLUDES {
                continue;
            }
            if let Ok(bytes) = source::file_bytes(&path) {
                new.extend(inputs(&path, &bytes));
                files.insert(path, bytes);
            }
        }
        Self { files }
    }

    /// The paths of the files.
    pub fn paths(self) -> impl Iterator<Item = PathBuf> {
        self.files.into_keys()
    }

    /// The bytes of all files.
    pub fn bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.files.values().map(Vec::as_slice)
    }
}

/// The path of the file that a deck calls `name`.
fn included(deck: &Path, name: &str) -> PathBuf {
    deck.parent().unwrap_or(Path::new("")).join(name)
}

/// Files that the keywords of a deck name.
fn inputs(path: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let mut text = Text::new(path, bytes);
    let mut inputs = Vec::new();
    while let Some(line) = text.next_line() {
        let Some(keyword) = line.strip_prefix(b"*").filter(|rest| !rest.starts_with(b"*")) else {
            continue;
        };
        let line = whole_keyword(&mut text, keyword);
        let input = option(&fields(&line), "INPUT").map(|name| included(path, name));
        inputs.extend(input);
    }
    inputs
}

impl<'a> Deck<'a> {
    /// Reads the lines of a file in place of the keyword that names it.
    pub(super) fn include(&mut self, name: &str) -> Result<()> {
        let refused = |message: String, help: &str| {
            let message = format!("the included file {name}: {message}");
            Err(self.text.error(message).with_help(help))
        };
        let wanted = included(self.assembly.path, name);
        let Some((path, bytes)) = self.includes.files.get_key_value(&wanted) else {
            let why = source::file_bytes(&wanted).err();
            let why = why.map_or("there are too many".into(), |why: Error| why.to_string());
            return refused(why, "keep it where the deck names it, relative to the deck's folder");
        };
        if self.depth == MAX_DEPTH || self.included == MAX_INCLUDES {
            return refused("it includes itself".into(), "name every file once");
        }
        self.included += 1;
        self.depth += 1;
        self.within(Text::new(path, bytes))?;
        self.depth -= 1;
        Ok(())
    }

    /// Reads other lines, and goes on where it was.
    pub(super) fn within(&mut self, text: Text<'a>) -> Result<()> {
        let at = std::mem::replace(&mut self.text, text);
        let path = std::mem::replace(&mut self.assembly.path, text.path());
        self.read_lines()?;
        (self.text, self.assembly.path) = (at, path);
        Ok(())
    }
}
