//! Words and numbers of a text file, each with its line.
//!
//! The bytes are scanned in place: no line is copied and no count that a file
//! claims is ever allocated (see [`Text::room`]).

use std::fmt::Display;
use std::path::Path;

use crate::error::{Error, Message, Result};
use crate::interrupt::stop_point;

/// A position in a text (or mixed text and binary) file. Copy it to look ahead.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
    // 1-based lines of `at` and of the last word
    ahead_line: usize,
    line: usize,
    comment: Option<u8>,
    // characters that are words of their own
    marks: &'static [u8],
    // offset of the word, line or data read last, and whether errors name it
    start: usize,
    by_bytes: bool,
}

impl<'a> Text<'a> {
    /// The text of file `path` from its start.
    pub fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Self {
            path,
            bytes,
            at: 0,
            ahead_line: 1,
            line: 1,
            comment: None,
            marks: &[],
            start: 0,
            by_bytes: false,
        }
    }

    /// This text, where a word that begins with `character` hides the rest of its line.
    pub fn with_comment(self, character: u8) -> Self {
        Self { comment: Some(character), ..self }
    }

    /// This text, where each of these characters is a word of its own.
    pub fn with_marks(self, marks: &'static [u8]) -> Self {
        Self { marks, ..self }
    }

    /// This text, whose first line is line `line` of its file.
    pub fn at_line(self, line: usize) -> Self {
        Self { ahead_line: line, line, ..self }
    }

    /// This text, with errors that name the byte (from 0) instead of the line: for files with
    /// binary data.
    pub fn by_bytes(self) -> Self {
        Self { by_bytes: true, ..self }
    }

    /// The file of the text.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// 1-based line of the word or line read last.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Bytes from here to a later offset of the same text.
    pub fn bytes_to(&self, later: &Self) -> usize {
        later.at - self.at
    }

    /// An error at the word or line read last.
    pub fn error(&self, message: impl Into<Message>) -> Error {
        self.error_at(self.line, self.start, message.into())
    }

    fn error_at(&self, line: usize, byte: usize, message: Message) -> Error {
        if self.by_bytes {
            Error::file(self.path, None, message!("byte {byte}: ", message))
        } else {
            Error::file(self.path, Some(line), message)
        }
    }

    /// `count` items, of which each takes `least` bytes or more, capped to what
    /// the rest of the file can hold: safe to reserve.
    pub fn room(&self, count: usize, least: usize) -> usize {
        count.min((self.bytes.len() - self.at) / least.max(1) + 1)
    }

    /// The next word, on this line or a later one.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        stop_point();
        loop {
            match *self.bytes.get(self.at)? {
                b'\n' => {
                    self.ahead_line += 1;
                    self.at += 1;
                }
                byte if is_space(byte) => self.at += 1,
                byte if Some(byte) == self.comment => {
                    self.next_line();
                }
                _ => break,
            }
        }
        let rest = &self.bytes[self.at..];
        let ends = |byte: &u8| is_space(*byte) || self.marks.contains(byte);
        let end = match rest.iter().position(ends) {
            Some(0) => 1,
            end => end.unwrap_or(rest.len()),
        };
        self.start = self.at;
        self.at += end;
        self.line = self.ahead_line;
        Some(&rest[..end])
    }

    /// The next word, unread.
    pub fn peek(&self) -> Option<&'a [u8]> {
        let mut ahead = *self;
        ahead.word()
    }

    /// The next word, which must be there; `what` names it.
    pub fn required(&mut self, what: &str) -> Result<&'a [u8]> {
        self.word().ok_or_else(|| self.ended(what))
    }

    /// Reads the next word if it is `keyword` in any case.
    pub fn accept(&mut self, keyword: &str) -> bool {
        let mut ahead = *self;
        let found = ahead.word().is_some_and(|word| word.eq_ignore_ascii_case(keyword.as_bytes()));
        if found {
            *self = ahead;
        }
        found
    }

    /// The rest of this line without blanks around it, `None` at the end of the file.
    pub fn next_line(&mut self) -> Option<&'a [u8]> {
        stop_point();
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        (self.line, self.start) = (self.ahead_line, self.at);
        let end = rest.iter().position(|&byte| byte == b'\n');
        self.at += end.map_or(rest.len(), |end| end + 1);
        self.ahead_line += usize::from(end.is_some());
        Some(rest[..end.unwrap_or(rest.len())].trim_ascii())
    }

    /// Whether the line read last is the last one and has no end, as where a file is cut short.
    pub fn is_unended(&self) -> bool {
        self.at == self.bytes.len() && !self.bytes.ends_with(b"\n")
    }

    /// The next `count` bytes as they are (binary data).
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8]> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let taken = &self.bytes[self.at..end.ok_or_else(|| self.ended(what))?];
        self.start = self.at;
        self.at += count;
        self.ahead_line += taken.iter().filter(|&&byte| byte == b'\n').count();
        Ok(taken)
    }

    /// Passes over everything up to and with the bytes `mark`.
    pub fn skip_past(&mut self, mark: &[u8]) -> Result<()> {
        let mut rest = self.bytes[self.at..].windows(mark.len());
        let found = rest.position(|bytes| bytes == mark).ok_or_else(|| self.ended(&shown(mark)))?;
        self.take(found + mark.len(), "the end of the section")?;
        Ok(())
    }

    /// The error of the word read last, which is not `what`.
    pub fn expected(&self, what: &str, found: impl Display) -> Error {
        self.error(format!("{what} expected, found `{found}`"))
            .with_help("the file is malformed or in another format; write it again")
    }

    /// The error of the word read last, which is not `what`, with `help` of its own.
    pub fn unexpected(&self, word: &[u8], what: &str, help: &str) -> Error {
        self.expected(what, shown(word)).with_help(help)
    }

    /// The next word as a number of things.
    pub fn count(&mut self, what: &str) -> Result<usize> {
        let word = self.required(what)?;
        integer(word)
            .and_then(|count| usize::try_from(count).ok())
            .ok_or_else(|| self.expected(what, shown(word)))
    }

    /// The next word as an integer.
    pub fn integer(&mut self, what: &str) -> Result<i64> {
        let word = self.required(what)?;
        integer(word).ok_or_else(|| self.expected(what, shown(word)))
    }

    /// The next word as an index of at least `first` (0 or 1), returned 0-based.
    pub fn index(&mut self, first: u32, what: &str) -> Result<u32> {
        let given = self.integer(what)?;
        u32::try_from(given.saturating_sub(i64::from(first))).map_err(|_| {
            let place = if given < i64::from(first) { "below the first" } else { "too large" };
            self.error(format!("{what} {given} is {place}"))
                .with_help(format!("indices of this format start at {first}"))
        })
    }

    /// The next word as a real number, NaN and infinities included.
    pub fn real(&mut self, what: &str) -> Result<f64> {
        let word = self.required(what)?;
        real(word).ok_or_else(|| self.expected(what, shown(word)))
    }

    /// Three real numbers.
    pub fn point(&mut self) -> Result<[f64; 3]> {
        Ok([self.real("x")?, self.real("y")?, self.real("z")?])
    }

    /// The error of a file that ends before `what`.
    pub fn ended(&self, what: &str) -> Error {
        let message = format!("the file ends where {what} is expected");
        self.error_at(self.ahead_line, self.at, message.into())
            .with_help("the file is cut short or a count in it is too large; write it again")
    }
}

/// A word as a whole number.
pub(super) fn integer(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A word as a real number; Fortran's exponent letter D counts as E.
pub(super) fn real(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    text.parse().ok().or_else(|| text.replace(['D', 'd'], "e").parse().ok())
}

/// A word for a message: printable and of bounded length.
pub(super) fn shown(word: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(&word[..word.len().min(60)])
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    if word.len() > 60 { text + "…" } else { text }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}
