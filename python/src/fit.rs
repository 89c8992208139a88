//! Control points whose limit is the part.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use subsolid::backend::Choice;
use subsolid::io::ControlMesh;
use subsolid::jobs::fit::{FitAttributes, FitReport, FitRequest, FitTarget};
use subsolid::scheme::Scheme;

use crate::arrays::dictionary;
use crate::errors::{IntoPython, refused};
use crate::notes::PythonNotes;
use crate::request::named;
use crate::solid::PySolid;
use crate::surface::PySurface;
use crate::threads::WithoutLock;

/// Keywords of both methods.
struct Keywords<'a, 'py> {
    to: Option<&'a Bound<'py, PyAny>>,
    target_scheme: Option<&'a str>,
    feature_angle: f64,
    rounds: usize,
    tolerance: Option<f64>,
    max_levels: usize,
    attributes: &'a str,
    distances: bool,
    untangle: bool,
    backend: &'a str,
}

impl<'py> Keywords<'_, 'py> {
    /// The request, and the target where it is an object.
    fn request(&self) -> PyResult<(FitRequest, Option<ControlMesh>)> {
        let mut given = None;
        let to = match self.to {
            None => FitTarget::Vertices,
            Some(to) => {
                if let Ok(surface) = to.cast::<PySurface>() {
                    given = Some(ControlMesh::Surface(surface.get().mesh.clone()));
                    FitTarget::File(PathBuf::new())
                } else if let Ok(solid) = to.cast::<PySolid>() {
                    given = Some(ControlMesh::Solid(solid.get().shared.mesh.clone()));
                    FitTarget::File(PathBuf::new())
                } else if let Ok(name) = to.extract::<String>() {
                    match name.parse() {
                        Ok(target) => target,
                        Err(never) => match never {},
                    }
                } else {
                    FitTarget::File(to.extract().map_err(|_| {
                        refused(
                            "to is no target",
                            "give \"vertices\", \"corners\", \"facets\", a path, a Surface or a Solid",
                        )
                    })?)
                }
            }
        };
        let attributes: FitAttributes = named("attributes", self.attributes)?;
        let request = FitRequest {
            to,
            target_scheme: self.target_scheme.map(Scheme::named).transpose().py()?,
            feature_angle: self.feature_angle,
            rounds: self.rounds,
            tolerance: self.tolerance,
            max_levels: self.max_levels,
            attributes,
            distances: self.distances,
            no_untangle: !self.untangle,
            backend: self.backend.parse::<Choice>().py()?,
        };
        Ok((request, given))
    }

    /// Fits a copy of a mesh; also the report.
    fn run<M: Clone + Send + Sync>(
        &self,
        py: Python<'py>,
        mesh: &M,
        run: impl Send + FnOnce(&FitRequest, &mut M, Given<'_>, &mut PythonNotes) -> Fitted,
    ) -> PyResult<(M, Bound<'py, PyAny>)> {
        let (request, given) = self.request()?;
        let mut notes = PythonNotes::default();
        let ended = py.work(|| {
            let target = if given.is_some() { given } else { request.read_target(&mut notes)? };
            let mut mesh = mesh.clone();
            let report = run(&request, &mut mesh, target.as_ref(), &mut notes)?;
            Ok::<_, subsolid::Error>((mesh, report))
        });
        let (mesh, report) = ended.py()?;
        notes.warn(py, report.missed())?;
        Ok((mesh, dictionary(py, &report)?))
    }
}

/// The target, where there is one.
type Given<'a> = Option<&'a ControlMesh>;
type Fitted = subsolid::Result<FitReport>;

