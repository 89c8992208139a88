//! Python bindings of [`subsolid`]: thin classes over the library.
//!
//! Arrays come in borrowed and go out moved or lent, never copied where that can be helped; work
//! runs without Python's lock. What depends on optional packages of Python is written in Python,
//! beside the compiled module.

mod adjoint;
mod arrays;
mod backend;
mod cells;
mod convert;
mod count;
mod dataset;
mod defaults;
mod errors;
mod evaluate;
mod jobs;
mod limit;
mod locate;
mod matrix;
mod model;
mod pickle;
mod plan;
mod process;
mod quadrature;
mod query;
mod request;
mod slice;
mod solid;
mod surface;
mod threads;

use pyo3::prelude::*;

/// The compiled part of the package; import subsolid instead.
#[pymodule]
mod _subsolid {
    use std::path::PathBuf;

    use pyo3::prelude::*;
    use subsolid::backend::MAX_THREADS;
    use subsolid::numbers::{by_count, counted};

    use crate::count;
    use crate::errors::{IntoPython, refused, warn};
    use crate::threads::{self, Work};

    #[pymodule_export]
    use crate::backend::{PyDeviceArray, PyDeviceLimit};
    #[pymodule_export]
    use crate::convert::{plain_array, solid};
    #[pymodule_export]
    use crate::limit::PyLimit;
    #[pymodule_export]
    use crate::locate::PyLocator;
    #[pymodule_export]
    use crate::plan::{PyPieces, PyPlan};
    #[pymodule_export]
    use crate::quadrature::{PyBatches, PyQuadrature};
    #[pymodule_export]
    use crate::slice::PySlices;
    #[pymodule_export]
    use crate::solid::PySolid;
    #[pymodule_export]
    use crate::surface::PySurface;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        threads::import(module)
    }

    /// Reads a control mesh: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, Gmsh .msh, .ovm, .inp.
    ///
    /// What else the file holds is named in a UserWarning, and so are vertices in one place, and
    /// left-handed and folded hexahedra.
    ///
    /// Args:
    ///     path: Name of the file.
    ///     crease_angle: Makes boundary edges sharp where the normals of their faces differ by more than
    ///         this angle, in degrees.
    #[pyfunction]
    #[pyo3(signature = (path, *, crease_angle=None))]
    fn read(py: Python<'_>, path: PathBuf, crease_angle: Option<f64>) -> PyResult<PySolid> {
        let (mut mesh, report) = py.work(|| subsolid::io::read_with_report(&path)).py()?;
        if let Some(left_out) = report.left_out() {
            let message = format!("{}: left out: {left_out}", path.display());
            warn(py, &message)?;
        }
        let found = mesh.coincident_vertices();
        if let Some([a, b]) = found.first {
            let message = format!(
                "{}: {} {} exactly where another vertex lies (the first: vertices {a} and {b}). Cells \
                 are joined by shared vertex ids alone; Solid.weld joins them",
                path.display(),
                counted(found.count, "vertex"),
                by_count(found.count, "lies", "lie")
            );
            warn(py, &message)?;
        }
        if let Some(degrees) = crease_angle {
            subsolid::refine::crease_by_angle(&mut mesh, degrees).py()?;
        }
        PySolid::build_from(py, &format!("{}: ", path.display()), mesh)
    }

    /// Reads a surface: .obj (with crease tags), .ply, .off, .stl, .vtp, and the faces of files
    /// without volume cells, as Gmsh and meshio write them.
    #[pyfunction]
    fn read_surface(py: Python<'_>, path: PathBuf) -> PyResult<PySurface> {
        let (mesh, report) = py.work(|| subsolid::io::read_surface_with_report(&path)).py()?;
        if let Some(left_out) = report.left_out() {
            let message = format!("{}: left out: {left_out}", path.display());
            warn(py, &message)?;
        }
        let found = mesh.coincident_ends();
        if let Some([a, b]) = found.first {
            let message = format!(
                "{}: {} where the surface ends {} exactly where another one does (the first: vertices \
                 {a} and {b}). Faces are joined by shared vertex ids alone; Surface.weld joins them",
                path.display(),
                counted(found.count, "vertex"),
                by_count(found.count, "lies", "lie")
            );
            warn(py, &message)?;
        }
        Ok(PySurface { mesh })
    }

    /// Names of the GPUs that backend="cuda:N" can take; empty without a driver.
    #[pyfunction]
    fn devices() -> Vec<String> {
        let found = subsolid::backend::devices().unwrap_or_default();
        found.iter().map(|device| device.name.clone()).collect()
    }

    /// Sets the number of threads, 1 to 4096, for all calls without threads=; call it before any of
    /// them.
    #[pyfunction]
    fn set_threads(#[pyo3(from_py_with = count::count)] count: usize) -> PyResult<()> {
        if !(1..=MAX_THREADS).contains(&count) {
            return Err(refused(
                format!("{} are out of range", counted(count, "thread")),
                &format!("ask for 1 to {MAX_THREADS} threads"),
            ));
        }
        threads::set(count)
    }
}
