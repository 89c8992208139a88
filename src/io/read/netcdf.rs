//! NetCDF-3 files: classic, with 64-bit offsets, and with 64-bit data (Unidata, "NetCDF Classic
//! Format Specification").
//!
//! Numbers are big-endian; names and values are filled up to 4 bytes. Of arrays that grow along the
//! unlimited dimension the last record is read. Crates read none with 64-bit data and trust the sizes
//! in the header (`netcdf3`), or need the C library (`netcdf`).

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;

use crate::error::{Error, Message, Result};

/// Maximum number of dimensions, of attributes of one thing, or of arrays.
const MAX_ITEMS: u64 = 1 << 20;

/// Marks of the lists of the header.
const DIMENSIONS: u32 = 10;
const ARRAYS: u32 = 11;
const ATTRIBUTES: u32 = 12;

/// A file in memory whose header has been read.
pub(super) struct NetCdf<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    // names and lengths, 0 of the unlimited one
    dimensions: Vec<(String, u64)>,
    arrays: HashMap<String, NetCdfArray>,
    // of the arrays that grow: number of records, and bytes from one to the next
    records: usize,
    record: usize,
    // bytes that arrays may still take: none has those of another
    left: Cell<usize>,
}

struct NetCdfArray {
    dimensions: Vec<usize>,
    attributes: Vec<NetCdfAttribute>,
    kind: u32,
    begin: u64,
}

/// Name, kind, and where its values are.
type NetCdfAttribute = (String, u32, std::ops::Range<usize>);

/// Kind, shape and bytes of an array.
type ArrayValues<'a> = (u32, Vec<usize>, &'a [u8]);

/// Bytes of a number of a kind.
fn size_of(kind: u32) -> Option<usize> {
    match kind {
        1 | 2 | 7 => Some(1),
        3 | 8 => Some(2),
        4 | 5 | 9 => Some(4),
        6 | 10 | 11 => Some(8),
        _ => None,
    }
}

/// Whether bytes begin a NetCDF-3 file.
pub(super) fn is_netcdf(bytes: &[u8]) -> bool {
    matches!(bytes, [b'C', b'D', b'F', 1 | 2 | 5, ..])
}

impl<'a> NetCdf<'a> {
    /// Reads the header.
    pub fn new(path: &'a Path, bytes: &'a [u8]) -> Result<Self> {
        let version = bytes.get(3).copied().unwrap_or_default();
        let mut header = Header { path, bytes, at: 4, version };
        let records = header.number()?;
        let dimensions = header.list(DIMENSIONS, |h| Ok((h.name()?, h.number()?)))?;
        header.attributes()?;
        let arrays = header.list(ARRAYS, |h| {
            let name = h.name()?;
            let count = h.counted()?;
            let dimension = |_| Ok(usize::try_from(h.number()?).unwrap_or(usize::MAX));
            let dimensions = (0..count).map(dimension).collect::<Result<_>>()?;
            let (attributes, kind) = (h.attributes()?, h.int()?);
            h.number()?; // bytes, which follow from the shape
            let begin = if h.version == 1 { h.int()?.into() } else { h.long()? };
            Ok((name, NetCdfArray { dimensions, attributes, kind, begin }))
        })?;
        let arrays = arrays.into_iter().collect();
        let left = Cell::new(bytes.len());
        let mut file = Self { path, bytes, dimensions, arrays, records: 0, record: 0, left };
        let grow: Vec<&NetCdfArray> =
            file.arrays.values().filter(|array| file.grows(array)).collect();
        let sizes = grow.iter().map(|array| file.shape(array).map_or(0, |(_, bytes)| bytes));
        file.record = match grow.len() {
            1 => sizes.sum(),
            _ => sizes.fold(0, |sum, bytes| sum.saturating_add(bytes.next_multiple_of(4))),
        };
        // a file that was written in a stream does not say how many records it has
        let first = grow.iter().map(|array| array.begin).min().unwrap_or(0);
        let held = (bytes.len() as u64).saturating_sub(first) / file.record.max(1) as u64;
        file.records = records.min(held) as usize;
        Ok(file)
    }

    /// Number of arrays whose names begin so.
    pub fn count(&self, prefix: &str) -> usize {
        self.arrays.keys().filter(|name| name.starts_with(prefix)).count()
    }

    /// The length along a dimension; 0 if there is none of the name.
    pub fn length(&self, dimension: &str) -> u64 {
        self.dimensions.iter().find(|(name, _)| name == dimension).map_or(0, |(_, length)| *length)
    }

    /// The text of an attribute of an array.
    pub fn text_attribute(&self, array: &str, name: &str) -> Option<String> {
        let (_, _, range) = self
            .arrays
            .get(array)?
            .attributes
            .iter()
            .find(|(own, kind, _)| own == name && *kind == 2)?;
        Some(text(&self.bytes[range.clone()]))
    }

    /// Number of records of the arrays that grow.
    pub fn records(&self) -> usize {
        self.records
    }

    fn grows(&self, array: &NetCdfArray) -> bool {
        let first = array.dimensions.first().and_then(|&first| self.dimensions.get(first));
        first.is_some_and(|(_, length)| *length == 0)
    }

    /// The shape of an array, or of a record of it, and its bytes.
    fn shape(&self, array: &NetCdfArray) -> Option<(Vec<usize>, usize)> {
        let own = &array.dimensions[usize::from(self.grows(array))..];
        let lengths = own.iter().map(|&dimension| {
            usize::try_from(self.dimensions.get(dimension)?.1).ok().filter(|length| *length > 0)
        });
        let shape = lengths.collect::<Option<Vec<usize>>>()?;
        let bytes = shape.iter().try_fold(size_of(array.kind)?, |n, &x| n.checked_mul(x))?;
        Some((shape, bytes))
    }

