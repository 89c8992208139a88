//! Mesh processing: distances, smoothing, untangling.

use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use subsolid::backend::Choice;
use subsolid::jobs::denoise::DenoiseRequest;
use subsolid::jobs::distance::{DistanceRequest, DistanceTarget};
use subsolid::jobs::extend::ExtendRequest;
use subsolid::jobs::refine::RefineRequest;
use subsolid::jobs::smooth::SmoothRequest;
use subsolid::jobs::untangle::UntangleRequest;
use subsolid::mesh::{Attribute, SurfaceMesh};
use subsolid::plan::{Cost, SurfaceJob};

use crate::arrays::{dictionary, floats, moved, plain_ids, slice};
use crate::count;
use crate::errors::{IntoPython, refused};
use crate::model::parsed;
use crate::notes::PythonNotes;
use crate::request::{named, one_backend};
use crate::solid::PySolid;
use crate::surface::PySurface;
use crate::threads::WithoutLock;

type Floats<'py> = PyResult<Bound<'py, PyArrayDyn<f64>>>;

/// A point in space.
fn place(value: &Bound<'_, PyAny>) -> PyResult<[f64; 3]> {
    let array = floats(value, "point")?;
    let help = "give three coordinates: point=(x, y, z)";
    match (array.ndim(), slice(&array)?) {
        (1, &[x, y, z]) => Ok([x, y, z]),
        _ => Err(refused(format!("point has the shape {:?}", array.shape()), help)),
    }
}

