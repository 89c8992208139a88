//! The lines of a table, without comments and blank lines, with their line numbers.

use std::io::{self, BufRead, Read};

/// Most bytes of a row, which a quote may spread over lines.
const MAX_ROW_BYTES: usize = 1 << 20;

/// Hands on one line of a text at a time, less lines that are empty or begin with `#`.
#[derive(Debug)]
pub(super) struct Lines<R> {
    inner: R,
    number: usize,
    state: LineState,
    // bytes that the row at hand may still have
    left: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineState {
    AtStart,
    InRow,
    InComment,
}

impl<R: BufRead> Lines<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, number: 0, state: LineState::AtStart, left: MAX_ROW_BYTES }
    }

    /// Begins a row: more than a mebibyte is an error, since their end may never come.
    pub fn begin_row(&mut self) {
        self.left = MAX_ROW_BYTES;
    }

    /// The line that was handed on last, counted from 1 among all lines of the text.
    pub fn number(&self) -> usize {
        self.number
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        loop {
            let from = self.inner.fill_buf()?;
            let Some(&first) = from.first() else { return Ok(0) };
            if self.state == LineState::AtStart {
                self.number += 1;
                self.state = match first {
                    b'#' | b'\r' | b'\n' => LineState::InComment,
                    _ => LineState::InRow,
                };
            }
            let rest = from.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
            let mut count = rest.unwrap_or(from.len());
            let is_row = self.state == LineState::InRow;
            if is_row {
                count = count.min(to.len());
                let left = self.left.checked_sub(count);
                self.left = left.ok_or(io::ErrorKind::InvalidData)?;
                to[..count].copy_from_slice(&from[..count]);
            }
            if rest == Some(count) {
                self.state = LineState::AtStart;
            }
            self.inner.consume(count);
            if is_row {
                return Ok(count);
            }
        }
    }
}
