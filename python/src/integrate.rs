//! Quadrature as files and reports.

use std::path::PathBuf;

use pyo3::prelude::*;
use subsolid::backend::Choice;
use subsolid::io::JobPart;
use subsolid::jobs::quadrature::QuadratureRequest;
use subsolid::quadrature::QuadratureScheme;

use crate::arrays::dictionary;
use crate::cells::Analyzed;
use crate::count;
use crate::errors::IntoPython;
use crate::layer_options;
use crate::notes::PythonNotes;
use crate::quadrature::boundary_parts;
use crate::request::named;
use crate::solid::PySolid;

#[pymethods]
impl PySolid {
    /// Volume, remainders and Jacobian determinants by quadrature, or areas of the boundary, and a
    /// file of quadrature points; those of `subsolid quadrature`. Solid.quadrature has the points
    /// as arrays.
    ///
    /// Args:
    ///     path: File to write: .npz (what store says), .vtu or .pvtu (the points with their
    ///         weights and Jacobians); None for the report alone.
    ///     gauss: Gauss points along each axis of a box, 1 to 32.
    ///     rings: Rings of boxes toward extraordinary edges and vertices; None for as many as
    ///         integrals accurate to 1e-10 need.
    ///     boundary: False for the volume, True for the whole boundary, or
    ///         numbers of sides and names of groups of faces.
    ///     store: What a .npz holds: "tables" of basis functions, "geometry" (positions, measures
    ///         and inverse Jacobians) or "all"; None for tables.
    ///     second: Also second derivatives of the basis functions.
    ///     physical_gradients: Also derivatives of basis functions in space: by far the most data.
    ///     force: Write even if some determinants are not positive, with a UserWarning.
    ///     pieces: Which of the parts of a .pvtu to write, (part, parts) from (1, n) to (n, n);
    ///         then subsolid.merge. The report covers this part.
    ///     piece_points: Maximum number of points per piece of a .pvtu.
    ///     compress: Compress the file.
    ///     max_size: Maximum size of the file in GB before compression; a larger one is refused.
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; values are equal up to rounding.
    ///
    /// Returns:
    ///     A dictionary with the keys of the JSON report of `subsolid quadrature`: "volume",
    ///     "quality", or "area" and "sides", and others. None for a part that exists.
    ///
    /// Raises:
    ///     Error: For values out of range, options without effect, parts that the boundary does not
    ///         have, and files that cannot be written.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2).with_creases(crease_angle=40)
    ///     >>> round(box.integrate()["volume"], 6)
    ///     8.0
    ///     >>> round(box.integrate("points.vtu", boundary=[0], gauss=3)["area"], 6)
    ///     4.0
    #[pyo3(signature = (path=None, *, gauss=5, rings=None, boundary=None, store=None, second=false,
                        physical_gradients=false, force=false, pieces=None, piece_points=None,
                        compress=false, max_size=1.0, backend="auto"))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn integrate<'py>(
        &self,
        py: Python<'py>,
        path: Option<PathBuf>,
        #[pyo3(from_py_with = count::gauss)] gauss: usize,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        boundary: Option<Bound<'py, PyAny>>,
        store: Option<&str>,
        second: bool,
        physical_gradients: bool,
        force: bool,
        #[pyo3(from_py_with = layer_options::part)] pieces: Option<JobPart>,
        #[pyo3(from_py_with = count::max_points)] piece_points: Option<usize>,
        compress: bool,
        max_size: f64,
        backend: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let request = QuadratureRequest {
            scheme: QuadratureScheme { gauss, rings },
            boundary: boundary_parts(boundary.as_ref())?,
            store: store.map(|store| named("store", store)).transpose()?,
            second,
            physical_gradients,
            force,
            pieces,
            piece_points,
            compress,
            max_size,
            backend: backend.parse::<Choice>().py()?,
            output: path,
        };
        let Analyzed { mesh, solid, .. } = &*self.shared;
        let check = |notes: &mut PythonNotes| {
            request.check()?;
            request.check_mesh(mesh, notes)
        };
        if request.boundary.is_some() {
            let found = PythonNotes::hear(py, |notes| {
                check(notes)?;
                request.run_boundary(mesh, solid, |_| Ok(()), notes)
            });
            return dictionary(py, &found?).map(Some);
        }
        let found = PythonNotes::hear(py, |notes| {
            check(notes)?;
            request.run(mesh, solid, |_| Ok(()), notes)
        });
        found?.map(|found| dictionary(py, &found)).transpose()
    }
}
