//! What a zip archive is written to.

use std::io::{self, Seek, SeekFrom, Write};

/// Takes all bytes and loses them once writing has failed: a `ZipWriter` that is dropped
/// after an error writes on, and would print that it fails again.
pub struct ZipTarget<W> {
    inner: W,
    at: u64,
    end: u64,
    failed: bool,
}

impl<W> ZipTarget<W> {
    pub fn new(inner: W) -> Self {
        Self { inner, at: 0, end: 0, failed: false }
    }

    /// Refuses what is not whole, even if the archive did not hand on why.
    pub fn complete(self) -> io::Result<()> {
        if self.failed { Err(io::Error::other("the archive is not whole")) } else { Ok(()) }
    }

    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.failed |= matches!(&result, Err(e) if e.kind() != io::ErrorKind::Interrupted);
        result
    }
}

impl<W: Write> Write for ZipTarget<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = if self.failed { Ok(bytes.len()) } else { self.inner.write(bytes) };
        let count = self.note(result)?;
        self.at += count as u64;
        self.end = self.end.max(self.at);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        let result = self.inner.flush();
        self.note(result)
    }
}

impl<W: Seek> Seek for ZipTarget<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let result = match (self.failed, to) {
            (false, _) => self.inner.seek(to),
            (true, SeekFrom::Start(at)) => Ok(at),
            (true, SeekFrom::Current(by)) => Ok(self.at.saturating_add_signed(by)),
            (true, SeekFrom::End(by)) => Ok(self.end.saturating_add_signed(by)),
        };
        self.at = self.note(result)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk of 3 bytes.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 + bytes.len() > 3 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_error_is_told_once() {
        let mut target = ZipTarget::new(Full(0));
        assert_eq!(target.write(b"ab").unwrap(), 2);
        assert_eq!(target.write(b"cd").unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(target.write(b"ef").unwrap(), 2);
        assert_eq!((target.inner.0, target.at), (2, 4));
        assert!(target.complete().is_err());
    }
}
