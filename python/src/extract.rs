//! Bézier extraction.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::jobs::extract::ExtractRequest;

use crate::arrays::dictionary;
use crate::cells::Analyzed;
use crate::count;
use crate::dataset::arrays_of;
use crate::notes::PythonNotes;
use crate::solid::PySolid;

#[pymethods]
impl PySolid {
    /// Bézier extraction operators as arrays by name; those of `subsolid extract`. Groups and data
    /// of cells are left out, with a UserWarning.
    ///
    /// Args:
    ///     rings: Rings of pieces toward extraordinary edges and vertices, 0 to 8.
    ///     refined_points: Keep refined points as control points, with rows over the vertices.
    ///
    /// Returns:
    ///     Arrays by name.
    ///
    /// Raises:
    ///     Error: For rings out of range.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> arrays = box.extract(1)
    #[pyo3(signature = (rings=2, *, refined_points=false))]
    fn extract<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = count::rings)] rings: usize,
        refined_points: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Analyzed { mesh, solid, .. } = &*self.shared;
        let request = ExtractRequest { rings, refined_points, ..Default::default() };
        let arrays = PythonNotes::hear(py, |notes| request.arrays(mesh, solid, notes))?;
        arrays_of(py, arrays)
    }

    /// Writes the Bézier extraction operators as `subsolid extract` does: .npz, the arrays of
    /// extract, or .bext (Bézier extraction text, version 2.0). Groups and data of cells are left
    /// out, with a UserWarning. The file appears under its name when it is complete.
    ///
    /// Args:
    ///     path: Name of the file.
    ///     rings: Rings of pieces toward extraordinary edges and vertices, 0 to 8.
    ///     refined_points: Keep refined points as control points, with rows over the vertices; for
    ///         .npz.
    ///     compress: Compress; for .npz.
    ///     max_size: Maximum size in GB before compression; a larger one is refused.
    ///
    /// Returns:
    ///     A dictionary with the keys of the JSON report of `subsolid extract`: "pieces",
    ///     "error_bound", "operators" and others.
    ///
    /// Raises:
    ///     Error: For another ending, values out of range, options that the format has no place
    ///         for, and a file that cannot be written.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.write_extraction("box.bext", rings=0)["pieces"]
    ///     8
    #[pyo3(signature = (path, *, rings=2, refined_points=false, compress=false, max_size=1.0))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn write_extraction<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        #[pyo3(from_py_with = count::rings)] rings: usize,
        refined_points: bool,
        compress: bool,
        max_size: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Analyzed { mesh, solid, .. } = &*self.shared;
        let request = ExtractRequest { rings, refined_points, compress, max_size };
        let report = PythonNotes::hear(py, |notes| {
            request.check(&path)?;
            request.check_mesh(mesh, &path, notes)?;
            request.run(mesh, solid, &path, notes)
        })?;
        dictionary(py, &report)
    }
}
