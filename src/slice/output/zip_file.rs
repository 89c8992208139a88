//! A zip that grows file by file, and gets its name when it is whole.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::zip_target::ZipTarget;
use crate::error::Result;
use crate::io::atomic;

/// A zip without a name.
pub struct ZipFile {
    path: PathBuf,
    // the same open file
    file: File,
    zip: ZipWriter<ZipTarget<BufWriter<File>>>,
}

impl ZipFile {
    /// Starts a file for `path`.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if it cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        atomic::check(path)?;
        let file = atomic::unnamed(path)?;
        let target = file.try_clone().map_err(|e| atomic::refused(path, e))?;
        let zip = ZipWriter::new(ZipTarget::new(BufWriter::new(target)));
        Ok(Self { path: path.to_owned(), file, zip })
    }

    /// Adds a file; returns its length. Images of PNG stay as they are. A file has at most 4 GB.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if the zip cannot be written or `content` read.
    pub fn push(&mut self, name: &str, mut content: impl Read) -> Result<u64> {
        let method = if name.ends_with(".png") {
            CompressionMethod::Stored
        } else {
            CompressionMethod::Deflated
        };
        // without a date, so that equal files give equal bytes
        let options = SimpleFileOptions::default().compression_method(method);
        self.zip
            .start_file(name, options)
            .map_err(io::Error::from)
            .and_then(|()| io::copy(&mut content, &mut self.zip))
            .map_err(|e| atomic::refused(&self.path, e))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if it cannot be written.
    pub fn finish(self) -> Result<()> {
        let Self { path, mut file, zip } = self;
        let refused = |e| atomic::refused(&path, e);
        let mut target = zip.finish().map_err(|e| refused(e.into()))?;
        target.flush().and_then(|()| target.complete()).map_err(refused)?;
        file.rewind().map_err(refused)?;
        atomic::write(&path, |out| io::copy(&mut file, out).map(drop).map_err(refused))
    }
}
