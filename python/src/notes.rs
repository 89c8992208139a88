//! What jobs say, as warnings of Python.

use pyo3::prelude::*;
use subsolid::Message;
use subsolid::jobs::Notes;

use crate::errors::{IntoPython, warn, words};
use crate::threads::WithoutLock;

/// The notes of a job: warnings are kept until it ends; Ctrl-C ends work by itself.
#[derive(Default)]
pub struct PythonNotes {
    warnings: Vec<Message>,
}

impl PythonNotes {
    /// Runs a job without Python's lock, and gives its warnings.
    pub fn hear<T: Send>(
        py: Python<'_>,
        job: impl FnOnce(&mut Self) -> subsolid::Result<T> + Send,
    ) -> PyResult<T> {
        let mut notes = Self::default();
        let result = py.work(|| job(&mut notes)).py()?;
        notes.warn(py, None::<Message>)?;
        Ok(result)
    }

    /// Gives the warnings, and what the job missed.
    pub fn warn<M: Into<Message>>(
        self,
        py: Python<'_>,
        missed: impl IntoIterator<Item = M>,
    ) -> PyResult<()> {
        let missed = missed.into_iter().map(Into::into);
        self.warnings.into_iter().chain(missed).try_for_each(|what| warn(py, &words(&what)))
    }
}

impl Notes for PythonNotes {
    fn words(&self, what: &Message) -> String {
        words(what)
    }

    fn status(&mut self, _verb: &'static str, _what: String) {}

    fn warn(&mut self, what: Message) {
        self.warnings.push(what);
    }

    fn progress(&mut self, _done: usize, _of: usize) -> subsolid::Result<()> {
        Ok(())
    }
}