    /// The shape of an array and its bytes, of one that grows those of its last record; `None` if
    /// there is none of the name.
    fn array(&self, name: &str) -> Result<Option<ArrayValues<'a>>> {
        let Some(array) = self.arrays.get(name) else { return Ok(None) };
        let before = match (self.grows(array), self.records) {
            (false, _) => 0,
            (true, 0) => return Ok(None),
            (true, records) => (records - 1).saturating_mul(self.record),
        };
        let found = self.shape(array).and_then(|(shape, count)| {
            let begin = usize::try_from(array.begin).ok()?.checked_add(before)?;
            let bytes = self.bytes.get(begin..begin.checked_add(count)?)?;
            self.left.set(self.left.get().checked_sub(count)?);
            Some((array.kind, shape, bytes))
        });
        found.map(Some).ok_or_else(|| {
            let message = format!("array `{name}` goes beyond the end of the file, or into others");
            Error::file(self.path, None, message).with_help(CUT)
        })
    }

    /// The lengths of an array along its dimensions; empty if there is none.
    pub fn shape_of(&self, name: &str) -> Vec<usize> {
        let shape = self.arrays.get(name).and_then(|array| self.shape(array));
        shape.map_or_else(Vec::new, |(shape, _)| shape)
    }

    /// The whole numbers of an array; empty if there is none.
    pub fn integers(&self, name: &str) -> Result<Vec<i64>> {
        match self.array(name)? {
            None => Ok(Vec::new()),
            Some((4, _, bytes)) => {
                Ok(bytes.as_chunks::<4>().0.iter().map(|b| i32::from_be_bytes(*b).into()).collect())
            }
            Some((10, _, bytes)) => {
                Ok(bytes.as_chunks::<8>().0.iter().map(|b| i64::from_be_bytes(*b)).collect())
            }
            Some(_) => {
                let message = format!("array `{name}` holds no integers of 4 or 8 bytes");
                Err(Error::file(self.path, None, message).with_help(CUT))
            }
        }
    }

    /// The real numbers of an array, and whether they are single; empty if there is none.
    pub fn reals(&self, name: &str) -> Result<(Vec<f64>, bool)> {
        match self.array(name)? {
            None => Ok((Vec::new(), false)),
            Some((6, _, bytes)) => Ok((
                bytes.as_chunks::<8>().0.iter().map(|b| f64::from_be_bytes(*b)).collect(),
                false,
            )),
            Some((5, _, bytes)) => {
                let values = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_be_bytes(*b).into());
                Ok((values.collect(), true))
            }
            Some(_) => {
                let message = format!("array `{name}` holds no real numbers");
                Err(Error::file(self.path, None, message).with_help(CUT))
            }
        }
    }

    /// The texts of an array of characters, a row each; empty if there is none.
    pub fn texts(&self, name: &str) -> Result<Vec<String>> {
        match self.array(name)? {
            Some((2, shape, bytes)) if shape.len() == 2 => {
                Ok(bytes.chunks_exact(shape[1]).map(text).collect())
            }
            _ => Ok(Vec::new()),
        }
    }
}

const CUT: &str = "the file is damaged or cut short; write it again";

/// Characters up to the first 0, without control characters and blanks around them.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    text.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned()
}

/// A place in the header.
struct Header<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
    version: u8,
}

impl<'a> Header<'a> {
    fn error(&self, message: impl Into<Message>) -> Error {
        let at = self.at;
        Error::file(self.path, None, message!("byte {at}: ", message.into())).with_help(CUT)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| self.error("the file ends inside its header"))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn int(&mut self) -> Result<u32> {
        Ok(u32::from_be_bytes(self.take(4)?.try_into().unwrap_or_default()))
    }

    fn long(&mut self) -> Result<u64> {
        Ok(u64::from_be_bytes(self.take(8)?.try_into().unwrap_or_default()))
    }

    /// A number of things, of 8 bytes in files of 64-bit data.
    fn number(&mut self) -> Result<u64> {
        if self.version == 5 { self.long() } else { self.int().map(u64::from) }
    }

    /// The number of the things that follow, each of 4 bytes or more.
    fn counted(&mut self) -> Result<u64> {
        let count = self.number()?;
        let room = (self.bytes.len() - self.at) as u64 / 4;
        if count > room.min(MAX_ITEMS) {
            return Err(self.error(format!("a list of {count} things")));
        }
        Ok(count)
    }

    /// Bytes filled up to 4.
    fn filled(&mut self, count: u64) -> Result<&'a [u8]> {
        let count = usize::try_from(count).map_err(|_| self.error("a value of too many bytes"))?;
        let bytes = self.take(count)?;
        self.take(count.wrapping_neg() % 4)?;
        Ok(bytes)
    }

    fn name(&mut self) -> Result<String> {
        let count = self.number()?;
        Ok(text(self.filled(count)?))
    }

    /// A list behind its mark; a list of nothing may have none.
    fn list<T>(&mut self, mark: u32, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let (found, count) = (self.int()?, self.counted()?);
        if found != mark && (found, count) != (0, 0) {
            return Err(self.error(format!("mark {mark} is expected, found {found}")));
        }
        (0..count).map(|_| item(self)).collect()
    }

    fn attributes(&mut self) -> Result<Vec<NetCdfAttribute>> {
        self.list(ATTRIBUTES, |h| {
            let (name, kind, count) = (h.name()?, h.int()?, h.number()?);
            let bytes = size_of(kind).and_then(|size| count.checked_mul(size as u64));
            let bytes = bytes.ok_or_else(|| h.error(format!("values of kind {kind}")))?;
            let begin = h.at;
            let values = h.filled(bytes)?;
            Ok((name, kind, begin..begin + values.len()))
        })
    }
}
