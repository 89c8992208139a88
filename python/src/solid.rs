//! Solids: a control mesh, and everything that is asked of it.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayDescrMethods, PyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use subsolid::IdKind;
use subsolid::io::WriteOptions;
use subsolid::jobs::boundary::{BoundaryRequest, boundary};
use subsolid::jobs::info::InfoRequest;
use subsolid::jobs::refine::RefineRequest;
use subsolid::jobs::surface_file::GlbRequest;
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, CellArray, FaceGroup, SolidMesh};
use subsolid::numbers::counted;
use subsolid::plan::{Cost, Samples, Want};
use subsolid::query::Query;
use subsolid::scheme::VertexRule;
use subsolid::volume::Quality;

use crate::arrays::{any_array, by_name, dictionary, lent, moved};
use crate::cells::{Analyzed, Coarse};
use crate::count;
use crate::errors::{IntoPython, refused, warn_of_losses};
use crate::matrix::{check_rows, csr};
use crate::model::{
    attributes, attributes_of, cells, cells_of, creases, creases_of, points, polygons, values_of,
    warn_of_cells,
};
use crate::notes::PythonNotes;
use crate::request::{self, locations, named, orders};
use crate::surface::PySurface;
use crate::threads::WithoutLock;

/// A Catmull-Clark solid: the limit of a control mesh of hexahedra, wedges, tetrahedra or
/// polyhedra.
///
/// Solids are immutable. Evaluate them at any parameters; plan an evaluation to repeat it for moved
/// control points.
///
/// The limit does not depend on the order of a cell's corners, nor on folds: left-handed and folded
/// hexahedra, inverted cells of other kinds and vertices of no cell are named in a UserWarning.
///
/// Args:
///     points: Control points, (vertices, 3), in any length unit.
///     cells: Vertices of the cells in VTK's order: (n, 8) for hexahedra, (n, 6) for wedges,
///         (n, 4) for tetrahedra; or a dictionary of such arrays by "hexahedron", "wedge",
///         "tetra", and "polyhedron" for lists of faces.
///     creases: Sharp boundary edges: a pair of an array of edges (n, 2) and their sharpness, (n,)
///         or one number for all; from 0 to 10, or numpy.inf for all levels.
///     corners: Sharp boundary vertices: a pair of vertices (n,) and sharpness.
///     attributes: Values at the control points by name, (vertices,) or (vertices, width).
///     cell_data: Values of the cells by name, (cells,) or (cells, width): materials, regions.
///         They are written, and refined cells have those of the cell they come from. Integers
///         below 2**53 stay integers; those that float64 would round are refused. "group:NAME" is the group NAME of the cells that are not 0.
///     face_groups: Groups of faces by name: vertices of the faces, (n, 4) for four-sided ones or
///         a list of lists, in any direction. Refined faces are in the groups of the face they
///         come from.
///     crease_angle: Makes boundary edges sharp where the normals of their faces differ by more than
///         this angle, in degrees.
///
/// Raises:
///     Error: If this is not a valid control mesh; `elements` names the place.
#[pyclass(frozen, name = "Solid", module = "subsolid")]
pub struct PySolid {
    pub shared: Arc<Analyzed>,
}

impl PySolid {
    pub fn build(py: Python<'_>, mesh: SolidMesh) -> PyResult<Self> {
        Self::build_refined(py, mesh, None)
    }

    /// A solid of a mesh, and what this was refined from.
    pub fn build_refined(
        py: Python<'_>,
        mesh: SolidMesh,
        refined_from: Option<Coarse>,
    ) -> PyResult<Self> {
        Self::build_with(py, mesh, refined_from, |mesh| Solid::new(mesh).map(Arc::new))
    }

    /// A solid of a mesh whose cells and creases are those of this one, and so are analyzed.
    pub fn build_alike(&self, py: Python<'_>, mesh: SolidMesh) -> PyResult<Self> {
        Self::build_with(py, mesh, None, |_| Ok(self.shared.solid.clone()))
    }

