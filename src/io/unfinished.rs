//! Files that are being written, which are removed if the program is stopped.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Attempts at removing a directory that other threads still write into.
const REMOVALS: usize = 100;

/// What is to be removed with a stopped program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Removal {
    /// A file, or a folder with all that is in it.
    Whole,
    /// A folder that others may write into.
    IfEmpty,
}

/// What is unfinished, by paths.
#[derive(Debug)]
pub(crate) struct UnfinishedSet(BTreeMap<PathBuf, Removal>);

static PATHS: Mutex<UnfinishedSet> = Mutex::new(UnfinishedSet(BTreeMap::new()));

/// A file or directory that does not have its final name yet, or that nothing lists yet.
#[derive(Debug)]
pub(crate) struct UnfinishedPath(PathBuf);

impl UnfinishedPath {
    /// What `create` makes, at its `path`. There is no moment at which it exists unknown
    /// to [`remove_unfinished`].
    pub fn create<T>(
        create: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        let mut paths = paths();
        let created = create()?;
        let path = path(&created).to_owned();
        paths.0.insert(path.clone(), Removal::Whole);
        Ok((created, Self(path)))
    }

    /// A folder that is created unless it is there; it goes if nothing is in it.
    pub fn folder(path: PathBuf) -> io::Result<Option<Self>> {
        let mut paths = paths();
        match std::fs::create_dir(&path) {
            Ok(()) => {
                paths.0.insert(path.clone(), Removal::IfEmpty);
                Ok(Some(Self(path)))
            }
            Err(_) if path.is_dir() => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// A file that is to be written at `path`, under its final name.
    pub fn of(path: PathBuf) -> Self {
        paths().0.insert(path.clone(), Removal::Whole);
        Self(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for UnfinishedPath {
    fn drop(&mut self) {
        paths().0.remove(&self.0);
    }
}

/// Does what takes no time and must be done as a whole: a signal ends the program before or after
/// it.
pub(crate) fn at_once<T>(work: impl FnOnce(&mut UnfinishedSet) -> T) -> T {
    work(&mut paths())
}

impl UnfinishedSet {
    /// What is removed in one way.
    fn of(&self, own: Removal) -> impl DoubleEndedIterator<Item = &PathBuf> {
        self.0.iter().filter(move |(_, removal)| **removal == own).map(|(path, _)| path)
    }

    /// Makes a file or folder stay from now on.
    pub fn keep(&mut self, path: &Path) {
        self.0.remove(path);
    }
}

/// Removes the files that are being written at this moment. For a program that is about
/// to end, say by Ctrl-C: threads that go on writing wait for ever when they begin or
/// end a file.
pub fn remove_unfinished() {
    let paths = paths();
    // what is gone already needs no removal, and nobody is left to be told of others
    for path in paths.of(Removal::Whole) {
        if path.is_dir() { remove_directory(path) } else { drop(std::fs::remove_file(path)) }
    }
    // the inner ones of a folder are behind it
    paths.of(Removal::IfEmpty).rev().for_each(|path| drop(std::fs::remove_dir(path)));
    std::mem::forget(paths);
}

/// Removes a directory that other threads may still put files into. Under another name they
/// do not find it; what was put there before is removed at the latest in a further pass.
fn remove_directory(path: &Path) {
    let mut hidden = path.as_os_str().to_owned();
    hidden.push(".removed");
    let hidden = PathBuf::from(hidden);
    let path = if std::fs::rename(path, &hidden).is_ok() { &hidden } else { path };
    for _ in 0..REMOVALS {
        if std::fs::remove_dir_all(path).is_ok() || !path.exists() {
            return;
        }
    }
}

fn paths() -> MutexGuard<'static, UnfinishedSet> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}
