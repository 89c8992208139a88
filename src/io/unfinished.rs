//! Files that are being written, so that a program that is stopped leaves none behind.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static PATHS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A hidden file or directory that does not have its final name yet.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    /// What `create` makes, at its `path`. There is no moment at which it exists unknown
    /// to [`remove_unfinished`].
    pub fn create<T>(
        create: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        let mut paths = paths();
        let created = create()?;
        let path = path(&created).to_owned();
        paths.insert(path.clone());
        Ok((created, Self(path)))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        paths().remove(&self.0);
    }
}

/// Removes the files that are being written at this moment. For a program that is about
/// to end, say by Ctrl-C: threads that go on writing wait for ever when they begin or
/// end a file.
pub fn remove_unfinished() {
    let paths = paths();
    for path in paths.iter() {
        // what is gone already needs no removal, and nobody is left to be told of others
        let _ = match path.is_dir() {
            true => std::fs::remove_dir_all(path),
            false => std::fs::remove_file(path),
        };
    }
    std::mem::forget(paths);
}

fn paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}
