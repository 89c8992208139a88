//! Binary data of VTK XML files: raw or base64, plain or in compressed blocks.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read;

use flate2::read::ZlibDecoder;
use lzma_rust2::XzReader;

use super::structured::GridExtent;
use crate::error::Message;
use crate::memory::decimal_bytes;

/// How blocks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compressor {
    /// `vtkZLibDataCompressor`.
    Zlib,
    /// `vtkLZ4DataCompressor`: blocks of LZ4 without a frame.
    Lz4,
    /// `vtkLZMADataCompressor`: streams of xz.
    Lzma,
}

/// Bytes that the compressed arrays of a model and their numbers may still take, and its structured
/// grids.
#[derive(Debug)]
pub(super) struct Budget {
    left: Cell<u64>,
}

impl Budget {
    /// A budget of `bytes` in all.
    pub fn new(bytes: u64) -> Self {
        Self { left: Cell::new(bytes) }
    }

    /// Takes the memory of bytes that become numbers of double precision, `scalar` bytes each.
    fn take(&self, bytes: usize, scalar: usize) -> Result<(), UnpackError> {
        let numbers = (bytes / scalar.max(1)).saturating_mul(size_of::<f64>());
        let bytes = bytes.saturating_add(numbers) as u64;
        self.take_or(bytes, |left| UnpackError::TooLarge { bytes, left })
    }

    /// Takes the memory of a grid, of which a file lists no cells.
    pub fn take_grid(&self, grid: &GridExtent) -> Result<(), Message> {
        let ([a, b, c], bytes) = (grid.size, grid.bytes());
        self.take_or(bytes, |left| {
            let [need, left] = [bytes, left].map(|bytes| decimal_bytes(bytes.into()));
            message!(
                "a grid of {a} × {b} × {c} points takes about {need} of memory, {left} are left"
            )
        })
    }

    fn take_or<E>(&self, bytes: u64, refused: impl FnOnce(u64) -> E) -> Result<(), E> {
        let left = self.left.get();
        self.left.set(left.checked_sub(bytes).ok_or_else(|| refused(left))?);
        Ok(())
    }
}

/// How a file stores its binary arrays.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BinaryLayout {
    /// Byte order of numbers and headers.
    pub big_endian: bool,
    /// Headers are 64-bit numbers, not 32-bit.
    pub wide_header: bool,
    /// Arrays are split into compressed blocks.
    pub compressor: Option<Compressor>,
}

/// Bytes to take from the front, whatever their encoding.
pub(super) enum ByteSource<'a> {
    /// Bytes that are not encoded.
    Raw(&'a [u8]),
    /// Base64 text.
    Base64(Base64<'a>),
}

impl<'a> ByteSource<'a> {
    /// Bytes encoded as base64; white space is passed over.
    pub fn base64(text: &'a [u8]) -> Self {
        Self::Base64(Base64 { text, spare: [0; 3], spares: 0 })
    }

    /// The next `count` bytes, `None` if there are fewer or they are malformed.
    fn take(&mut self, count: usize) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Raw(bytes) => {
                let (taken, rest) = bytes.split_at_checked(count)?;
                *bytes = rest;
                Some(Cow::Borrowed(taken))
            }
            Self::Base64(text) => text.take(count).map(Cow::Owned),
        }
    }
}

/// A base64 decoder that goes on behind padding, because headers and data may
/// have been encoded one after the other.
pub(super) struct Base64<'a> {
    text: &'a [u8],
    // decoded but not yet taken: spare[3 - spares..]
    spare: [u8; 3],
    spares: usize,
}

