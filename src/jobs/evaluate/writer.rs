//! Where pieces go: written on a thread of their own, while the next one is evaluated.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::single::Single;
use crate::error::{Error, Result};
use crate::io::{Dataset, PieceJob, PieceWriter, WriteOptions, write_pieces};

/// Pieces that wait to be written: one is enough while the writer has work.
const MAX_WAITING_PIECES: usize = 1;

/// Where datasets go.
pub(super) enum Writer<'a> {
    Nothing,
    Single(&'a Path, Single),
    Pieces(PieceWriter),
    Job(PieceJob),
}

impl Writer<'_> {
    /// Writes what `produce` sends, on another thread. Sending fails once that has failed.
    pub(super) fn write(
        self,
        options: WriteOptions,
        produce: impl FnOnce(&mut dyn FnMut(Result<Dataset>) -> bool),
    ) -> Result<()> {
        let (sender, receiver) = sync_channel(MAX_WAITING_PIECES);
        thread::scope(|scope| {
            let writing = scope.spawn(move || self.take(receiver, options));
            let send = &mut |piece| sender.send(piece).is_ok();
            let produced = catch_unwind(AssertUnwindSafe(|| produce(send)));
            if produced.is_err() {
                // work that was stopped: the file must not end here
                let _ = sender.send(Err(Error::request("the evaluation was stopped")));
            }
            drop(sender);
            let written = writing.join().unwrap_or_else(|panic| resume_unwind(panic));
            produced.map_or_else(|panic| resume_unwind(panic), |()| written)
        })
    }

    fn take(self, pieces: Receiver<Result<Dataset>>, options: WriteOptions) -> Result<()> {
        match self {
            Self::Nothing => pieces.into_iter().try_for_each(|piece| piece.map(drop)),
            Self::Single(path, single) => write_pieces(path, &single.outline, pieces, options),
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