/// Names of groups, from one, a sequence, or True for all.
fn group_names(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<String>>> {
    let Some(value) = value else { return Ok(None) };
    if let Ok(all) = value.extract::<bool>() {
        return Ok(all.then(Vec::new));
    }
    let names = value.extract().map(|name: String| vec![name]).or_else(|_| value.extract());
    let names: Vec<String> =
        names.ok().filter(|names: &Vec<String>| !names.is_empty()).ok_or_else(|| {
            refused("sharp_groups of another form", "give a name, a list of names, or True for all")
        })?;
    Ok(Some(names))
}

#[pymethods]
impl PySolid {
    /// Distance of every control point through the volume of the control mesh, around holes;
    /// errors fall with the size of cells. That of `subsolid distance`.
    ///
    /// Args:
    ///     to: "boundary" or "creases", unless one of the others is given.
    ///     vertices: Ids of the vertices that distances are measured to.
    ///     patches: Vertices of boundary patches, as creases bound them, to measure to.
    ///     group: Name of a group of faces or of cells to measure to.
    ///     point: A point (x, y, z) to measure to. For one outside, distances go through the
    ///         closest place of the solid, which a UserWarning names.
    ///     attribute: Name of an attribute: the vertices where it is not 0, and the edges, faces and
    ///         cells between them.
    ///     levels: Refine the solid so many times first: errors fall with the size of cells.
    ///         Distances are then those of the vertices of solid.refine(levels); creases and marks
    ///         are those of the solid before.
    ///
    /// Returns:
    ///     Distances, (vertices,), in length units.
    ///
    /// Raises:
    ///     Error: For cells that are not hexahedra, or whose Jacobian determinant vanishes or changes
    ///         sign between the 2 x 2 x 2 Gauss points of the control cell; for a vertex that does not
    ///         exist, a target that is empty, or vertices that it does not reach.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> bool((box.distance("boundary") >= 0).all())
    ///     True
    #[pyo3(signature = (to="boundary", *, vertices=None, patches=None, group=None, point=None,
                        attribute=None, levels=0))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn distance<'py>(
        &self,
        py: Python<'py>,
        to: &str,
        vertices: Option<Bound<'py, PyAny>>,
        patches: Option<Bound<'py, PyAny>>,
        group: Option<String>,
        point: Option<Bound<'py, PyAny>>,
        attribute: Option<String>,
        #[pyo3(from_py_with = count::levels)] levels: usize,
    ) -> Floats<'py> {
        let ids = |value: &Bound<'py, PyAny>, what| Ok::<_, PyErr>(plain_ids(value, what)?.0);
        let point = point.as_ref().map(place).transpose()?;
        let mut given: Vec<DistanceTarget> = Vec::new();
        if let Some(vertices) = &vertices {
            given.push(DistanceTarget::Vertices(ids(vertices, "vertices")?));
        }
        if let Some(patches) = &patches {
            given.push(DistanceTarget::Patches(ids(patches, "patches")?));
        }
        given.extend(group.map(DistanceTarget::Group));
        given.extend(point.map(DistanceTarget::Point));
        given.extend(attribute.map(DistanceTarget::Attribute));
        let to = match (to, given.pop()) {
            (_, Some(_)) if to != "boundary" || !given.is_empty() => {
                return Err(refused(
                    "several targets",
                    "give one of to, vertices, patches, group, point and attribute",
                ));
            }
            (_, Some(target)) => target,
            ("boundary", None) => DistanceTarget::Boundary,
            ("creases", None) => DistanceTarget::Creases,
            _ => {
                return Err(refused(
                    format!("to={to:?}"),
                    "give \"boundary\" or \"creases\", or vertices=, patches=, group=, point= or \
                     attribute=",
                ));
            }
        };
        let request = DistanceRequest { to, levels, ..Default::default() };
        let mesh = &self.shared.mesh;
        let found = PythonNotes::hear(py, |notes| {
            let target = request.target(mesh)?;
            if levels == 0 {
                return request.run_solid(mesh, &target, notes);
            }
            let refine = RefineRequest { levels, ..Default::default() };
            let refined = refine.run(mesh, self.shared.solid.topology().clone(), notes)?;
            request.run_solid(&refined, &target, notes)
        })?;
        let count = found.values.len();
        moved(py, found.values, &[count])
    }

    /// Smooths an attribute: every step moves values toward the mean of their neighbors.
    ///
    /// Args:
    ///     name: Name of the attribute.
    ///     steps: Number of steps.
    ///     factor: Fraction of the way that they move, 0 to 1.
    ///     fix_boundary: Whether values at boundary vertices stay.
    ///
    /// Returns:
    ///     The values, (vertices,) or (vertices, width).
    ///
    /// Raises:
    ///     Error: For a name that is not there, and a factor out of range.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> heated = box.with_attributes({"heat": np.arange(27.0)})
    ///     >>> heated.smooth_attribute("heat", steps=3).shape
    ///     (27,)
    #[pyo3(signature = (name, steps=1, *, factor=0.5, fix_boundary=false))]
    fn smooth_attribute<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        #[pyo3(from_py_with = count::steps)] steps: usize,
        factor: f64,
        fix_boundary: bool,
    ) -> Floats<'py> {
        let request = SmoothRequest {
            attribute: Some(name.into()),
            steps,
            factor: Some(factor),
            fix_boundary,
            ..Default::default()
        };
        let Attribute { values, width, .. } = PythonNotes::hear(py, |notes| {
            let mut mesh = self.shared.mesh.clone();
            request.run_solid(&mut mesh, self.shared.solid.topology(), notes)?;
            Ok(mesh.attributes.swap_remove(mesh.attribute_index(name)?))
        })?;
        let shape = [values.len() / width, width];
        moved(py, values, if width == 1 { &shape[..1] } else { &shape })
    }

    /// Adds a layer of ghost cells around the solid, for full order at its boundary and sharp edges
    /// that do not fold, around each of its groups of cells, or the images of a periodic solid. That of
    /// `subsolid extend`.
    ///
    /// Args:
    ///     angle: Boundary edges are sharp where the normals of their faces differ by more than this
    ///         angle, in degrees, 0 to 180, and where they are infinitely sharp creases; None for 40.
    ///     periodic: Periods, for ghosts that are images of the solid's own cells: "x", one as long as
    ///         the solid, "y=2.5", or "file", those that its file names; a list of several.
    ///     sharp_groups: Cuts the solid at the faces between groups of cells, each of which gets ghosts
    ///         of its own: values are continuous there, derivatives may jump. The name of a group, a
    ///         list of some, or True for all of the solid.
    ///
    /// Returns:
    ///     The solid, and a dictionary: numbers of ghosts, vertices, and edges by their shape, of a cut
    ///     the number of its faces ("interface_faces"), of copied vertices, and how far control points
    ///     are moved so that both sides meet, and the edges that have other numbers of ghosts than
    ///     their shape wants ("fallbacks"), of which a UserWarning tells too.
    ///
    /// Raises:
    ///     Error: For an angle out of range, a solid with ghosts, boundary faces that are not quads,
    ///         and semi-sharp creases; for periods that are wrong or contradict each other, and ends of
    ///         a period with different faces; for groups that the solid does not have or that do not
    ///         meet.
    ///
    /// Example:
    ///     >>> extended, report = subsolid.shape("box", 2, 2, 2).extend()
    ///     >>> report["ghosts"], report["fallbacks"]
    ///     (56, [])
    #[pyo3(signature = (*, angle=None, periodic=None, sharp_groups=None))]
    fn extend<'py>(
        &self,
        py: Python<'py>,
        angle: Option<f64>,
        periodic: Option<Bound<'py, PyAny>>,
        sharp_groups: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let help = "give \"x\", \"y=2.5\", \"file\", or a list of these";
        let request = ExtendRequest {
            angle,
            periodic: parsed(periodic.as_ref(), "periodic", help)?,
            sharp_groups: group_names(sharp_groups.as_ref())?,
        };
        let mut mesh = self.shared.mesh.clone();
        let report = PythonNotes::hear(py, |notes| request.run(&mut mesh, notes))?;
        (PySolid::build(py, mesh)?, dictionary(py, &report)?).into_pyobject(py)
    }

    /// Moves control points so that no control cell is folded and the worst improves, or that det J
    /// of the limit is positive. That of `subsolid untangle`.
    ///
    /// Args:
    ///     boundary: "fixed": points of the boundary stay. "slide": their limit points slide on
    ///         the limit surface, those on infinitely sharp creases on the crease.
    ///     limit: Whether the limit is untangled, for cells of all kinds; else the control cells,
    ///         hexahedra. The boundary stays then.
    ///
    /// Returns:
    ///     The solid, and a dictionary: scaled Jacobians of the control cells, folded cells of the
    ///     limit, of which there are never more than before, and how many vertices moved, slid and
    ///     can slide ("control"; None with limit=True), and bounds of det J of the limit
    ///     ("limit_before", "limit_after"). A UserWarning says what is still folded, where nothing
    ///     can slide, and where vertices went a part of the way only for the sake of the limit.
    ///
    /// Raises:
    ///     Error: For cells that are not hexahedra, without limit=True; for a boundary that slides,
    ///         with it.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> better, report = box.untangle()
    ///     >>> report["control"]["after"]["non_positive"]
    ///     0
    #[pyo3(signature = (*, boundary="fixed", limit=false))]
    fn untangle<'py>(
        &self,
        py: Python<'py>,
        boundary: &str,
        limit: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let request = UntangleRequest { boundary: named("boundary", boundary)?, limit };
        let mut notes = PythonNotes::default();
        let mut mesh = self.shared.mesh.clone();
        let report = py.work(|| request.run(&mut mesh, &mut notes)).py()?;
        notes.warn(py, report.missed(&request))?;
        (PySolid::build(py, mesh)?, dictionary(py, &report)?).into_pyobject(py)
    }
}

