//! Words and numbers of a file that is read a buffer at a time.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;

use crate::io::read::lines::{integer, is_space};

/// Bytes of the file in memory.
const BUFFER: usize = 1 << 18;
/// A word or line of more bytes is left to the reader of whole files.
const MAX_WORD_BYTES: usize = 1 << 12;
/// One word, or cell, in so many has its place kept.
const WORDS_PER_MARK: usize = 1 << 13;
/// Ends numbers as a space does: the tag behind them.
const TAG: u8 = b'<';

/// A regular file at an offset.
pub(super) struct FileScan {
    input: BufReader<File>,
    at: u64,
}

impl FileScan {
    pub fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let is_regular = file.metadata().is_ok_and(|about| about.is_file());
        is_regular.then(|| Self { input: BufReader::with_capacity(BUFFER, file), at: 0 })
    }

    /// The offset in the file, in bytes.
    pub fn at(&self) -> u64 {
        self.at
    }

    pub fn seek(&mut self, at: u64) -> Option<()> {
        let here = i64::try_from(self.at).ok()?;
        self.input.seek_relative(i64::try_from(at).ok()?.checked_sub(here)?).ok()?;
        self.at = at;
        Some(())
    }

    /// The next bytes in memory; none at the end of the file.
    pub fn buffer(&mut self) -> Option<&[u8]> {
        self.input.fill_buf().ok()
    }

    /// Passes over bytes of [`FileScan::buffer`].
    pub fn consume(&mut self, count: usize) {
        self.input.consume(count);
        self.at += count as u64;
    }

    /// The next bytes, no more than the file has.
    pub fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.input).take(count as u64).read_to_end(&mut bytes).ok()?;
        self.at += bytes.len() as u64;
        (bytes.len() == count).then_some(bytes)
    }

    /// Bytes until behind `last`, or to the end of the file.
    pub fn until(&mut self, last: u8) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.input).take(MAX_WORD_BYTES as u64).read_until(last, &mut bytes).ok()?;
        self.at += bytes.len() as u64;
        (bytes.len() < MAX_WORD_BYTES).then_some(bytes)
    }

    /// The rest of the line without blanks around it; `None` at the end of the file.
    pub fn line(&mut self) -> Option<Vec<u8>> {
        let line = self.until(b'\n')?;
        (!line.is_empty()).then(|| line.trim_ascii().to_vec())
    }

    /// Passes over blanks; whether the file goes on.
    pub fn blanks(&mut self) -> Option<bool> {
        loop {
            let buffer = self.buffer()?;
            let count = buffer.iter().take_while(|&&byte| is_space(byte)).count();
            let (is_end, is_done) = (buffer.is_empty(), count < buffer.len());
            self.consume(count);
            if is_end || is_done {
                return Some(!is_end);
            }
        }
    }

    /// The next word, empty at the end of the file.
    pub fn word(&mut self) -> Option<Vec<u8>> {
        self.blanks()?;
        let mut word = Vec::new();
        while word.len() < MAX_WORD_BYTES {
            let buffer = self.buffer()?;
            let count = buffer.iter().take_while(|&&byte| !is_space(byte)).count();
            word.extend(&buffer[..count]);
            let is_done = count < buffer.len() || buffer.is_empty();
            self.consume(count);
            if is_done {
                return Some(word);
            }
        }
        None
    }

    /// Reads the next word if it is `keyword` in any case.
    pub fn accept(&mut self, keyword: &str) -> Option<bool> {
        let start = self.at;
        self.blanks()?;
        let mut word = Vec::new();
        (&mut self.input).take(keyword.len() as u64 + 1).read_to_end(&mut word).ok()?;
        self.at += word.len() as u64;
        let (found, behind) = word.split_at(word.len().min(keyword.len()));
        let found = found.eq_ignore_ascii_case(keyword.as_bytes())
            && behind.iter().all(|&byte| is_space(byte));
        self.seek(if found { self.at - behind.len() as u64 } else { start })?;
        Some(found)
    }

    /// Gives words up to a tag with their offsets, until `each` wants no more.
    pub fn words(&mut self, mut each: impl FnMut(u64, &[u8]) -> Option<bool>) -> Option<()> {
        // the start of a word at the end of the buffer
        let mut begun = Vec::new();
        loop {
            let first = self.at;
            let buffer = self.buffer()?;
            if buffer.is_empty() {
                return if begun.is_empty() {
                    Some(())
                } else {
                    each(first - begun.len() as u64, &begun).map(|_| ())
                };
            }
            let (mut at, mut goes_on) = (0, true);
            while goes_on && at < buffer.len() {
                let rest = &buffer[at..];
                let ends = |&byte: &u8| is_space(byte) || byte == TAG;
                let length = rest.iter().position(ends).unwrap_or(rest.len());
                let start = first + at as u64 - begun.len() as u64;
                at += length;
                if length == rest.len() {
                    begun.extend(rest);
                } else if !begun.is_empty() {
                    begun.extend(&rest[..length]);
                    goes_on = each(start, &begun)?;
                    begun.clear();
                } else if length > 0 {
                    goes_on = each(start, &rest[..length])?;
                } else if rest[0] == TAG {
                    goes_on = false;
                } else {
                    at += 1;
                }
                if begun.len() > MAX_WORD_BYTES {
                    return None;
                }
            }
            self.consume(at);
            if !goes_on {
                return Some(());
            }
        }
    }

    /// Gives whole numbers with their places, words or 32 bits each with the highest byte first,
    /// until `each` wants no more.
    fn integers(
        &mut self,
        binary: bool,
        mut each: impl FnMut(u64, i64) -> Option<bool>,
    ) -> Option<()> {
        if !binary {
            return self.words(|at, word| each(at, integer(word)?));
        }
        let mut bytes = [0; 4];
        loop {
            self.input.read_exact(&mut bytes).ok()?;
            let at = self.at;
            self.at += 4;
            if !each(at, i64::from(i32::from_be_bytes(bytes)))? {
                return Some(());
            }
        }
    }
}