    fn build_with(
        py: Python<'_>,
        mesh: SolidMesh,
        refined_from: Option<Coarse>,
        analyze: impl FnOnce(&SolidMesh) -> subsolid::Result<Arc<Solid>> + Send,
    ) -> PyResult<Self> {
        let made = py.work(|| -> subsolid::Result<Analyzed> {
            mesh.check()?;
            let solid = analyze(&mesh)?;
            for group in &mesh.face_groups {
                solid.topology().group_faces(group)?;
            }
            Ok(Analyzed { mesh, solid, refined_from, nodes: Vec::new() })
        });
        Ok(Self { shared: Arc::new(made.py()?) })
    }

    /// A solid of a mesh from outside, of which [`warn_of_cells`] warns; `of`: of what, with a
    /// colon.
    pub fn build_from(py: Python<'_>, of: &str, mesh: SolidMesh) -> PyResult<Self> {
        let made = Self::build(py, mesh)?;
        made.warn_of_cells(py, of)?;
        Ok(made)
    }

    /// What [`warn_of_cells`] says of the mesh.
    pub fn warn_of_cells(&self, py: Python<'_>, of: &str) -> PyResult<()> {
        warn_of_cells(py, of, &self.shared.mesh, self.shared.solid.topology())
    }
}

/// Checks and copies data of cells.
pub fn cell_data(given: Option<&Bound<'_, PyDict>>, cells: usize) -> PyResult<Vec<CellArray>> {
    let attributes = values_of(given, "cell_data array", IdKind::Cell, cells, false)?;
    let mut all = Vec::with_capacity(attributes.len());
    for Attribute { name, width, values } in attributes {
        let given = given.map(|given| given.get_item(&name)).transpose()?.flatten();
        let kind = given.map(|values| any_array(&values, "cell_data").map(|a| a.dtype().kind()));
        let of_integers = matches!(kind.transpose()?, Some(b'i' | b'u'));
        all.push(CellArray::new(name, width, values, of_integers));
    }
    Ok(all)
}

/// The cells whose flag is set, of one flag, a bool, for each.
fn ghosts(given: &Bound<'_, PyAny>, cells: usize) -> PyResult<Vec<u32>> {
    let flags: Vec<bool> = given.extract().map_err(|_| {
        refused("ghosts that are not bools", "give True for ghost cells and False for the others")
    })?;
    if flags.len() != cells {
        let (flags, cells) = (counted(flags.len(), "flag"), counted(cells, "cell"));
        return Err(refused(format!("ghosts: {flags} for {cells}"), "give one flag for each cell"));
    }
    Ok((0..).zip(flags).filter(|(_, is_ghost)| *is_ghost).map(|(cell, _)| cell).collect())
}

/// Checks and copies groups of faces.
pub fn face_groups(given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<FaceGroup>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let group = |(name, faces): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok(FaceGroup::new(name.extract::<String>()?, polygons(&faces)?))
    };
    given.iter().map(group).collect()
}

/// Data of cells as a dictionary of copies.
pub fn cell_data_of<'py>(py: Python<'py>, arrays: &[CellArray]) -> PyResult<Bound<'py, PyDict>> {
    let all = by_name(py)?;
    for CellArray { name, width, values, integers } in arrays {
        let rows = values.len() / (*width).max(1);
        let shape = if *width == 1 { vec![rows] } else { vec![rows, *width] };
        if *integers {
            let whole: Vec<i64> = values.iter().map(|&x| x as i64).collect();
            all.set_item(name, moved(py, whole, &shape)?)?;
        } else {
            all.set_item(name, moved(py, values.clone(), &shape)?)?;
        }
    }
    Ok(all)
}

