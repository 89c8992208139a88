//! A zip that grows file by file, and gets its name when it is whole.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::error::Result;
use crate::io::{ZipEntry, ZipMethod, atomic, central_directory};

/// A zip without a name.
pub struct ZipFile {
    path: PathBuf,
    // the same open file
    file: File,
    out: BufWriter<File>,
    entries: Vec<ZipEntry>,
    // where the next file goes
    end: u64,
}

impl ZipFile {
    /// Starts a file for `path`.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if it cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        atomic::check(path)?;
        let file = atomic::unnamed(path)?;
        let out = BufWriter::new(file.try_clone().map_err(|e| atomic::refused(path, e))?);
        Ok(Self { path: path.to_owned(), file, out, entries: Vec::new(), end: 0 })
    }

    /// Adds a file; returns its length. Images of PNG stay as they are. A file has at most 4 GB.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if the zip cannot be written or `content` read.
    pub fn push(&mut self, name: &str, content: impl Read) -> Result<u64> {
        self.append(name, content).map_err(|e| atomic::refused(&self.path, e))
    }

    fn append(&mut self, name: &str, mut content: impl Read) -> io::Result<u64> {
        let method = if name.ends_with(".png") { ZipMethod::Stored } else { ZipMethod::Deflated };
        let mut entry = ZipEntry::new(name.into(), self.end, method, false);
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        entry.add(&bytes);
        let length = bytes.len() as u64;
        let packed = match method {
            ZipMethod::Stored => bytes,
            ZipMethod::Deflated => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(&bytes)?;
                encoder.finish()?
            }
        };
        if length.max(packed.len() as u64) > u64::from(u32::MAX) {
            return Err(io::Error::other(format!("{name} has more than 4 GB")));
        }
        entry.set_lengths(packed.len() as u64, length);
        for part in [entry.local_header(), packed] {
            self.out.write_all(&part)?;
            self.end += part.len() as u64;
        }
        self.entries.push(entry);
        Ok(length)
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if it cannot be written.
    pub fn finish(self) -> Result<()> {
        let Self { path, mut file, mut out, entries, end } = self;
        let refused = |e| atomic::refused(&path, e);
        out.write_all(&central_directory(&entries, end)).map_err(refused)?;
        out.flush().map_err(refused)?;
        file.rewind().map_err(refused)?;
        atomic::write(&path, |out| io::copy(&mut file, out).map(drop).map_err(refused))
    }
}
