//! The values of a Gmsh file, written as words or as binary numbers.

use crate::error::{Error, Message, Result};
use crate::io::read::lines::Text;

/// How numbers are written between `$Nodes`, `$Elements` and `$NodeData` and their ends.
#[derive(Clone, Copy)]
enum NumberForm {
    Words,
    Binary {
        big_endian: bool,
        /// Bytes of a `size_t`: 4 or 8.
        size: usize,
    },
}

/// A Gmsh file and how its numbers are written. Keywords are always text.
pub(super) struct GmshNumbers<'a> {
    pub text: Text<'a>,
    form: NumberForm,
}

impl<'a> GmshNumbers<'a> {
    /// Words, until [`Self::binary`].
    pub fn new(text: Text<'a>) -> Self {
        Self { text, form: NumberForm::Words }
    }

    /// Reads the integer 1 that says in which order bytes stand; from here on numbers
    /// are binary, and `size_t` has `size` bytes.
    pub fn binary(&mut self, size: usize) -> Result<()> {
        self.text.next_line();
        self.text = self.text.by_bytes();
        let one = self.text.take(4, "the integer 1")?;
        let big_endian = match one {
            [1, 0, 0, 0] => false,
            [0, 0, 0, 1] => true,
            _ => {
                return Err(self
                    .text
                    .error(format!("the integer 1 is expected, found the bytes {one:?}"))
                    .with_help("the file was changed after it was written; save it again"));
            }
        };
        self.form = NumberForm::Binary { big_endian, size };
        Ok(())
    }

    /// Whether numbers are binary.
    pub fn is_binary(&self) -> bool {
        matches!(self.form, NumberForm::Binary { .. })
    }

    /// Passes over the end of the line of a keyword or text number, behind which
    /// binary numbers begin.
    pub fn begin(&mut self) {
        if self.is_binary() {
            self.text.next_line();
        }
    }

    /// 1-based line of the word read last, where the file has lines.
    pub fn line(&self) -> Option<usize> {
        (!self.is_binary()).then(|| self.text.line())
    }

    /// The error of the value read last.
    pub fn error(&self, message: impl Into<Message>) -> Error {
        self.text.error(message)
    }

    /// An `int`.
    pub fn int(&mut self, what: &str) -> Result<i64> {
        match self.form {
            NumberForm::Words => self.text.integer(what),
            NumberForm::Binary { big_endian, .. } => {
                let bytes = self.bytes(what)?;
                let int = if big_endian { i32::from_be_bytes } else { i32::from_le_bytes };
                Ok(i64::from(int(bytes)))
            }
        }
    }

    /// An `int` that counts something.
    pub fn count(&mut self, what: &str) -> Result<usize> {
        let int = self.int(what)?;
        usize::try_from(int).map_err(|_| self.text.expected(what, int))
    }

    /// A `size_t` that is a name or a number of things.
    pub fn size(&mut self, what: &str) -> Result<i64> {
        let (big_endian, size) = match self.form {
            NumberForm::Words => return self.text.integer(what),
            NumberForm::Binary { big_endian, size } => (big_endian, size),
        };
        let wide = if size == 8 {
            let bytes = self.bytes(what)?;
            if big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) }
        } else {
            let bytes = self.bytes(what)?;
            u64::from(if big_endian {
                u32::from_be_bytes(bytes)
            } else {
                u32::from_le_bytes(bytes)
            })
        };
        i64::try_from(wide).map_err(|_| self.text.expected(what, wide))
    }

    /// A `size_t` that counts something.
    pub fn size_count(&mut self, what: &str) -> Result<usize> {
        let size = self.size(what)?;
        usize::try_from(size).map_err(|_| self.text.expected(what, size))
    }

    /// A `double`.
    pub fn real(&mut self, what: &str) -> Result<f64> {
        match self.form {
            NumberForm::Words => self.text.real(what),
            NumberForm::Binary { big_endian, .. } => {
                let bytes = self.bytes(what)?;
                let real = if big_endian { f64::from_be_bytes } else { f64::from_le_bytes };
                Ok(real(bytes))
            }
        }
    }

    /// Three `double`s.
    pub fn point(&mut self) -> Result<[f64; 3]> {
        Ok([self.real("x")?, self.real("y")?, self.real("z")?])
    }

    /// Passes over a section up to and with its `end`.
    pub fn skip_section(&mut self, end: &str) -> Result<()> {
        if self.is_binary() {
            return self.text.skip_past(end.as_bytes());
        }
        loop {
            let line = self.text.next_line().ok_or_else(|| self.text.ended(end))?;
            if line == end.as_bytes() {
                return Ok(());
            }
        }
    }

    /// The keyword that ends a section.
    pub fn end(&mut self, keyword: &str) -> Result<()> {
        let word = self.text.required(keyword)?;
        if word == keyword.as_bytes() {
            return Ok(());
        }
        let fault = if self.is_binary() || crate::io::read::lines::integer(word).is_some() {
            "the count of the section is too small"
        } else {
            "save the file again"
        };
        Err(self.text.unexpected(word, keyword, fault))
    }

    fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let bytes = self.text.take(N, what)?;
        Ok(std::array::from_fn(|i| bytes[i]))
    }
}