#[pymethods]
impl PySolid {
    /// Moves control points so that the limit is the part whose mesh this is. That of
    /// `subsolid fit`.
    ///
    /// Args:
    ///     to: "vertices": the limit passes through the points of the boundary; a solid that was
    ///         read with curved cells is refined once, and passes through the middles of their edges too.
    ///         "corners": the points alone. "facets": it comes near the boundary faces as they
    ///         are. A Surface: near its faces; a Solid: near its
    ///         limit; a path of a file of either.
    ///     target_scheme: Take the limit of a target surface by this scheme, "catmull-clark",
    ///         "loop" or "bilinear", not its faces.
    ///     feature_angle: Edges of a target without creases are feature lines where its faces turn
    ///         by more, in degrees, 0 to 180.
    ///     rounds: Rounds of least squares to a target at most, 1 to 100.
    ///     tolerance: Refine and fit again until no point of the limit or the target is farther than
    ///         this from the other, in length units.
    ///     max_levels: Refinements at most for that, 0 to 4.
    ///     attributes: "interpolate": the limit takes the values of attributes at the points.
    ///         "project": the field is the nearest, in the L2 norm, to these values interpolated on
    ///         the cells. "keep": they stay control values.
    ///     distances: Whether to add the distance of the limit from the target as the attribute
    ///         "fit_distance", positive outside, in length units; 0 at inner points.
    ///     untangle: Whether inner points move until det J of the limit is positive.
    ///     backend: Processor of linear systems: "auto", "cpu", "cuda" or "cuda:N"; results are
    ///         equal bit by bit.
    ///
    /// Returns:
    ///     The solid, and a dictionary with the keys of the JSON report of `subsolid fit`:
    ///     distances "vertices" and "target" before and after, "volume", "determinant" and others.
    ///     A UserWarning says what is missed.
    ///
    /// Raises:
    ///     Error: For values out of range, a target of another size, and where no control points
    ///         have the wanted limits.
    ///
    /// Example:
    ///     >>> solid, report = subsolid.shape("box", 3, 3, 3).fit()
    ///     >>> report["vertices"][1]["max"] < 1e-12
    ///     True
    #[pyo3(signature = (to=None, *, target_scheme=None, feature_angle=40.0, rounds=6,
                        tolerance=None, max_levels=2, attributes="interpolate", distances=false,
                        untangle=true,
                        backend="auto"))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        to: Option<&Bound<'py, PyAny>>,
        target_scheme: Option<&str>,
        feature_angle: f64,
        rounds: usize,
        tolerance: Option<f64>,
        max_levels: usize,
        attributes: &str,
        distances: bool,
        untangle: bool,
        backend: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let keywords = Keywords {
            to,
            target_scheme,
            feature_angle,
            rounds,
            tolerance,
            max_levels,
            attributes,
            distances,
            untangle,
            backend,
        };
        let (mesh, report) =
            keywords.run(py, &self.shared.mesh, |request, mesh, target, notes| {
                request.take_nodes(mesh, &self.shared.nodes, notes)?;
                request.run_solid(mesh, target, notes)
            })?;
        (PySolid::build(py, mesh)?, report).into_pyobject(py)
    }

    /// Limit masks of the points: a sparse matrix L with `L @ solid.points` the limit at them.
    ///
    /// Returns:
    ///     A scipy.sparse.csr_matrix, (points, points); rows sum to 1.
    ///
    /// Raises:
    ///     ModuleNotFoundError: Without SciPy.
    ///
    /// Example:
    ///     >>> matrix = subsolid.shape("box", 2, 2, 2).limit_matrix()
    ///     >>> bool(abs(matrix.sum(axis=1) - 1).max() < 1e-14)
    ///     True
    fn limit_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = py.work(|| self.shared.solid.limit_matrix())?;
        crate::matrix::csr(py, &rows, self.shared.mesh.points.len())
    }
}

#[pymethods]
impl PySurface {
    /// Moves control points so that the limit passes through the points, or comes near a target.
    /// That of `subsolid fit`.
    ///
    /// Args:
    ///     to: "vertices": the limit passes through the points. "facets": it comes near the faces as they
    ///         are. A Surface: near its faces; a Solid: near its limit; a path of a file of either.
    ///     scheme: "catmull-clark", "loop" or "bilinear".
    ///     target_scheme: Take the limit of a target surface by this scheme, "catmull-clark",
    ///         "loop" or "bilinear", not its faces.
    ///     feature_angle: Edges of a target without creases are feature lines where its faces turn
    ///         by more, in degrees, 0 to 180.
    ///     rounds: Rounds of least squares to a target at most, 1 to 100.
    ///     tolerance: Refine and fit again until no point of the limit or the target is farther than
    ///         this from the other, in length units.
    ///     max_levels: Refinements at most for that, 0 to 4.
    ///     attributes: "interpolate": the limit takes the values of attributes at the points.
    ///         "keep": they stay control values.
    ///     distances: Whether to add the distance of the limit from the target as the attribute
    ///         "fit_distance", positive outside, in length units.
    ///     backend: Processor of linear systems: "auto", "cpu", "cuda" or "cuda:N"; results are
    ///         equal bit by bit.
    ///
    /// Returns:
    ///     The surface, and a dictionary with the keys of the JSON report of `subsolid fit`.
    ///     A UserWarning says what is missed.
    ///
    /// Raises:
    ///     Error: For values out of range, a scheme without limits, a target of another size, and
    ///         where no control points have the wanted limits.
    ///
    /// Example:
    ///     >>> surface, report = subsolid.shape("box", 3, 3, 3).boundary().fit()
    ///     >>> report["vertices"][1]["max"] < 1e-12
    ///     True
    #[pyo3(signature = (to=None, *, scheme="catmull-clark", target_scheme=None,
                        feature_angle=40.0, rounds=6, tolerance=None, max_levels=2,
                        attributes="interpolate", distances=false,
                        backend="auto"))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        to: Option<&Bound<'py, PyAny>>,
        scheme: &str,
        target_scheme: Option<&str>,
        feature_angle: f64,
        rounds: usize,
        tolerance: Option<f64>,
        max_levels: usize,
        attributes: &str,
        distances: bool,
        backend: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let scheme = Scheme::named(scheme).py()?;
        let keywords = Keywords {
            to,
            target_scheme,
            feature_angle,
            rounds,
            tolerance,
            max_levels,
            attributes,
            distances,
            untangle: true,
            backend,
        };
        let (mesh, report) = keywords.run(py, &self.mesh, |request, mesh, target, notes| {
            request.run_surface(mesh, scheme, target, notes)
        })?;
        (PySurface { mesh }, report).into_pyobject(py)
    }
}
