//! Solids and surfaces that differ from others in a part of their mesh.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::SurfaceMesh;
use subsolid::backend::{Backend, Cpu};
use subsolid::jobs::refine::RefineRequest;
use subsolid::mesh::{Attribute, CellArray, Creases};
use subsolid::numbers::counted;
use subsolid::refine::crease_by_angle;
use subsolid::topology::Sharpness;
use subsolid::topology::surface::SurfaceTopology;

use crate::errors::{IntoPython, refused, warn, words};
use crate::model::{attributes, creases, points, warn_of_welded};
use crate::notes::PythonNotes;
use crate::request::named;
use crate::solid::{PySolid, cell_data, face_groups};
use crate::surface::PySurface;
use crate::threads::WithoutLock;

/// Control points in place of `count` others.
fn as_many(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<[f64; 3]>> {
    let moved = points(given, "points")?;
    if moved.len() == count {
        return Ok(moved);
    }
    Err(refused(
        format!("{} for {}", counted(moved.len(), "point"), counted(count, "vertex")),
        "give one for each vertex",
    ))
}

/// Adds what is new; what has the name of another takes its place.
fn replace<T>(all: &mut Vec<T>, new: Vec<T>, is_same: impl Fn(&T, &T) -> bool) {
    all.retain(|known| new.iter().all(|new| !is_same(new, known)));
    all.extend(new);
}

fn replace_attributes(all: &mut Vec<Attribute>, new: Vec<Attribute>) {
    replace(all, new, |a, b| a.name == b.name);
}

/// Creases and corners of a call that gives some.
fn some_creases(
    edges: Option<&Bound<'_, PyAny>>,
    corners: Option<&Bound<'_, PyAny>>,
    has_angle: bool,
) -> PyResult<Creases> {
    if edges.is_none() && corners.is_none() && !has_angle {
        return Err(refused(
            "neither creases nor corners",
            "give creases=..., corners=... or both",
        ));
    }
    creases(edges, corners)
}

#[pymethods]
impl PySolid {
    /// The same cells, creases, attributes, data and groups with other control points, (vertices,
    /// 3). Solids of hexahedra share what was found out about their cells, so this is fast.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3), in length units.
    ///
    /// Returns:
    ///     A solid.
    ///
    /// Raises:
    ///     Error: For an array of another shape, and points that are not finite.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> moved = box.with_points(2 * box.points)
    ///     >>> float(moved.points.max() / box.points.max())
    ///     2.0
    fn with_points(&self, py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut mesh = self.shared.mesh.clone();
        mesh.points = as_many(points, mesh.points.len())?;
        if !mesh.cells.all_hexahedra() {
            // the order of a cell's corners follows from its volume
            return Self::build_from(py, "", mesh);
        }
        let made = self.build_alike(py, mesh)?;
        made.warn_of_cells(py, "")?;
        Ok(made)
    }

    /// The same solid with more attributes; an existing attribute of the same name is replaced.
    ///
    /// Args:
    ///     attributes: Values at the control points by name, (vertices,) or (vertices, width).
    ///
    /// Returns:
    ///     A solid.
    ///
    /// Raises:
    ///     Error: For another number of values.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> list(box.with_attributes({"heat": box.points[:, 2]}).attributes)
    ///     ['heat']
    fn with_attributes(&self, py: Python<'_>, attributes: Bound<'_, PyDict>) -> PyResult<Self> {
        let mut mesh = self.shared.mesh.clone();
        let given = self::attributes(Some(&attributes), mesh.points.len(), false)?;
        replace_attributes(&mut mesh.attributes, given);
        self.build_alike(py, mesh)
    }

    /// The same solid with more data of the cells; existing data of the same name are replaced.
    ///
    /// Args:
    ///     cell_data: Values of the cells by name, (cells,) or (cells, width). Integers below 2**53 stay
    ///         integers. "group:NAME" is the group NAME of the cells that are not 0.
    ///
    /// Returns:
    ///     A solid.
    ///
    /// Raises:
    ///     Error: For another number of values.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.with_cell_data({"part": np.arange(8)}).cell_data["part"].tolist()
    ///     [0, 1, 2, 3, 4, 5, 6, 7]
    fn with_cell_data(&self, py: Python<'_>, cell_data: Bound<'_, PyDict>) -> PyResult<Self> {
        let mut mesh = self.shared.mesh.clone();
        let given = self::cell_data(Some(&cell_data), mesh.cells.len())?;
        let are_ghosts = given.iter().any(CellArray::is_ghosts);
        replace(&mut mesh.cell_data, given, |a, b| a.name == b.name);
        if are_ghosts { Self::build(py, mesh) } else { self.build_alike(py, mesh) }
    }

    /// The same solid with more groups of faces; an existing group of the same name is replaced.
    ///
    /// Args:
    ///     face_groups: Vertices of the faces by name of the group, (n, 4) for four-sided ones or a
    ///         list of lists, in any direction. Files do not
    ///         keep groups without faces; write warns of them.
    ///
    /// Returns:
    ///     A solid.
    ///
    /// Raises:
    ///     Error: For faces that the solid does not have.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> faces = box.boundary()
    ///     >>> held = box.with_face_groups({"held": box.cells[:1, [0, 4, 7, 3]]})
    ///     >>> held.face_groups["held"].shape
    ///     (1, 4)
    fn with_face_groups(&self, py: Python<'_>, face_groups: Bound<'_, PyDict>) -> PyResult<Self> {
        let mut mesh = self.shared.mesh.clone();
        let given = self::face_groups(Some(&face_groups))?;
        replace(&mut mesh.face_groups, given, |a, b| a.name == b.name);
        self.build_alike(py, mesh)
    }

    /// The same solid with more creases and corners; they take precedence over those that it has,
    /// and these over those of crease_angle. Sharpness 0 makes an edge or vertex smooth.
    /// read_creases reads them from a table.
    ///
    /// Args:
    ///     creases: Sharp boundary edges, (n, 2), and their sharpness, (n,) or one number for all; from
    ///         0 to 10, or numpy.inf for all levels.
    ///     corners: Sharp boundary vertices, (n,), and their sharpness.
    ///     crease_angle: Makes boundary edges sharp where the normals of their faces differ by more
    ///         than this angle, in degrees.
    ///
    /// Raises:
    ///     Error: For edges and vertices that are not of the boundary.
    ///
    /// Returns:
    ///     A solid.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.with_creases(crease_angle=40).creases[0].shape
    ///     (24, 2)
    #[pyo3(signature = (creases=None, corners=None, *, crease_angle=None))]
    fn with_creases(
        &self,
        py: Python<'_>,
        creases: Option<Bound<'_, PyAny>>,
        corners: Option<Bound<'_, PyAny>>,
        crease_angle: Option<f64>,
    ) -> PyResult<Self> {
        let given = some_creases(creases.as_ref(), corners.as_ref(), crease_angle.is_some())?;
        let mut mesh = self.shared.mesh.clone();
        mesh.creases = given.or(&mesh.creases);
        mesh.check().py()?;
        Sharpness::resolve(&mesh.creases, self.shared.solid.topology()).py()?;
        if let Some(degrees) = crease_angle {
            py.work(|| crease_by_angle(&mut mesh, degrees)).py()?;
        }
        mesh.creases.drop_smooth();
        Self::build(py, mesh)
    }

    /// The solid with the corners of its cells in right-handed order; that of
    /// `subsolid refine --reorient`. The limit stays the same, volumes are positive.
    ///
    /// A left-handed hexahedron swaps u and v: its corners 1 and 3, 5 and 7. Cells that share a
    /// face come to agree. Folded cells whose order agrees with that of their neighbors stay
    /// folded. Vertices, and so creases and attributes, keep their ids.
    ///
    /// Returns:
    ///     A solid with the cells in their order.
    ///
    /// Raises:
    ///     Error: For cells that cannot be ordered alike, as around a Möbius strip.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> mirrored = box.with_points(box.points * [-1, 1, 1])
    ///     >>> mirrored.reorient().cells[0].tolist() == mirrored.cells[0].tolist()
    ///     False
    fn reorient(&self, py: Python<'_>) -> PyResult<Self> {
        let mut mesh = self.shared.mesh.clone();
        let request = RefineRequest { reorient: true, ..Default::default() };
        PythonNotes::hear(py, |notes| request.repair(&mut mesh, notes))?;
        Self::build(py, mesh)
    }

    /// Joins vertices: cells are joined by shared vertex ids alone.
    ///
    /// Args:
    ///     distance: Vertices within this length of one another are joined; with 0 those of equal
    ///         coordinates.
    ///
    /// Returns:
    ///     A solid with the cells in their order. Each place keeps its first vertex with the
    ///     attributes that it has there; a UserWarning names those in which others differ.
    ///
    /// Raises:
    ///     Error: For a distance below 0, or cells that would lose corners.
    ///
    /// Example:
    ///     >>> one = subsolid.shape("box", 1, 1, 1)
    ///     >>> side = np.ptp(one.points, axis=0) * [1, 0, 0]
    ///     >>> points = np.vstack([one.points, one.points + side])
    ///     >>> two = subsolid.Solid(points, np.vstack([one.cells, one.cells + 8]))
    ///     >>> two.weld().n_points
    ///     12
    #[pyo3(signature = (distance=0.0))]
    fn weld(&self, py: Python<'_>, distance: f64) -> PyResult<Self> {
        let mut mesh = self.shared.mesh.clone();
        let welded = py.work(|| mesh.weld(distance)).py()?;
        warn_of_welded(py, &welded)?;
        Self::build(py, mesh)
    }
}

impl PySurface {
    /// A surface of a mesh that is checked.
    fn checked(mesh: SurfaceMesh) -> PyResult<Self> {
        mesh.check().py()?;
        Ok(Self { mesh })
    }
}

#[pymethods]
impl PySurface {
    /// The same faces, creases, holes, rules and attributes with other control points, (vertices,
    /// 3). The attribute "normals", if there is one, gets the normals of the mesh, as from
    /// normals().
    ///
    /// Args:
    ///     points: Control points, (vertices, 3), in length units.
    ///
    /// Returns:
    ///     A surface.
    ///
    /// Raises:
    ///     Error: For an array of another shape, and points that are not finite.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.with_points(faces.points + 1).n_faces
    ///     24
    fn with_points(&self, py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut mesh = self.mesh.clone();
        mesh.points = as_many(points, mesh.points.len())?;
        mesh.check().py()?;
        if mesh.normals().is_some() {
            let normals = py.work(|| Cpu::default().process_surface(&mesh)?.normals());
            mesh.set_normals(normals.py()?);
        }
        Ok(Self { mesh })
    }

    /// The same surface with more attributes; an existing attribute of the same name is replaced.
    ///
    /// Args:
    ///     attributes: Values at the control points by name, (vertices,) or (vertices, width).
    ///
    /// Returns:
    ///     A surface.
    ///
    /// Raises:
    ///     Error: For another number of values.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> list(faces.with_attributes({"heat": faces.points[:, 2]}).attributes)
    ///     ['heat']
    fn with_attributes(&self, attributes: Bound<'_, PyDict>) -> PyResult<Self> {
        let mut mesh = self.mesh.clone();
        let given = self::attributes(Some(&attributes), mesh.points.len(), false)?;
        replace_attributes(&mut mesh.attributes, given);
        Self::checked(mesh)
    }

    /// The same surface with more creases and corners, which take precedence over those that it
    /// has. Sharpness 0 makes an edge or vertex smooth.
    ///
    /// Args:
    ///     creases: Sharp edges, (n, 2), and their sharpness, (n,) or one number for all; from 0 to 10,
    ///         or numpy.inf for all levels.
    ///     corners: Sharp vertices, (n,), and their sharpness.
    ///
    /// Raises:
    ///     Error: For edges and vertices that the surface does not have.
    ///
    /// Returns:
    ///     A surface.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.with_creases((faces.faces[:1, :2], 2.0)).creases[1].tolist()
    ///     [2.0]
    #[pyo3(signature = (creases=None, corners=None))]
    fn with_creases(
        &self,
        py: Python<'_>,
        creases: Option<Bound<'_, PyAny>>,
        corners: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let given = some_creases(creases.as_ref(), corners.as_ref(), false)?;
        let mut mesh = self.mesh.clone();
        mesh.creases = given.clone().or(&mesh.creases);
        mesh.check().py()?;
        // before those of sharpness 0, which nothing asks of again, are gone
        py.work(|| SurfaceTopology::of(&mesh).check_creases(&given)).py()?;
        mesh.creases.drop_smooth();
        Ok(Self { mesh })
    }

    /// Joins vertices: faces are joined by shared vertex ids alone.
    ///
    /// Args:
    ///     distance: Vertices within this length of one another are joined; with 0 those of equal
    ///         coordinates.
    ///
    /// Returns:
    ///     A surface with the faces in their order, without those that have fewer than three
    ///     corners then. Each place keeps its first vertex with the attributes that it has there; a
    ///     UserWarning names those in which others differ.
    ///
    /// Raises:
    ///     Error: For a distance below 0.
    ///
    /// Example:
    ///     >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]] * 2, float)
    ///     >>> subsolid.Surface(corners, [[0, 1, 2], [3, 5, 4]]).weld().n_points
    ///     3
    #[pyo3(signature = (distance=0.0))]
    fn weld(&self, py: Python<'_>, distance: f64) -> PyResult<Self> {
        let mut mesh = self.mesh.clone();
        let welded = py.work(|| mesh.weld(distance)).py()?;
        warn_of_welded(py, &welded)?;
        Ok(Self { mesh })
    }

    /// Turns faces so that those of a shell agree, and shells so that they look outward; that of
    /// `subsolid surface --orient`. Vertices, and so creases and attributes, keep their ids.
    ///
    /// Args:
    ///     nested: Which way shells look that lie in the material of others: "keep", as they do
    ///         against the shell around them, or "cavities", inward.
    ///
    /// Returns:
    ///     A surface with the faces in their order. A UserWarning names shells that are kept: open
    ///     ones, those without volume, and those that others fill.
    ///
    /// Raises:
    ///     Error: For faces that no direction makes agree, as those of a Möbius band.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.orient().n_points
    ///     26
    #[pyo3(signature = (*, nested="keep"))]
    fn orient(&self, py: Python<'_>, nested: &str) -> PyResult<Self> {
        let nested = named("nested", nested)?;
        let mut mesh = self.mesh.clone();
        let shells = py.work(|| subsolid::surface::orient(&mut mesh, nested)).py()?;
        shells.notices().try_for_each(|notice| warn(py, &words(&notice)))?;
        Ok(Self { mesh })
    }
}
