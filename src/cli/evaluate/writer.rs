//! Where pieces go: written on a thread of their own, while the next one is evaluated.

use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use subsolid::Result;
use subsolid::io::{self, Dataset, PieceJob, PieceWriter, WriteOptions};

use super::single::Single;

/// Pieces that wait to be written: one is enough while the writer has work.
const MAX_WAITING_PIECES: usize = 1;

/// Where datasets go.
pub enum Writer<'a> {
    Nothing,
    Single(&'a Path, Single),
    Pieces(PieceWriter),
    Job(PieceJob),
}

impl Writer<'_> {
    /// Writes what `produce` sends, on another thread. Sending fails once that has failed.
    pub fn write(
        self,
        options: WriteOptions,
        produce: impl FnOnce(&mut dyn FnMut(Result<Dataset>) -> bool),
    ) -> Result<()> {
        let (sender, receiver) = sync_channel(MAX_WAITING_PIECES);
        thread::scope(|scope| {
            let writing = scope.spawn(move || self.take(receiver, options));
            produce(&mut |piece| sender.send(piece).is_ok());
            drop(sender);
            writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn take(self, pieces: Receiver<Result<Dataset>>, options: WriteOptions) -> Result<()> {
        match self {
            Self::Nothing => pieces.into_iter().try_for_each(|piece| piece.map(drop)),
            Self::Single(path, single) => io::write_pieces(path, &single.outline, pieces, options),
            Self::Pieces(mut writer) => {
                pieces.into_iter().try_for_each(|piece| writer.push(&piece?))?;
                writer.finish()
            }
            Self::Job(mut job) => {
                pieces.into_iter().try_for_each(|piece| job.push(&piece?))?;
                job.finish()
            }
        }
    }
}
