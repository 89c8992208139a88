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
        let help = error.help().map(in_python);
        let arguments = (error.to_string(), help, elements);
        match class(py).and_then(|class| class.call1(arguments)) {
            Ok(value) => PyErr::from_value(value),
            Err(error) => error,
        }
    })
}

/// Options that take a value, as both the command line and Python name it.
const VALUED: [&str; 3] = ["backend", "method", "scheme"];

/// What helps of the library name, and what it is in Python.
const COMMANDS: [(&str, &str); 6] = [
    ("`subsolid surface` reads surfaces", "subsolid.read_surface reads surfaces"),
    ("(subsolid boundary)", "(Solid.boundary)"),
    ("subsolid surface IN --scheme loop --levels 0 -o OUT", "Surface.refine(0, scheme=\"loop\")"),
    ("(subsolid untangle)", "(Solid.untangle)"),
    ("(subsolid info lists them)", "(Solid.face_groups and Solid.cell_data have them)"),
    ("see `subsolid devices`", "see subsolid.devices()"),
];

/// A help of the library, which names commands and options of the command line, with those of Python:
/// `--backend cpu` becomes `backend="cpu"`, `--matrix-free` becomes `matrix_free`. Other commands stay.
fn in_python(help: &str) -> String {
    for (command, method) in COMMANDS {
        if help.contains(command) {
            return in_python(&help.replace(command, method));
        }
    }
    if help.contains("subsolid ") {
        return help.to_owned();
    }
    let is_option = |c: char| c.is_ascii_lowercase() || c == '-';
    let (mut rest, mut all) = (help, String::with_capacity(help.len()));
    while let Some((before, after)) = rest.split_once("--") {
        all.push_str(before);
        rest = after;
        // names of files and arrays may have hyphens too
        let begins = all.is_empty() || all.ends_with([' ', '(']);
        if !begins || !after.starts_with(|c: char| c.is_ascii_lowercase()) {
            all.push_str("--");
            continue;
        }
        let (name, after) = split_where(after, |c| !is_option(c));
        all.push_str(&name.replace('-', "_"));
        rest = after;
        let (value, after) =
            split_where(after.strip_prefix(' ').unwrap_or_default(), |c| !is_option(c));
        if VALUED.contains(&name) && !value.is_empty() {
            all.push_str(&format!("=\"{value}\""));
            rest = after;
        }
    }
    all + rest
}

/// The text before the first such character, and the rest.
fn split_where(text: &str, is_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

/// A UserWarning.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    py.import("warnings")?.call_method1("warn", (message,)).map(drop)
}

/// An error about a request, with how to fix it.
pub fn refused(message: impl Into<subsolid::Message>, help: &str) -> PyErr {
    error(&subsolid::Error::request(message).with_help(help))
}

/// Signals that end work of the library.
#[derive(Default)]
pub struct Signals(Option<PyErr>);

impl Signals {
    /// Looks at signals, as `Python::check_signals` does; the error ends the work.
    pub fn look(&mut self) -> subsolid::Result<()> {
        Python::attach(|py| py.check_signals()).map_err(|error| {
            self.0 = Some(error);
            subsolid::Error::request("interrupted")
        })
    }

    /// The result of the work, or the exception that a signal raised.
    pub fn ended<T>(self, result: subsolid::Result<T>) -> PyResult<T> {
        self.0.map_or_else(|| result.py(), Err)
    }
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
