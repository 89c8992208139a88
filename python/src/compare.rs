//! Processors against the CPU in double precision.

use std::path::PathBuf;

use pyo3::prelude::*;
use subsolid::backend::Choice;
use subsolid::jobs::compare::CompareRequest;

use crate::arrays::dictionary;
use crate::cells::Analyzed;
use crate::count;
use crate::errors::IntoPython;
use crate::notes::PythonNotes;
use crate::request::named;
use crate::solid::PySolid;

#[pymethods]
impl PySolid {
    /// Compares processors, kernels and precisions with the CPU in double precision. That of
    /// `subsolid compare`.
    ///
    /// Args:
    ///     samples: Samples along each axis of a cell, 1 to 64.
    ///     backend: Processor to test: "auto" (the first NVIDIA GPU that works, else the CPU),
    ///         "cpu", "cuda" or "cuda:N".
    ///     strategy: Kernels of a GPU to test: "all", "auto", "thread", "warp" or "hybrid".
    ///     precision: "all", "f32" or "f64".
    ///     output: File for the limit with its errors as point arrays, .vtu or .vtk, or None.
    ///     report: Page with a picture of the solid colored by the largest error of each cell,
    ///         .html, or None.
    ///     compress: Compress .vtu.
    ///
    /// Returns:
    ///     A dictionary with the keys of the JSON report of `subsolid compare` but for the model:
    ///     "runs" has a dictionary of errors for each combination.
    ///
    /// Raises:
    ///     Error: For values out of range, a processor that is not there, and files that cannot be
    ///         written.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.compare(3, backend="cpu")["runs"][0]["all"]["ulp"]["maximum"] < 4
    ///     True
    #[pyo3(signature = (samples=8, *, backend="auto", strategy="all", precision="all", output=None,
                        report=None, compress=false))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn compare<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = count::samples)] samples: usize,
        backend: &str,
        strategy: &str,
        precision: &str,
        output: Option<PathBuf>,
        report: Option<PathBuf>,
        compress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut request = CompareRequest {
            samples: samples.try_into().unwrap_or(u8::MAX), // refused
            backend: backend.parse::<Choice>().py()?,
            output,
            report,
            compress,
            ..Default::default()
        };
        if strategy != "all" {
            request.strategies = vec![named("strategy", strategy)?];
        }
        if precision != "all" {
            request.precisions = vec![named("precision", precision)?];
        }
        let Analyzed { mesh, solid, .. } = &*self.shared;
        let compared = PythonNotes::hear(py, |notes| {
            request.check()?;
            let candidates = request.candidates(notes)?;
            request.run(mesh, solid, &candidates, "subsolid", notes)
        })?;
        dictionary(py, &compared)
    }
}
