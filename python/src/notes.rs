//! What jobs say, as warnings of Python.

use pyo3::prelude::*;
use subsolid::Message;
use subsolid::jobs::Notes;

use crate::errors::warn;

/// The notes of a job: warnings are kept until it ends; Ctrl-C ends work by itself.
#[derive(Default)]
pub struct PythonNotes {
    warnings: Vec<Message>,
}

impl PythonNotes {
    /// Gives the warnings, and what the job missed.
    pub fn warn<M: Into<Message>>(
        self,
        py: Python<'_>,
        missed: impl IntoIterator<Item = M>,
    ) -> PyResult<()> {
        let missed = missed.into_iter().map(Into::into);
        self.warnings.into_iter().chain(missed).try_for_each(|what| warn(py, &what.to_string()))
    }
}

impl Notes for PythonNotes {
    fn status(&mut self, _verb: &'static str, _what: String) {}

    fn warn(&mut self, what: Message) {
        self.warnings.push(what);
    }

    fn progress(&mut self, _done: usize, _of: usize) -> subsolid::Result<()> {
        Ok(())
    }
}
