//! Rules that hold for the source text.

mod architecture;
mod doors;
mod project;
mod wording;

use std::fs;
use std::path::{Path, PathBuf};

/// The Rust files of `src` by their paths below it, sorted, with their text.
fn files() -> Vec<(PathBuf, String)> {
    files_of("src")
}

/// Those of a folder.
fn files_of(folder: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(&root).unwrap().to_owned(), text));
            }
        }
    }
    found.sort();
    found
}

/// The lines of code, with their numbers, without comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines());
    let code = lines.map(|(number, line)| (number, line.split(" // ").next().unwrap_or(line)));
    code.filter(|(_, line)| !line.trim_start().starts_with("//"))
}
