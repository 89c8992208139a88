//! Binary data of `.vtu` files: raw or base64, plain or in zlib blocks.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::ZlibDecoder;

/// How a file stores its binary arrays.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    /// Byte order of numbers and headers.
    pub big_endian: bool,
    /// Headers are 64-bit numbers, not 32-bit.
    pub wide_header: bool,
    /// Arrays are split into zlib blocks.
    pub compressed: bool,
}

/// Bytes to take from the front, whatever their encoding.
pub(super) enum Source<'a> {
    /// As they are.
    Raw(&'a [u8]),
    /// Base64 text.
    Base64(Base64<'a>),
}

impl<'a> Source<'a> {
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
        // The decoded bytes stand at the end of `spare`.
        self.spares = 3 - padding;
        self.spare[padding..].copy_from_slice(&bytes[..self.spares]);
        Some(())
    }
}

/// The bytes of one array, with its header in front; the error says what is wrong.
pub(super) fn unpack<'a>(
    source: &mut Source<'a>,
    layout: Layout,
) -> Result<Cow<'a, [u8]>, &'static str> {
    const CUT: &str = "the binary data is cut short or malformed";
    let size = if layout.wide_header { 8 } else { 4 };
    let number = |bytes: &[u8]| {
        let fold = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
        let value = if layout.big_endian {
            bytes.iter().fold(0, fold)
        } else {
            bytes.iter().rev().fold(0, fold)
        };
        usize::try_from(value).map_err(|_| CUT)
    };
    let count = number(&source.take(size).ok_or(CUT)?)?;
    if !layout.compressed {
        return source.take(count).ok_or(CUT);
    }
    if count == 0 {
        return Ok(Cow::default());
    }
    let block = number(&source.take(size).ok_or(CUT)?)?;
    let last = number(&source.take(size).ok_or(CUT)?)?;
    let sizes = source.take(count.saturating_mul(size)).ok_or(CUT)?;
    let mut bytes = Vec::new();
    for (index, packed) in sizes.chunks_exact(size).enumerate() {
        let packed = source.take(number(packed)?).ok_or(CUT)?;
        let full = if index + 1 == count && last > 0 { last } else { block };
        let before = bytes.len();
        ZlibDecoder::new(&packed[..])
            .take(full as u64)
            .read_to_end(&mut bytes)
            .map_err(|_| "a compressed block is malformed")?;
        if bytes.len() - before != full {
            return Err("a compressed block has another size than its header says");
        }
    }
    Ok(Cow::Owned(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_goes_on_behind_padding() {
        // "a", "bc", "def" encoded one by one
        let mut source = Source::base64(b"YQ== YmM=\nZGVm");
        assert_eq!(source.take(2).unwrap(), &b"ab"[..]);
        assert_eq!(source.take(4).unwrap(), &b"cdef"[..]);
        assert!(source.take(1).is_none());
        assert!(Source::base64(b"YQ=x").take(1).is_none());
        assert!(Source::base64(b"YWJj").take(usize::MAX).is_none());
    }
}
