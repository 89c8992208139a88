//! Errors of the library as `subsolid.Error`, and panics kept from Python.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Kinds of elements that messages name, singular and plural.
const KINDS: [(&str, &str); 8] = [
    ("cell", "cells"),
    ("face", "faces"),
    ("edge", "edges"),
    ("vertex", "vertices"),
    ("element", "elements"),
    ("sample", "samples"),
    ("layer", "layers"),
    ("row", "rows"),
];

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    CLASS.import(py, "subsolid._error", "Error")
}

/// The error of Python with this message and help.
pub fn error(message: &str, help: Option<&str>) -> PyErr {
    Python::attach(|py| {
        let made = class(py).and_then(|class| class.call1((message, help, elements(message))));
        match made {
            Ok(value) => PyErr::from_value(value),
            Err(error) => error,
        }
    })
}

/// An error about a request, with how to fix it.
pub fn refused(message: impl AsRef<str>, help: &str) -> PyErr {
    error(message.as_ref(), Some(help))
}

/// Results of the library become results of Python.
pub trait IntoPython<T> {
    fn py(self) -> PyResult<T>;
}

impl<T> IntoPython<T> for subsolid::Result<T> {
    fn py(self) -> PyResult<T> {
        self.map_err(|e| error(&e.to_string(), e.help()))
    }
}

/// The elements that a message names: `cell 12`, `vertices 3 and 4`.
fn elements(message: &str) -> Vec<(&'static str, u64)> {
    let words: Vec<&str> =
        message.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let mut found = Vec::new();
    let mut kind: Option<(&'static str, bool)> = None;
    for word in words {
        let named = KINDS.iter().find(|(one, many)| word == *one || word == *many);
        kind = match (named, kind, word.parse::<u64>()) {
            (Some(&(one, many)), ..) => Some((one, word == many)),
            (None, Some((one, many)), Ok(id)) => {
                found.push((one, id));
                many.then_some((one, true))
            }
            (None, Some((one, true)), Err(_)) if word == "and" => Some((one, true)),
            _ => None,
        };
    }
    found
}
