//! A file of all layers: what they become is kept in a file without a name, until what stands before
//! and behind it is known.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::io::atomic;

/// What layers became so far.
pub struct Spool {
    path: PathBuf,
    body: BufWriter<File>,
}

impl Spool {
    /// Starts a file for `path`.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        atomic::check(path)?;
        Ok(Self { path: path.to_owned(), body: BufWriter::new(atomic::unnamed(path)?) })
    }

    /// Adds to it.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.body.write_all(bytes).map_err(|e| self.refused(e))
    }

    /// Writes the file at the path; `write` gets it, and all that was added, from its start on.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn finish(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>, &mut File) -> io::Result<()>,
    ) -> Result<()> {
        let refused = |e| atomic::refused(&self.path, e);
        self.body.rewind().map_err(refused)?; // flushes
        let body = self.body.get_mut();
        atomic::write(&self.path, |out| write(out, body).map_err(refused))
    }

    /// The error of this file.
    pub fn refused(&self, error: io::Error) -> Error {
        atomic::refused(&self.path, error)
    }
}