impl Base64<'_> {
    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        // Four characters hold three bytes; never reserve what cannot be there.
        if count > self.text.len() + self.spares {
            return None;
        }
        let mut bytes = Vec::with_capacity(count + 3);
        while bytes.len() < count {
            if self.spares == 0 {
                self.decode_group()?;
            }
            let used = self.spares.min(count - bytes.len());
            bytes.extend_from_slice(&self.spare[3 - self.spares..][..used]);
            self.spares -= used;
        }
        Some(bytes)
    }

    /// Decodes four characters into `spare`.
    fn decode_group(&mut self) -> Option<()> {
        let mut bits = 0u32;
        let (mut characters, mut padding) = (0, 0);
        while characters < 4 {
            let (&byte, rest) = self.text.split_first()?;
            self.text = rest;
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' if characters >= 2 => {
                    padding += 1;
                    0
                }
                b' ' | b'\t' | b'\r' | b'\n' => continue,
                _ => return None,
            };
            if padding > 0 && byte != b'=' {
                return None;
            }
            bits = bits << 6 | u32::from(value);
            characters += 1;
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        // The decoded bytes are at the end of `spare`.
        self.spares = 3 - padding;
        self.spare[padding..].copy_from_slice(&bytes[..self.spares]);
        Some(())
    }
}

/// Why the bytes of an array cannot be had.
#[derive(Debug)]
pub(super) enum UnpackError {
    /// What is wrong with them.
    Malformed(&'static str),
    /// A block and its numbers take more bytes than are left of the budget.
    TooLarge { bytes: u64, left: u64 },
}

/// The bytes of one array of numbers of `scalar` bytes, with its header in front.
pub(super) fn unpack<'a>(
    source: &mut ByteSource<'a>,
    layout: BinaryLayout,
    scalar: usize,
    budget: &Budget,
) -> Result<Cow<'a, [u8]>, UnpackError> {
    use UnpackError::Malformed;
    let cut = || Malformed("the binary data is cut short or malformed");
    let size = if layout.wide_header { 8 } else { 4 };
    let number = |bytes: &[u8]| {
        let fold = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
        let value = if layout.big_endian {
            bytes.iter().fold(0, fold)
        } else {
            bytes.iter().rev().fold(0, fold)
        };
        usize::try_from(value).map_err(|_| cut())
    };
    let count = number(&source.take(size).ok_or_else(cut)?)?;
    let Some(compressor) = layout.compressor else {
        return source.take(count).ok_or_else(cut);
    };
    if count == 0 {
        return Ok(Cow::default());
    }
    let block = number(&source.take(size).ok_or_else(cut)?)?;
    let last = number(&source.take(size).ok_or_else(cut)?)?;
    let sizes = source.take(count.saturating_mul(size)).ok_or_else(cut)?;
    let mut bytes = Vec::new();
    for (index, packed) in sizes.chunks_exact(size).enumerate() {
        let packed = source.take(number(packed)?).ok_or_else(cut)?;
        let full = if index + 1 == count && last > 0 { last } else { block };
        budget.take(full, scalar)?;
        let before = bytes.len();
        compressor
            .unpack(&packed, full, &mut bytes)
            .ok_or(Malformed("a compressed block is malformed"))?;
        if bytes.len() - before != full {
            return Err(Malformed("a compressed block has another size than its header says"));
        }
    }
    Ok(Cow::Owned(bytes))
}

/// Most bytes that a byte of LZ4 unpacks to.
const LZ4_RATIO: usize = 255;

impl Compressor {
    /// Appends the bytes of a block, at most one more than `full`, which tells that it has too
    /// many.
    fn unpack(self, packed: &[u8], full: usize, bytes: &mut Vec<u8>) -> Option<()> {
        let limit = (full as u64).saturating_add(1);
        match self {
            Self::Zlib => {
                ZlibDecoder::new(packed).take(limit).read_to_end(bytes).ok()?;
            }
            Self::Lz4 => {
                if full > packed.len().saturating_mul(LZ4_RATIO) {
                    return None;
                }
                let start = bytes.len();
                bytes.resize(start.checked_add(full)?, 0);
                let count = lz4_flex::block::decompress_into(packed, &mut bytes[start..]).ok()?;
                bytes.truncate(start + count);
            }
            Self::Lzma => {
                // a dictionary need not be larger than its output
                let most = u32::try_from(full / 1024).unwrap_or(u32::MAX);
                let reader = XzReader::new_mem_limit(packed, false, most.max(MIN_DICTIONARY));
                reader.take(limit).read_to_end(bytes).ok()?;
            }
        }
        Some(())
    }
}

/// KiB that decoders of xz may take for any block: the dictionary of the highest preset and some.
const MIN_DICTIONARY: u32 = 80 << 10;