#[pymethods]
impl PySurface {
    /// Geodesic distance of every vertex to the nearest of some, along triangles.
    ///
    /// Args:
    ///     vertices: Ids of the vertices that distances are measured to.
    ///     method: "heat" (Crane et al. 2013) or "toplesets" (Romero Calla et al. 2019).
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; values are equal up to rounding.
    ///
    /// Returns:
    ///     Distances, (vertices,), in length units; NaN at vertices of no face, with a UserWarning.
    ///
    /// Raises:
    ///     Error: For a vertex that does not exist, faces that are not triangles, and no vertices.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> quads = faces.faces
    ///     >>> halves = np.vstack([quads[:, :3], quads[:, [0, 2, 3]]])
    ///     >>> triangles = subsolid.Surface(faces.points, halves)
    ///     >>> float(triangles.distance([0])[0])
    ///     0.0
    #[pyo3(signature = (vertices, *, method="heat", backend="auto"))]
    fn distance<'py>(
        &self,
        py: Python<'py>,
        vertices: &Bound<'py, PyAny>,
        method: &str,
        backend: &str,
    ) -> Floats<'py> {
        let request = DistanceRequest {
            to: DistanceTarget::Vertices(plain_ids(vertices, "vertices")?.0),
            method: named("method", method)?,
            backend: backend.parse::<Choice>().py()?,
            ..Default::default()
        };
        let found = PythonNotes::hear(py, |notes| request.run_surface(&self.mesh, notes))?;
        let count = found.values.len();
        moved(py, found.values, &[count])
    }

    /// The surface after implicit mean curvature flow (Desbrun et al. 1999), for triangles.
    ///
    /// Args:
    ///     time: Time of a step, in squared length units. A step is implicit, of first order in
    ///         time: it takes a sphere of radius r to r / (1 + 2 time / r²), the flow itself to
    ///         sqrt(r² - 4 time).
    ///     steps: Number of steps.
    ///     matrix_free: Solve by conjugate gradients that recompute the cotangent weights in
    ///         every product and store no matrix: less memory, more time.
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; points are equal up to rounding.
    ///
    /// Returns:
    ///     A surface.
    ///
    /// Raises:
    ///     Error: For faces that are not triangles, and steps or times out of range.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> quads = faces.faces
    ///     >>> halves = np.vstack([quads[:, :3], quads[:, [0, 2, 3]]])
    ///     >>> triangles = subsolid.Surface(faces.points, halves)
    ///     >>> triangles.smooth(1e-3).n_points
    ///     26
    #[pyo3(signature = (time, steps=1, *, matrix_free=false, backend="auto"))]
    fn smooth(
        &self,
        py: Python<'_>,
        time: f64,
        #[pyo3(from_py_with = count::steps)] steps: usize,
        matrix_free: bool,
        backend: &str,
    ) -> PyResult<Self> {
        let backend = backend.parse::<Choice>().py()?;
        let time = Some(time);
        let request = SmoothRequest { time, steps, matrix_free, backend, ..Default::default() };
        self.processed(py, |mesh, notes| request.run_surface(mesh, notes).map(drop))
    }

    /// The surface without noise: bilateral filtering (Fleishman et al. 2003), any polygons.
    ///
    /// Args:
    ///     sweeps: Sweeps over all vertices.
    ///     rings: Neighbors are vertices up to this many edges away.
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; points are equal up to rounding.
    ///
    /// Returns:
    ///     A surface.
    ///
    /// Raises:
    ///     Error: For rings out of range.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.denoise(sweeps=1).n_points
    ///     26
    #[pyo3(signature = (sweeps=3, *, rings=2, backend="auto"))]
    fn denoise(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = count::sweeps)] sweeps: usize,
        #[pyo3(from_py_with = count::rings)] rings: usize,
        backend: &str,
    ) -> PyResult<Self> {
        let request = DenoiseRequest { sweeps, rings, backend: backend.parse::<Choice>().py()? };
        self.processed(py, |mesh, notes| request.run(mesh, notes).map(drop))
    }

    /// Unit normals of the control points (Max 1999), (vertices, 3); NaN where there is none.
    ///
    /// Args:
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; normals are equal up to rounding.
    ///
    /// Returns:
    ///     Unit normals, (vertices, 3).
    ///
    /// Raises:
    ///     Error: For a processor that is not there.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> float(np.linalg.norm(faces.normals(), axis=1).round(9).min())
    ///     1.0
    #[pyo3(signature = (*, backend="auto"))]
    fn normals<'py>(&self, py: Python<'py>, backend: &str) -> Floats<'py> {
        let cost = Cost::processing(self.mesh.points.len(), SurfaceJob::Normals, 1);
        let mut processor = one_backend(backend, &cost)?.process_surface(&self.mesh).py()?;
        let normals = py.work(|| processor.normals()).py()?;
        let count = normals.len();
        moved(py, normals.into_flattened(), &[count, 3])
    }
}

impl PySurface {
    /// The surface that a job makes of this one.
    fn processed(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut SurfaceMesh, &mut PythonNotes) -> subsolid::Result<()> + Send,
    ) -> PyResult<Self> {
        let mesh = PythonNotes::hear(py, |notes| {
            let mut mesh = self.mesh.clone();
            job(&mut mesh, notes)?;
            Ok(mesh)
        })?;
        Ok(Self { mesh })
    }
}
