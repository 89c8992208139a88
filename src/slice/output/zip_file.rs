//! A zip that grows file by file, and gets its name when it is whole.

use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::spool::Spool;
use crate::error::Result;
use crate::io::{ZipEntry, ZipMethod, central_directory};

/// A zip without a name.
pub struct ZipFile {
    body: Spool,
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
        Ok(Self { body: Spool::create(path)?, entries: Vec::new(), end: 0 })
    }

    /// Adds a file; returns its length. Images of PNG stay as they are. A file has at most 4 GB.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if the zip cannot be written or `content` read.
    pub fn push(&mut self, name: &str, content: impl Read) -> Result<u64> {
        let (entry, packed, length) =
            self.packed(name, content).map_err(|e| self.body.refused(e))?;
        for part in [entry.local_header(), packed] {
            self.body.push(&part)?;
            self.end += part.len() as u64;
        }
        self.entries.push(entry);
        Ok(length)
    }

    /// A file as it stands in the zip, and its length.
    fn packed(&self, name: &str, mut content: impl Read) -> io::Result<(ZipEntry, Vec<u8>, u64)> {
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
        Ok((entry, packed, length))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if it cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.body.push(&central_directory(&self.entries, self.end))?;
        self.body.finish(|out, body| io::copy(body, out).map(drop))
    }
}
