//! Where bytes come from: regular files, and standard input, which has the path `-`.

use std::fs::File;
use std::io::{self, Read, Stdin};
use std::path::Path;

use crate::error::{Error, FileAccess, Result};
use crate::memory;

/// The path of standard input.
const STANDARD_INPUT: &str = "-";

/// Whether a path stands for standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// How messages call a path.
pub(crate) fn shown(path: &Path) -> &Path {
    if is_standard_input(path) { Path::new("<standard input>") } else { path }
}

/// All bytes of a regular file or of standard input.
///
/// # Errors
/// If the file cannot be read, or is not a regular file: devices and pipes may never end. If the
/// file or standard input has more than half of the memory that is free.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>> {
    let bytes = if is_standard_input(path) { standard_input(path) } else { file_bytes(path) }?;
    check_encoding(path, &bytes)?;
    Ok(bytes)
}

/// Refuses UTF-16, in which no format is, by its byte order mark.
///
/// # Errors
/// If `bytes` begin with one.
pub(crate) fn check_encoding(path: &Path, bytes: &[u8]) -> Result<()> {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Err(Error::file(shown(path), None, "the file is UTF-16 text")
                .with_help("save it as UTF-8: iconv -f UTF-16 -t UTF-8 in > out"))
        }
        _ => Ok(()),
    }
}

fn standard_input(path: &Path) -> Result<Vec<u8>> {
    let most = memory::free_memory().map_or(8 << 30, |bytes| bytes / MEMORY_PER_BYTE);
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
    read.map_err(|source| Error::io(shown(path), FileAccess::Read, source))?;
    if bytes.len() as u64 > most {
        let message = format!("more than {}", memory::decimal_bytes(most.into()));
        return Err(Error::file(shown(path), None, message).with_help(NO_ROOM));
    }
    Ok(bytes)
}

/// Bytes of memory for each byte of a file at least: the file, and the mesh made of it.
const MEMORY_PER_BYTE: u64 = 2;

/// What to do about a file that memory does not hold.
const NO_ROOM: &str = "memory has no room for it and what is made of it: read a part of the mesh";

/// All bytes of a regular file.
///
/// # Errors
/// As [`bytes`], except that UTF-16 is accepted.
pub(crate) fn file_bytes(path: &Path) -> Result<Vec<u8>> {
    let mut file = open(path)?;
    let length = file.metadata().map_or(0, |about| about.len());
    let need = u128::from(length) * u128::from(MEMORY_PER_BYTE);
    let what = format!("a file of {} needs", memory::decimal_bytes(length.into()));
    memory::check(what, need, |_| NO_ROOM.into()).map_err(|error| error.in_file(path, None))?;
    let mut bytes = Vec::new();
    let read = bytes.try_reserve_exact(length as usize).map_err(io::Error::from);
    read.and_then(|()| file.read_to_end(&mut bytes))
        .map_err(|source| Error::io(path, FileAccess::Read, source))?;
    Ok(bytes)
}

/// All bytes of a regular file of `most` bytes at most.
///
/// # Errors
/// As [`file_bytes`]; for a longer file.
pub(crate) fn bounded_file(path: &Path, most: u64) -> Result<Vec<u8>> {
    let bytes = head(path, usize::try_from(most + 1).unwrap_or(usize::MAX))?;
    if bytes.len() as u64 <= most {
        return Ok(bytes);
    }
    Err(Error::file(path, None, format!("the file has more than {most} bytes")))
}

/// The first bytes of a regular file, `most` or all that it has.
///
/// # Errors
/// As [`bytes`].
pub(crate) fn head(path: &Path, most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open(path)?.take(most as u64).read_to_end(&mut bytes);
    read.map_err(|source| Error::io(path, FileAccess::Read, source))?;
    Ok(bytes)
}

/// A regular file or standard input, read a buffer at a time.
#[derive(Debug)]
pub(crate) enum Stream {
    File(File),
    StandardInput(Stdin),
}

impl Stream {
    /// Opens a regular file, or takes standard input.
    ///
    /// # Errors
    /// As [`file_bytes`].
    pub fn open(path: &Path) -> Result<Self> {
        if is_standard_input(path) {
            Ok(Self::StandardInput(io::stdin()))
        } else {
            open(path).map(Self::File)
        }
    }
}

impl Read for Stream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(to),
            Self::StandardInput(input) => input.read(to),
        }
    }
}

/// Opens a regular file.
///
/// # Errors
/// As [`bytes`].
fn open(path: &Path) -> Result<File> {
    // asked before opening, since opening a pipe waits for its writer
    let about =
        std::fs::metadata(path).map_err(|source| Error::io(path, FileAccess::Read, source))?;
    if about.is_file() {
        return File::open(path).map_err(|source| Error::io(path, FileAccess::Read, source));
    }
    let what = if about.is_dir() { "a directory" } else { "no regular file" };
    Err(Error::file(path, None, format!("this is {what}"))
        .with_help("give a file; `-` reads from standard input"))
}