#[pymethods]
impl PySolid {
    #[new]
    #[pyo3(signature = (points, cells, *, creases=None, corners=None, attributes=None, cell_data=None, face_groups=None, ghosts=None, crease_angle=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        points: Bound<'_, PyAny>,
        cells: Bound<'_, PyAny>,
        creases: Option<Bound<'_, PyAny>>,
        corners: Option<Bound<'_, PyAny>>,
        attributes: Option<Bound<'_, PyDict>>,
        cell_data: Option<Bound<'_, PyDict>>,
        face_groups: Option<Bound<'_, PyDict>>,
        ghosts: Option<Bound<'_, PyAny>>,
        crease_angle: Option<f64>,
    ) -> PyResult<Self> {
        let points = self::points(&points, "points")?;
        let cells = self::cells(&cells)?;
        let attributes = self::attributes(attributes.as_ref(), points.len(), false)?;
        let creases = self::creases(creases.as_ref(), corners.as_ref())?;
        let cell_data = self::cell_data(cell_data.as_ref(), cells.len())?;
        let face_groups = self::face_groups(face_groups.as_ref())?;
        let mut mesh = SolidMesh {
            points,
            cells,
            creases,
            attributes,
            cell_data,
            face_groups,
            is_fitted: false,
            periods: Vec::new(),
        };
        if let Some(ghosts) = ghosts {
            mesh.set_ghosts(&self::ghosts(&ghosts, mesh.cells.len())?).py()?;
        }
        if let Some(degrees) = crease_angle {
            mesh.check().py()?;
            subsolid::refine::crease_by_angle(&mut mesh, degrees).py()?;
        }
        Self::build_from(py, "", mesh)
    }

    /// Control points, (vertices, 3), read-only.
    #[getter]
    fn points<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let points = &slf.get().shared.mesh.points;
        // SAFETY: a mesh never changes, and lives as long as the solid
        let array =
            unsafe { lent(slf.clone().into_any(), points.as_flattened(), [points.len(), 3]) };
        Ok(array?.into_any())
    }

    /// Cells: (n, 8) if all are hexahedra, else a dictionary by kinds, the kind of cell 0 first; a
    /// copy. Cells of one kind are in ascending order.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        cells_of(py, &self.shared.mesh.cells)
    }

    /// Sharp edges (n, 2) and their sharpness (n,).
    #[getter]
    fn creases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let [edges, _] = creases_of(py, &self.shared.mesh.creases)?;
        Ok(edges)
    }

    /// Sharp vertices (n,) and their sharpness (n,).
    #[getter]
    fn corners<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let [_, corners] = creases_of(py, &self.shared.mesh.creases)?;
        Ok(corners)
    }

    /// Attributes of the control points by name; copies.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        attributes_of(py, &self.shared.mesh.attributes)
    }

    /// Data of the cells by name, (cells,) or (cells, width), int64 or float64; copies.
    #[getter]
    fn cell_data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        cell_data_of(py, &self.shared.mesh.cell_data)
    }

    /// Translations that take the solid onto itself, (0 to 3, 3); a copy.
    #[getter]
    fn periods<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let periods = self.shared.mesh.periods.clone();
        let shape = [periods.len(), 3];
        Ok(moved(py, periods.into_flattened(), &shape)?.into_any())
    }

    /// Whether each cell is a ghost, (cells,): it shapes the limit of the cells beside it and is no
    /// part of the solid; a copy.
    #[getter]
    fn ghosts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mesh = &self.shared.mesh;
        let mut ghosts = mesh.ghosts();
        ghosts.resize(mesh.cells.len(), false);
        Ok(PyArray1::from_vec(py, ghosts).into_any())
    }

    /// Vertices of the faces of each group by name: (n, k) if all have k, (0, 4) if there are none,
    /// else a list of lists; copies.
    #[getter]
    fn face_groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = by_name(py)?;
        for FaceGroup { name, faces } in &self.shared.mesh.face_groups {
            // a group of no faces has none of any size
            let size = if faces.is_empty() { Some(4) } else { faces.uniform_size() };
            match size {
                Some(size) => {
                    let ids = faces.vertices().iter().map(|&v| i64::from(v)).collect::<Vec<_>>();
                    all.set_item(name, moved(py, ids, &[faces.len(), size])?)?;
                }
                None => {
                    let lists: Vec<Vec<u32>> = faces.iter().map(<[u32]>::to_vec).collect();
                    all.set_item(name, lists)?;
                }
            }
        }
        Ok(all)
    }

    /// Number of control points.
    #[getter]
    fn n_points(&self) -> usize {
        self.shared.mesh.points.len()
    }

    /// Number of cells.
    #[getter]
    fn n_cells(&self) -> usize {
        self.shared.mesh.cells.len()
    }

    /// Class of each cell, (cells,) uint8: 0 regular, 1 layered, 2 irregular, 3 refined first.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let classes: Vec<u8> =
            self.shared.solid.classes().iter().map(|class| class.number()).collect();
        let count = classes.len();
        moved(py, classes, &[count])
    }

    /// Counts, valences and classes as a dictionary; that of `subsolid info --json`.
    ///
    /// "limit_from_vertices" has the distances of the limit from the vertices of the boundary,
    /// "of_size" the largest as a fraction of the size: where the vertices lie on the part, fit the
    /// solid first.
    ///
    /// Args:
    ///     verbose: Also how cells evaluate: leaves, published kernels and structures, each of which
    ///         is decomposed.
    ///     report: Name of a page to write with the report and a picture of the solid: .html.
    ///
    /// Returns:
    ///     A dictionary.
    ///
    /// Raises:
    ///     Error: If the report cannot be made, or the page cannot be written.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.info()["limit_from_vertices"]["of_size"] > 0.1
    ///     True
    #[pyo3(signature = (*, verbose=false, report=None))]
    fn info<'py>(
        &self,
        py: Python<'py>,
        verbose: bool,
        report: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Analyzed { mesh, solid, .. } = &*self.shared;
        let request = InfoRequest { verbose, report };
        let run = |notes: &mut PythonNotes| request.run_analyzed(mesh, solid, "Solid", notes);
        dictionary(py, &PythonNotes::hear(py, run)?)
    }

    /// Jacobian determinants and scaled Jacobians over samples as a dictionary, cells of poor
    /// quality included; that of `subsolid evaluate --quality --json`.
    ///
    /// Args:
    ///     samples: Samples along each axis of a cell; 8 if nothing is given.
    ///     gauss: Gauss points along each axis instead.
    ///     backend: "auto", "cpu", "cuda", "cuda:N", or several GPUs: "cuda:0,1",
    ///         "cuda:all".
    ///
    /// Returns:
    ///     A dictionary.
    ///
    /// Raises:
    ///     Error: For samples out of range, and a processor that is not there.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> isinstance(box.quality(3), dict)
    ///     True
    #[pyo3(signature = (samples=None, *, gauss=None, backend="auto"))]
    fn quality<'py>(
        &self,
        py: Python<'py>,
        samples: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = count::gauss)] gauss: Option<usize>,
        backend: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let solid = &self.shared.solid;
        let samples = match (&samples, gauss) {
            (None, None) => Samples::grid(8),
            _ => request::samples(solid, samples.as_ref(), gauss, None, None, None)?,
        };
        let shared = &self.shared;
        let plan = py.work(|| solid.plan(&samples, Want::QUALITY)).py()?;
        let results = plan.result_count(&(0..solid.elements().len()));
        let cost = Cost::evaluation(results.saturating_mul(5 * size_of::<f64>()));
        let processor = request::processor("f64", backend, "auto")?;
        let controls = subsolid::mesh::Controls { positions: &shared.mesh.points, attributes: &[] };
        let found = PythonNotes::hear(py, |notes| {
            Quality::of_plan(&plan, controls, &*processor.choose(&cost, notes)?)
        });
        dictionary(py, &found?)
    }

    /// Refines the control mesh, with creases and attributes; the limit stays the same.
    ///
    /// Args:
    ///     levels: Number of refinements.
    ///     vertex_rule: "layer-consistent", or "joy-maccracken" for interchange with other
    ///         programs.
    ///
    /// Returns:
    ///     A solid. Children of hexahedron c are cells 8c to 8c + 7 where all are hexahedra.
    ///
    /// Raises:
    ///     Error: For cells that do not become hexahedra, as pyramids, and too little memory.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.refine().n_cells
    ///     64
    #[pyo3(signature = (levels=1, *, vertex_rule="layer-consistent"))]
    fn refine(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = count::levels)] levels: usize,
        vertex_rule: &str,
    ) -> PyResult<Self> {
        let rule: VertexRule = named("vertex_rule", vertex_rule)?;
        let request = RefineRequest { levels, vertex_rule: rule, ..Default::default() };
        let shared = &self.shared;
        let topology = shared.solid.topology();
        let mesh = PythonNotes::hear(py, |notes| {
            request.check(&shared.mesh)?;
            request.run(&shared.mesh, topology.clone(), notes)
        })?;
        // the program slices what is refined by its own rule, and no other
        let own = rule == VertexRule::default() || levels == 0;
        let coarse = if own { Some(py.work(|| shared.coarse())?) } else { None };
        let refined_from = coarse.map(|own| Coarse { levels: own.levels + levels, ..own });
        Self::build_refined(py, mesh, refined_from)
    }

    /// The surface that bounds the solid, with its creases and attributes. Groups and data of cells
    /// are left out, with a UserWarning.
    ///
    /// Returns:
    ///     A surface.
    ///
    /// Raises:
    ///     Error: For a solid without a boundary.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.boundary()
    ///     <subsolid.Surface: 26 vertices, 24 faces>
    fn boundary(&self, py: Python<'_>) -> PyResult<PySurface> {
        let shared = &self.shared;
        let mesh = PythonNotes::hear(py, |notes| {
            boundary(&shared.mesh, shared.solid.topology(), None, notes)
        })?;
        Ok(PySurface { mesh })
    }

    /// Writes the surface that bounds the solid, with its creases: .obj, .ply, .vtp, .stl, .glb or .3mf; .msh,
    /// .mesh, .inp and .exo with the groups of faces for finite-element programs. That of `subsolid
    /// boundary`. What the format cannot hold raises a UserWarning.
    ///
    /// Args:
    ///     path: Name of the file.
    ///     format: "msh" or "msh-binary" of a .msh, "mfem" or "medit" of a .mesh, which needs one.
    ///     unit: Length unit of the model, for .glb, which is in meters, and .3mf: "um", "mm", "cm", "m",
    ///         "in" or "ft"; None for "m", of .3mf "mm".
    ///     up: Axis that points upward, for .glb, "y" or "z"; None for "z".
    ///
    /// Returns:
    ///     A dictionary with the keys of the JSON report of `subsolid boundary`.
    ///
    /// Raises:
    ///     Error: For a solid without a boundary, another ending, and a file that cannot be written.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.write_boundary("box.msh")["faces"]
    ///     24
    #[pyo3(signature = (path, *, format=None, unit=None, up=None))]
    fn write_boundary<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        format: Option<&str>,
        unit: Option<&str>,
        up: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let glb = GlbRequest {
            unit: unit.map(|unit| named("unit", unit)).transpose()?,
            up: up.map(|up| named("up", up)).transpose()?,
        };
        let format = format.map(|format| named("format", format)).transpose()?;
        let (request, shared) = (BoundaryRequest { format, glb }, &self.shared);
        let written = PythonNotes::hear(py, |notes| {
            request.run(&shared.mesh, shared.solid.topology(), &path, notes)
        })?;
        dictionary(py, &written)
    }

    /// Writes the control mesh: .vtu, .pvtu, .vtk, .npz, or .csv for points alone; .msh (Gmsh),
    /// .mesh (MFEM or MEDIT), .inp (Abaqus, CalculiX) and .exo (Exodus II) with groups for
    /// finite-element programs. The file appears under its name when it is complete. What the format
    /// cannot hold raises a UserWarning.
    ///
    /// Args:
    ///     path: Name of the file.
    ///     compress: Compress; for .vtu, .pvtu and .npz.
    ///     format: "msh" or "msh-binary" of a .msh, "mfem" or "medit" of a .mesh, which needs one.
    ///
    /// Raises:
    ///     Error: For another ending, and a file that cannot be written.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.write("box.vtu", compress=True)
    ///     >>> subsolid.read("box.vtu").n_cells
    ///     8
    #[pyo3(signature = (path, *, compress=false, format=None))]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        compress: bool,
        format: Option<&str>,
    ) -> PyResult<()> {
        let given = format.map(|format| named("format", format)).transpose()?;
        let format = subsolid::io::check_output_as(&path, given).py()?;
        format.check_compress(compress).py()?;
        let mesh = &self.shared.mesh;
        warn_of_losses(py, &format!("{}: ", path.display()), &format.losses(mesh))?;
        py.work(|| subsolid::write(path, mesh, WriteOptions { compress, format: given })).py()
    }

    /// Weights of the control points at places: points = B @ controls.
    ///
    /// Args:
    ///     cells, uvw: Cells (n,) and parameters (n, 3) in [0, 1].
    ///     derivative: None for values, or "u", "v", "w", "uu", "vv", "ww", "uv", "uw", "vw".
    ///     corners: Of places in cells that are not hexahedra, the corner whose hexahedral child
    ///         is meant; −1 in hexahedra.
    ///
    /// Returns:
    ///     scipy.sparse.csr_matrix of shape (n, vertices).
    ///
    /// Raises:
    ///     Error: For places or derivatives that do not exist, and without SciPy.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> matrix = box.basis_matrix([0, 7], [[0.5, 0.5, 0.5], [0, 0, 0]])
    ///     >>> matrix.shape
    ///     (2, 27)
    #[pyo3(signature = (cells, uvw, derivative=None, *, corners=None))]
    fn basis_matrix<'py>(
        &self,
        py: Python<'py>,
        cells: &Bound<'py, PyAny>,
        uvw: &Bound<'py, PyAny>,
        derivative: Option<&str>,
        corners: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let solid = &self.shared.solid;
        let places = locations(solid, cells, uvw, corners.as_ref())?;
        let orders = orders(derivative)?;
        check_rows(places.len()).py()?;
        let rows = py.work(|| solid.basis_rows(&places, orders));
        csr(py, &rows.py()?, self.n_points())
    }

    /// Incident or adjacent elements: one row for each element of a kind.
    ///
    /// Args:
    ///     op: Two letters of V (vertices), E (edges), F (faces), C (cells): "VC" has the cells
    ///         of each vertex. None for counts alone.
    ///     of: Ids of the elements to query, (n,), one row each; None for all. Edges and faces are
    ///         numbered by their sorted vertices.
    ///     rings: For "VV": vertices up to this many edges away.
    ///     oriented: For "EF" and "EC": in cyclic order around the edge.
    ///     strategy: How rows are found: stored in the mesh's own order ("unordered"), stored of
    ///         elements sorted by position ("rows"), or patch by patch ("patches"); the answers are
    ///         the same.
    ///
    /// Returns:
    ///     offsets (n + 1,) and ids: row r is ids[offsets[r]:offsets[r + 1]], ascending. With
    ///     oriented=True in cyclic order, and closed (n,), whether the row goes all the way around.
    ///     Without op a dictionary: how many elements there are, and the sizes of all queries; that of
    ///     `subsolid query --json`.
    ///
    /// Raises:
    ///     Error: For another query, an element that does not exist, and rings or an order that the
    ///         query does not have.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> offsets, ids = box.query("CV", [0])
    ///     >>> len(ids)
    ///     8
    #[pyo3(signature = (op=None, of=None, *, rings=None, oriented=false, strategy="unordered"))]
    fn query<'py>(
        &self,
        py: Python<'py>,
        op: Option<&str>,
        of: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        oriented: bool,
        strategy: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked = crate::query::request(op, of.as_ref(), rings, oriented, strategy)?;
        let Analyzed { mesh, solid, .. } = &*self.shared;
        let query = |strategy| Query::of_topology(mesh, solid.topology(), strategy);
        crate::query::answer(py, &asked, query)
    }

    fn __repr__(&self) -> String {
        format!("<subsolid.Solid: {}>", self.shared.mesh.counts())
    }
}
