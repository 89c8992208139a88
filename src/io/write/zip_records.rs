//! Records of a zip archive. Headers can be written again once checksums and lengths are known, so
//! that files go to their offsets in any order, or are compressed in parallel.
//!
//! Specification: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (central directory),
//! 4.3.14–16 (its end) and 4.5.3 (long fields). The records are those that the crate `zip` writes.

use flate2::Crc;

const VERSION: u16 = 10;
const VERSION_DEFLATED: u16 = 20;
/// With long fields.
const VERSION_LONG: u16 = 45;
/// Names are in UTF-8.
const UTF8: u16 = 1 << 11;
/// 1980-01-01, the first day there is: the bytes of a file do not depend on the clock.
const DATE: u16 = 1 << 5 | 1;
const UNIX: u16 = 3 << 8;
/// A file that all may read and its owner write.
const MODE: u32 = 0o100_644 << 16;
/// Stands for a number in a long field.
const ZIP64_MARKER: u32 = u32::MAX;

/// How the bytes of a file are stored in the archive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ZipMethod {
    /// As they are.
    Stored,
    /// As a stream of deflate.
    Deflated,
}

/// A file in the archive.
pub struct ZipEntry {
    name: String,
    start: u64,
    method: ZipMethod,
    // in the archive, and unpacked
    lengths: [u64; 2],
    long: bool,
    checksum: Crc,
}

impl ZipEntry {
    /// A file whose local header starts at `start`; lengths are in long fields if it is `long`.
    pub fn new(name: String, start: u64, method: ZipMethod, long: bool) -> Self {
        Self { name, start, method, lengths: [0; 2], long, checksum: Crc::new() }
    }

    /// Sets the lengths in the archive and of the file, in bytes.
    pub fn set_lengths(&mut self, packed: u64, bytes: u64) {
        self.lengths = [packed, bytes];
    }

    /// Takes note of the next bytes of the file.
    pub fn add(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
    }

    /// Byte at which the local header starts.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// What stands before the bytes of the file, with the checksum of those so far.
    pub fn local_header(&self) -> Vec<u8> {
        let mut record = b"PK\x03\x04".to_vec();
        let long = if self.long { self.unpacked_first().to_vec() } else { Vec::new() };
        let extra = self.push_common(&mut record, &long);
        record.extend(self.name.as_bytes());
        record.extend(extra);
        record
    }

    fn central_header(&self) -> Vec<u8> {
        let mut record = b"PK\x01\x02".to_vec();
        record.extend((UNIX | self.version()).to_le_bytes());
        let mut long = if self.long { self.unpacked_first().to_vec() } else { Vec::new() };
        let start = u32::try_from(self.start).ok().filter(|&start| start < ZIP64_MARKER);
        if start.is_none() {
            long.push(self.start);
        }
        let extra = self.push_common(&mut record, &long);
        record.extend([0; 6]); // no comment, first disk, no attributes of the contents
        record.extend(MODE.to_le_bytes());
        record.extend(start.unwrap_or(ZIP64_MARKER).to_le_bytes());
        record.extend(self.name.as_bytes());
        record.extend(extra);
        record
    }

    /// What both headers have in common, with the length of the extra field, which it returns.
    fn push_common(&self, record: &mut Vec<u8>, long: &[u64]) -> Vec<u8> {
        let mut extra = Vec::new();
        if !long.is_empty() {
            extra.extend(1_u16.to_le_bytes());
            extra.extend((8 * long.len() as u16).to_le_bytes());
            extra.extend(long.iter().flat_map(|number| number.to_le_bytes()));
        }
        let flags = if self.name.is_ascii() { 0 } else { UTF8 };
        let [packed, bytes] =
            self.lengths.map(|length| if self.long { ZIP64_MARKER } else { length as u32 });
        let method = match self.method {
            ZipMethod::Stored => 0,
            ZipMethod::Deflated => 8,
        };
        for number in [self.version(), flags, method, 0, DATE] {
            record.extend(number.to_le_bytes());
        }
        for number in [self.checksum.sum(), packed, bytes] {
            record.extend(number.to_le_bytes());
        }
        for number in [self.name.len(), extra.len()] {
            record.extend((number as u16).to_le_bytes());
        }
        extra
    }

    fn version(&self) -> u16 {
        match self.method {
            _ if self.long => VERSION_LONG,
            ZipMethod::Stored => VERSION,
            ZipMethod::Deflated => VERSION_DEFLATED,
        }
    }

    /// The lengths in the order of long fields.
    fn unpacked_first(&self) -> [u64; 2] {
        let [packed, bytes] = self.lengths;
        [bytes, packed]
    }
}

/// The end of an archive: its directory, which starts at `start`.
pub fn central_directory(entries: &[ZipEntry], start: u64) -> Vec<u8> {
    let mut directory: Vec<u8> = entries.iter().flat_map(ZipEntry::central_header).collect();
    let bytes = directory.len() as u64;
    let count = entries.len();
    let long = count > usize::from(u16::MAX) || bytes.max(start) > u64::from(ZIP64_MARKER);
    if long {
        let end = start + bytes;
        let version = entries.iter().map(ZipEntry::version).max().unwrap_or(VERSION);
        directory.extend(b"PK\x06\x06");
        directory.extend(44_u64.to_le_bytes());
        directory.extend([version; 2].map(u16::to_le_bytes).concat());
        directory.extend([0; 8]); // one disk
        for number in [count as u64, count as u64, bytes, start] {
            directory.extend(number.to_le_bytes());
        }
        directory.extend(b"PK\x06\x07");
        directory.extend(0_u32.to_le_bytes());
        directory.extend(end.to_le_bytes());
        directory.extend(1_u32.to_le_bytes());
    }
    directory.extend(b"PK\x05\x06");
    directory.extend([0; 4]); // one disk
    let count = u16::try_from(count).unwrap_or(u16::MAX);
    directory.extend([count; 2].map(u16::to_le_bytes).concat());
    let short = |number: u64| u32::try_from(number).unwrap_or(ZIP64_MARKER);
    directory.extend(if long { ZIP64_MARKER } else { short(bytes) }.to_le_bytes());
    directory.extend(short(start).to_le_bytes());
    directory.extend([0; 2]); // no comment
    directory
}
