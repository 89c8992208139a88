//! Files that a deck takes lines from: `*INCLUDE, INPUT=file`, `*NODE, INPUT=file`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::keywords::{fields, option, whole_keyword};
use crate::io::read::lines::Text;
use crate::io::source;

/// Files that one deck includes, each as often as it is named.
pub(super) const MAX_INCLUDES: usize = 1 << 16;

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

    /// A file of these, and its bytes.
    pub fn get(&self, path: &Path) -> Option<(&Path, &[u8])> {
        self.files.get_key_value(path).map(|(path, bytes)| (path.as_path(), bytes.as_slice()))
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
pub(super) fn included(deck: &Path, name: &str) -> PathBuf {
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
