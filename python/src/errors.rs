//! Errors of the library as `subsolid.Error`, and panics kept from Python.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use subsolid::Message;
use subsolid::error::{Command, Term};

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    CLASS.import(py, "subsolid._error", "Error")
}

/// An error of the library as one of Python.
fn error(error: &subsolid::Error) -> PyErr {
    Python::attach(|py| {
        let elements: Vec<(&str, u64)> =
            error.elements().into_iter().map(|(kind, id)| (kind.name(), id)).collect();
        let arguments = (words(&error.message()), error.help().map(words), elements);
        match class(py).and_then(|class| class.call1(arguments)) {
            Ok(value) => PyErr::from_value(value),
            Err(error) => error,
        }
    })
}

/// A message of the library as Python says it: `method="single"`, `crease_angle`.
pub fn words(message: &Message) -> String {
    message.spelled(|term| match term {
        Term::Option { name, value } => option(name, value.as_deref()),
        Term::Command(command) => String::from(match command {
            Command::ReadSolid => "subsolid.read",
            Command::ReadSurface => "subsolid.read_surface",
            Command::Boundary => "Solid.boundary",
            Command::Triangulate => "Surface.refine(0, scheme=\"loop\")",
            Command::Fit => "Solid.fit",
            Command::Untangle => "Solid.untangle",
            Command::RefineFirst => "Solid.refine",
            Command::Reorient => "Solid.reorient",
            Command::Conform => "subsolid.conform(path)",
            Command::CutGroups => "Solid.extend(sharp_groups=True)",
            Command::Orient => "Surface.orient",
            Command::OrientCavities => "Surface.orient(nested=\"cavities\")",
            Command::Evaluate => "Solid.evaluate",
            Command::ListGroups => "Solid.face_groups and Solid.cell_data have them",
            Command::ListStructures => "Solid.info lists them",
            Command::Devices => "subsolid.devices()",
            Command::SliceToImages => "subsolid slice --png",
            Command::LayerFolders => "folders",
            Command::LayerImages => "images, not for .sl1",
            Command::LayerParts => "pieces is",
        }),
    })
}

fn option(name: &str, value: Option<&str>) -> String {
    match (layer_option(name), value) {
        (Some(own), _) => own.into(),
        (None, None) => name.into(),
        (None, Some("false")) => format!("{name}=False"),
        (None, Some("true")) => format!("{name}=True"),
        // a method of solids and surfaces
        (None, Some(value)) if name == "weld" => format!("weld({value})"),
        (None, Some(value)) if value.parse::<f64>().is_ok() => format!("{name}={value}"),
        (None, Some(value)) => format!("{name}=\"{value}\""),
    }
}

/// What stands in Slices for an option of layers that has another name there.
fn layer_option(name: &str) -> Option<&'static str> {
    Some(match name {
        "attribute" => "attributes",
        "png" => "a folder",
        "bmp" => "format=\"bmp\"",
        "svg" => "format=\"svg\"",
        "layered_svg" => ".svg",
        "cli" => ".cli",
        "vtp" => ".vtp",
        "pvtu" => ".pvtu",
        "zip" => ".zip",
        "sl1" => ".sl1",
        "material_id" => "the name of an array as materials",
        _ => return None,
    })
}

/// A UserWarning.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    py.import("warnings")?.call_method1("warn", (message,)).map(drop)
}

/// Warns of what a result leaves out, in the program's words; `of`: of what, with a colon.
pub fn warn_of_losses(py: Python<'_>, of: &str, losses: &[String]) -> PyResult<()> {
    losses.iter().try_for_each(|loss| warn(py, &format!("{of}left out {loss}")))
}

/// An error about a request, with how to fix it.
pub fn refused(message: impl Into<Message>, help: &str) -> PyErr {
    error(&subsolid::Error::request(message).with_help(help))
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

/// Of work that a signal may have ended.
impl<T> IntoPython<T> for PyResult<subsolid::Result<T>> {
    fn py(self) -> PyResult<T> {
        self?.py()
    }
}