/// Words of a file, found again by their numbers.
#[derive(Default)]
pub(super) struct ScannedWords {
    // words before the first of these
    skipped: usize,
    count: usize,
    // of every WORDS_PER_MARK-th word
    places: Vec<u64>,
}

impl ScannedWords {
    /// Number of words.
    pub fn len(&self) -> usize {
        self.count - self.skipped
    }

    /// Takes the first word off.
    pub fn skip_first(&mut self) {
        self.skipped += 1;
    }

    /// Adds the next word.
    pub fn push(&mut self, at: u64) {
        if self.count.is_multiple_of(WORDS_PER_MARK) {
            self.places.push(at);
        }
        self.count += 1;
    }

    /// `count` words from here on.
    pub fn scan(scan: &mut FileScan, count: usize) -> Option<Self> {
        let mut words = Self::default();
        if count > 0 {
            scan.words(|at, _| {
                words.push(at);
                Some(words.count < count)
            })?;
        }
        (words.count == count).then_some(words)
    }

    /// Reads some of the words.
    pub fn read<T>(
        &self,
        scan: &mut FileScan,
        range: Range<usize>,
        parse: impl Fn(&[u8]) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut values = Vec::new();
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        if range.is_empty() {
            return Some(values);
        }
        let first = range.start + self.skipped;
        scan.seek(self.places[first / WORDS_PER_MARK])?;
        let mut skip = first % WORDS_PER_MARK;
        scan.words(|_, word| {
            match skip {
                0 => values.push(parse(word)?),
                _ => skip -= 1,
            }
            Some(values.len() < range.len())
        })?;
        (values.len() == range.len()).then_some(values)
    }
}

/// A list of rows, each its length and so many numbers, found again by their own numbers.
pub(super) struct ScannedRows {
    binary: bool,
    count: usize,
    // of every WORDS_PER_MARK-th row
    places: Vec<u64>,
}

impl ScannedRows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The rows of a list of `size` numbers from here on.
    pub fn scan(scan: &mut FileScan, binary: bool, size: usize) -> Option<Self> {
        let mut rows = Self { binary, count: 0, places: Vec::new() };
        let (mut left, mut seen) = (0, 0);
        if size > 0 {
            scan.integers(binary, |at, number| {
                if left > 0 {
                    left -= 1;
                } else {
                    if rows.count.is_multiple_of(WORDS_PER_MARK) {
                        rows.places.push(at);
                    }
                    rows.count += 1;
                    left = usize::try_from(number).ok()?;
                }
                seen += 1;
                Some(seen < size)
            })?;
        }
        (seen == size && left == 0).then_some(rows)
    }

    /// The ends of some rows and their numbers.
    pub fn read(&self, scan: &mut FileScan, range: Range<usize>) -> Option<(Vec<i64>, Vec<i64>)> {
        let (mut ends, mut numbers) = (Vec::new(), Vec::new());
        if range.start > range.end || range.end > self.count {
            return None;
        }
        if range.is_empty() {
            return Some((ends, numbers));
        }
        scan.seek(self.places[range.start / WORDS_PER_MARK])?;
        let (mut skip, mut left) = (range.start % WORDS_PER_MARK, None);
        scan.integers(self.binary, |_, number| {
            let now = match left {
                None => usize::try_from(number).ok()?,
                Some(count) => {
                    if skip == 0 {
                        numbers.push(number);
                    }
                    count - 1
                }
            };
            left = (now > 0).then_some(now);
            if now == 0 {
                match skip {
                    0 => ends.push(numbers.len() as i64),
                    _ => skip -= 1,
                }
            }
            Some(ends.len() < range.len())
        })?;
        (ends.len() == range.len()).then_some((ends, numbers))
    }
}
