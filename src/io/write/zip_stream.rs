//! A zip archive whose files are written one after the other, of lengths that need not be known.

use std::io::{self, Seek, SeekFrom, Write};

use super::deflate::Deflater;
use super::zip_records::{ZipEntry, ZipMethod, central_directory};

/// Whether a file of so many bytes needs the long fields of the archive. Also deflate adds a little
/// to data that it cannot shrink.
pub fn is_large(bytes: u64) -> bool {
    bytes > u64::from(u32::MAX / 2)
}

/// A zip archive.
pub struct ZipStream<W: Write + Seek> {
    out: W,
    /// Compresses the archive, if asked for.
    deflater: Option<Deflater>,
    /// The files so far.
    entries: Vec<ZipEntry>,
    /// Whether the last of them is complete.
    is_complete: bool,
    /// Bytes of the last file: in the archive, and before compression.
    lengths: [u64; 2],
    /// Where the next bytes of the archive go.
    end: u64,
}

impl<W: Write + Seek> ZipStream<W> {
    /// An archive without files, at the start of `out`.
    pub fn new(out: W, compress: bool) -> Self {
        let deflater = compress.then(Deflater::default);
        Self { out, deflater, entries: Vec::new(), is_complete: true, lengths: [0; 2], end: 0 }
    }

    /// Begins a file, whose bytes are then given by [`ZipStream::append`]; ends the one before.
    /// `large`: whether it may be [so](is_large).
    pub fn begin(&mut self, name: String, large: bool) -> io::Result<()> {
        self.end()?;
        let method = if self.deflater.is_some() { ZipMethod::Deflated } else { ZipMethod::Stored };
        let entry = ZipEntry::new(name, self.end, method, large);
        let header = entry.local_header();
        self.out.write_all(&header)?;
        self.end += header.len() as u64;
        self.entries.push(entry);
        self.is_complete = false;
        Ok(())
    }

    /// Adds bytes to the file begun last.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(entry) = self.entries.last_mut() {
            entry.add(bytes);
        }
        let packed = match &mut self.deflater {
            None => {
                self.out.write_all(bytes)?;
                bytes.len() as u64
            }
            Some(deflater) => deflater.push(bytes, &mut self.out)?,
        };
        self.count(packed, bytes.len() as u64);
        Ok(())
    }

    /// Completes the last file, if it is not: its checksum and lengths are known by now. Returns the
    /// bytes that it had before compression.
    pub fn end(&mut self) -> io::Result<u64> {
        if std::mem::replace(&mut self.is_complete, true) {
            return Ok(0);
        }
        if let Some(deflater) = &mut self.deflater {
            let packed = deflater.finish(&mut self.out)?;
            self.count(packed, 0);
        }
        let [packed, bytes] = std::mem::take(&mut self.lengths);
        let Some(entry) = self.entries.last_mut() else { return Ok(bytes) };
        entry.set_lengths(packed, bytes);
        self.out.seek(SeekFrom::Start(entry.start()))?;
        self.out.write_all(&entry.local_header())?;
        self.out.seek(SeekFrom::Start(self.end))?;
        Ok(bytes)
    }

    /// Completes the archive.
    pub fn finish(mut self) -> io::Result<()> {
        self.end()?;
        self.out.write_all(&central_directory(&self.entries, self.end))
    }

    fn count(&mut self, packed: u64, bytes: u64) {
        self.lengths[0] += packed;
        self.lengths[1] += bytes;
        self.end += packed;
    }
}
