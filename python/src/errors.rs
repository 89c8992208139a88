//! Errors of the library as `subsolid.Error`, and panics kept from Python.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    CLASS.import(py, "subsolid._error", "Error")
}

/// An error of the library as one of Python.
fn error(error: &subsolid::Error) -> PyErr {
    Python::attach(|py| {
        let elements: Vec<(&str, u64)> =
            error.elements().into_iter().map(|(kind, id)| (kind.name(), id)).collect();
        let arguments = (error.to_string(), error.help(), elements);
        match class(py).and_then(|class| class.call1(arguments)) {
            Ok(value) => PyErr::from_value(value),
            Err(error) => error,
        }
    })
}

/// An error about a request, with how to fix it.
pub fn refused(message: impl AsRef<str>, help: &str) -> PyErr {
    error(&subsolid::Error::request(message.as_ref()).with_help(help))
}

/// Results of the library become results of Python.
pub trait IntoPython<T> {
    fn py(self) -> PyResult<T>;
}

impl<T> IntoPython<T> for subsolid::Result<T> {
    fn py(self) -> PyResult<T> {
        self.map_err(|e| error(&e))
    }
}
