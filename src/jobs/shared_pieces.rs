//! A `.pvtu` whose pieces many ranks write.

use std::path::Path;

use crate::cluster::Ranks;
use crate::error::{Error, Result};
use crate::io::{Dataset, PieceShare, PieceWriter, WriteOptions};

/// The pieces of this rank; rank 0 also holds the directory that all gather in.
pub struct SharedPieces {
    // of rank 0
    writer: Option<PieceWriter>,
    own: PieceShare,
}

impl SharedPieces {
    /// Starts the pieces of `path`, on all ranks.
    ///
    /// # Errors
    /// As [`PieceWriter::create`] (rank 0) and [`PieceShare::open`].
    pub fn create(path: &Path, options: WriteOptions, ranks: &Ranks<'_>) -> Result<Self> {
        let writer =
            if ranks.is_first() { PieceWriter::create(path, options).map(Some) } else { Ok(None) };
        let writer = ranks.agree(writer)?;
        let directory = writer.as_ref().map_or(Ok(""), |writer| {
            writer.directory().to_str().ok_or_else(|| {
                Error::file(path, None, "is not valid UTF-8").with_help("choose another name")
            })
        });
        let directory = ranks.broadcast(directory.map(|text| text.as_bytes().to_vec()))?;
        let own = PieceShare::open(path, &*String::from_utf8_lossy(&directory), options);
        Ok(Self { writer, own: ranks.agree(own)? })
    }

    /// Writes piece `index`.
    ///
    /// # Errors
    /// As [`PieceShare::push`].
    pub fn push(&mut self, index: usize, piece: &Dataset) -> Result<()> {
        self.own.push(index, piece)
    }

    /// Waits for all ranks; then rank 0 moves the pieces to their names and writes the `.pvtu`.
    ///
    /// # Errors
    /// [`Error::Request`] for pieces with other arrays than the rest; [`Error::Io`] if the files
    /// cannot be moved or written.
    pub fn finish(self, ranks: &Ranks<'_>) -> Result<()> {
        let records = ranks.all_gather(Ok(self.own.record()))?;
        let finish = |mut writer: PieceWriter| {
            records.iter().try_for_each(|record| writer.add_share(record))?;
            writer.finish()
        };
        ranks.agree(self.writer.map_or(Ok(()), finish))
    }
}
