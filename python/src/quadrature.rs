//! Quadrature points and basis functions in batches.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use subsolid::assembly::{
    BoundaryBasis, Operator, assemble, check_memory, cost, point_load, project,
};
use subsolid::mesh::Controls;
use subsolid::numbers::counted;
use subsolid::quadrature::{
    BoundaryPart, LEFT_HANDED, LeafQuantities, Mapping, PhysicalDerivatives, QuadratureScheme,
    Regions, check_positive, jacobians, physical_derivatives,
};
use subsolid::volume::Quality;
use subsolid::{Quadrature, Want};

use crate::arrays::{by_name, floats, moved, plain_ids, slice};
use crate::cells::{MappingCell, QuadratureCell};
use crate::count;
use crate::errors::{IntoPython, refused, warn, words};
use crate::matrix::{assembled, rows, sparse};
use crate::model::Moved;
use crate::request::one_backend;
use crate::solid::PySolid;
use crate::threads::WithoutLock;

/// Quadrature points and basis functions of a solid or of its boundary, for any control points;
/// made by Solid.quadrature.
#[pyclass(frozen, name = "Quadrature", module = "subsolid")]
pub struct PyQuadrature {
    cell: Arc<QuadratureCell>,
    // of every face of the mesh; empty for the volume
    sides: Arc<[u32]>,
    solid: Py<PySolid>,
    // whether to integrate where Jacobians are not positive
    force: bool,
    // at the solid's own control points
    signs: OnceLock<Signs>,
}

/// Jacobians at the quadrature points.
struct Signs {
    left_handed: bool,
    quality: Quality,
}

/// What to do where Jacobians are not positive.
const HELP: &str = "list the corners of left-handed cells as VTK does, move the vertices of folded ones \
                    (Solid.untangle), or integrate all the same by Solid.quadrature(force=True)";

/// The parts of the boundary that quadrature points are on, none for all of it; `None` for the
/// volume: from False, True, or numbers of sides and names of groups.
pub fn boundary_parts(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<BoundaryPart>>> {
    let Some(given) = given else { return Ok(None) };
    if let Ok(all) = given.extract::<bool>() {
        return Ok(all.then(Vec::new));
    }
    if let Ok(name) = given.extract::<String>() {
        return Ok(Some(vec![BoundaryPart::Group(name)]));
    }
    let sides = |given: &Bound<'_, PyAny>| -> PyResult<Vec<BoundaryPart>> {
        let sides = plain_ids(given, "boundary")?.0;
        Ok(sides.into_iter().map(|side| BoundaryPart::Side(side as usize)).collect())
    };
    let parts = match given.extract::<Vec<Bound<'_, PyAny>>>() {
        Ok(all) if all.iter().any(|part| part.is_instance_of::<PyString>()) => {
            let (names, numbers): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|part| part.is_instance_of::<PyString>());
            let mut parts = match numbers.len() {
                0 => Vec::new(),
                _ => sides(PyList::new(given.py(), numbers)?.as_any())?,
            };
            for name in names {
                parts.push(BoundaryPart::Group(name.extract()?));
            }
            parts
        }
        _ => sides(given)?,
    };
    if parts.is_empty() {
        return Err(refused(
            "boundary names no sides",
            "give numbers of sides, names of groups, or True for all of it",
        ));
    }
    Ok(Some(parts))
}

impl PyQuadrature {
    pub fn new(
        solid: &Bound<'_, PySolid>,
        scheme: QuadratureScheme,
        second: bool,
        force: bool,
        parts: Option<Vec<BoundaryPart>>,
    ) -> PyResult<Self> {
        scheme.check().py()?;
        let shared = solid.get().shared.clone();
        let want = if second { Want::FIRST | Want::SECOND } else { Want::FIRST };
        let (mut of_faces, mut kept) = (Vec::new(), Vec::new());
        if let Some(parts) = &parts {
            let regions = Regions::new(&shared.solid, &shared.mesh).py()?;
            kept = regions.kept(parts).py()?;
            of_faces = regions.sides().to_vec();
        }
        let made = solid.py().work(|| {
            if parts.is_none() {
                Quadrature::check_memory(&shared.solid, scheme, want)?;
            }
            QuadratureCell::try_new(shared, |shared| match parts {
                None => Quadrature::new(&shared.solid, scheme, want),
                _ => Quadrature::boundary(&shared.solid, scheme, want, |face| kept[face as usize]),
            })
        });
        let cell = Arc::new(made.py()?);
        let (sides, solid, signs) = (of_faces.into(), solid.clone().unbind(), OnceLock::new());
        Ok(Self { cell, sides, solid, force, signs })
    }

    /// What `sum` makes of the quadrature and control points; those of the solid if None.
    fn at<T: Send>(
        &self,
        py: Python<'_>,
        points: Option<&Bound<'_, PyAny>>,
        sum: impl FnOnce(&Quadrature<'_>, Controls<'_>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let shared = self.cell.borrow_owner();
        let given = Moved::new(points, None, shared.mesh.points.len())?;
        let controls = given.controls(shared.mesh.controls())?;
        self.check(py, controls, points.is_none())?;
        let quadrature = self.cell.borrow_dependent();
        py.work(|| sum(quadrature, controls))?
    }

    /// Refuses control points with Jacobians that are not positive at quadrature points, unless it
    /// was forced; `own`: those of the solid.
    fn check(&self, py: Python<'_>, controls: Controls<'_>, own: bool) -> PyResult<()> {
        let find = || -> subsolid::Result<Signs> {
            let mapping = Mapping::new(self.cell.borrow_dependent(), controls)?;
            Ok(Signs { left_handed: mapping.left_handed(), quality: jacobians(&mapping)? })
        };
        let found;
        let signs = match self.signs.get().filter(|_| own) {
            Some(known) => known,
            None => {
                found = py.work(find).py()?;
                if own { self.signs.get_or_init(|| found) } else { &found }
            }
        };
        if signs.left_handed {
            warn(py, LEFT_HANDED)?;
        }
        match check_positive(&signs.quality) {
            Ok(()) => Ok(()),
            Err(refusal) if self.force => warn(py, &words(&refusal.message())),
            Err(refusal) => Err(refusal.with_help(HELP)).py(),
        }
    }

    /// Values at all quadrature points, and how many each has.
    fn at_points<'a>(
        &self,
        array: &'a PyReadonlyArrayDyn<'_, f64>,
    ) -> PyResult<(&'a [f64], usize)> {
        let numbers = slice(array)?;
        let (count, shape) = (self.__len__(), array.shape());
        let width = match *shape {
            [n] if n == count => 1,
            [n, width] if n == count && width > 0 => width,
            _ => {
                return Err(refused(
                    format!("values has the shape {shape:?}"),
                    &format!("give an array of shape ({count},) or ({count}, components)"),
                ));
            }
        };
        if let Some(at) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(refused(
                format!("the value of point {} is not finite", at / width),
                "give finite numbers",
            ));
        }
        Ok((numbers, width))
    }

    /// Values on the boundary and bends as unknowns.
    fn basis(&self) -> subsolid::Result<BoundaryBasis> {
        let shared = self.cell.borrow_owner();
        BoundaryBasis::new(&Regions::new(&shared.solid, &shared.mesh)?)
    }

    fn matrix<'py>(
        &self,
        py: Python<'py>,
        points: Option<&Bound<'py, PyAny>>,
        operator: Operator,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        // before the work
        sparse(py)?;
        if self.cell.borrow_dependent().is_boundary() {
            return Err(refused(
                "a matrix of a quadrature of the boundary",
                "make the quadrature without boundary=",
            ));
        }
        let matrices = self.at(py, points, |quadrature, controls| {
            let operators = [operator];
            check_memory(quadrature, &operators).py()?;
            let backend = one_backend(name, &cost(quadrature, &operators))?;
            assemble(&*backend, quadrature, controls, &operators).py()
        })?;
        assembled(py, &matrices[0])
    }
}

/// Ids as an array of a dictionary.
fn set_ids(all: &Bound<'_, PyDict>, name: &str, ids: Vec<u32>) -> PyResult<()> {
    let count = ids.len();
    let ids: Vec<i64> = ids.into_iter().map(i64::from).collect();
    all.set_item(name, moved(all.py(), ids, &[count])?)
}

#[pymethods]
impl PyQuadrature {
    /// Batches of leaves with equal basis functions, in parts of bounded size. Ctrl-C ends the
    /// iteration between two of them.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     max_points: Maximum number of quadrature points per batch; a batch has at least one leaf.
    ///
    /// Returns:
    ///     An iterator of QuadratureBatch.
    ///
    /// Raises:
    ///     Error: Where the Jacobian determinant is not positive at quadrature points, by the names of
    ///         the cells.
    ///
    /// Example:
    ///     >>> quadrature = subsolid.shape("box", 2, 2, 2).quadrature(2, rings=1)
    ///     >>> float(sum(batch.weights.sum() for batch in quadrature.batches())) > 0
    ///     True
    #[pyo3(signature = (points=None, *, max_points=20_000))]
    fn batches(
        &self,
        py: Python<'_>,
        points: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = count::max_points)] max_points: usize,
    ) -> PyResult<PyBatches> {
        let shared = self.cell.borrow_owner();
        let given = Moved::new(points.as_ref(), None, shared.mesh.points.len())?;
        let controls = given.controls(shared.mesh.controls())?;
        self.check(py, controls, points.is_none())?;
        let cell = self.cell.clone();
        let mapping = py.work(|| {
            MappingCell::try_new(cell, |cell| Mapping::new(cell.borrow_dependent(), controls))
        });
        let pieces = self.cell.borrow_dependent().pieces(max_points).into_iter();
        let sides = self.sides.clone();
        Ok(PyBatches { mapping: mapping.py()?, sides, pieces: Mutex::new(pieces) })
    }

    /// Mass matrix Σ ρ N Nᵀ as a scipy.sparse.csr_matrix, (vertices, vertices), exactly symmetric.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     density: Mass per unit volume, above 0.
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; values are equal up to rounding.
    ///
    /// Returns:
    ///     The matrix.
    ///
    /// Raises:
    ///     Error: For a value out of range, where the Jacobian determinant is not positive at
    ///         quadrature points, and without SciPy.
    ///
    /// Example:
    ///     >>> quadrature = subsolid.shape("box", 2, 2, 2).quadrature(2, rings=1)
    ///     >>> quadrature.mass(7800).shape
    ///     (27, 27)
    #[pyo3(signature = (density=1.0, *, points=None, backend="auto"))]
    fn mass<'py>(
        &self,
        py: Python<'py>,
        density: f64,
        points: Option<Bound<'py, PyAny>>,
        backend: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.matrix(py, points.as_ref(), Operator::Mass { density }, backend)
    }

    /// Stiffness matrix Σ κ ∇N · ∇N as a scipy.sparse.csr_matrix, (vertices, vertices), exactly
    /// symmetric.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     conductivity: κ, above 0.
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; values are equal up to rounding.
    ///
    /// Returns:
    ///     The matrix.
    ///
    /// Raises:
    ///     Error: For a value out of range, where the Jacobian determinant is not positive at
    ///         quadrature points, and without SciPy.
    ///
    /// Example:
    ///     >>> quadrature = subsolid.shape("box", 2, 2, 2).quadrature(2, rings=1)
    ///     >>> quadrature.stiffness(50.0).shape
    ///     (27, 27)
    #[pyo3(signature = (conductivity=1.0, *, points=None, backend="auto"))]
    fn stiffness<'py>(
        &self,
        py: Python<'py>,
        conductivity: f64,
        points: Option<Bound<'py, PyAny>>,
        backend: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.matrix(py, points.as_ref(), Operator::Stiffness { conductivity }, backend)
    }

    /// Matrix of linear isotropic elasticity as a scipy.sparse.csr_matrix,
    /// (3 vertices, 3 vertices), exactly symmetric; unknown 3 v + d is displacement d of vertex v.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     young: Young's modulus, above 0, in force per squared length unit.
    ///     poisson: Poisson's ratio, above -1 and below 0.5.
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; values are equal up to rounding.
    ///
    /// Returns:
    ///     The matrix.
    ///
    /// Raises:
    ///     Error: For a value out of range, where the Jacobian determinant is not positive at
    ///         quadrature points, and without SciPy.
    ///
    /// Example:
    ///     >>> quadrature = subsolid.shape("box", 2, 2, 2).quadrature(2, rings=1)
    ///     >>> quadrature.elasticity(210e9, 0.3).shape
    ///     (81, 81)
    #[pyo3(signature = (young=1.0, poisson=0.3, *, points=None, backend="auto"))]
    fn elasticity<'py>(
        &self,
        py: Python<'py>,
        young: f64,
        poisson: f64,
        points: Option<Bound<'py, PyAny>>,
        backend: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.matrix(py, points.as_ref(), Operator::Elasticity { young, poisson }, backend)
    }

    /// Load Σ N f: of a body force, or of a traction if the quadrature is of the boundary.
    ///
    /// Args:
    ///     force: Force per unit volume, or per unit area on the boundary: (3,) for all
    ///         quadrature points, or (len(self), 3) for each, in the order of batches().
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///
    /// Returns:
    ///     Forces at the vertices, (vertices, 3): ravel() is the right side to elasticity().
    ///
    /// Raises:
    ///     Error: For forces of another shape, and where the Jacobian determinant is not positive at
    ///         quadrature points.
    ///
    /// Example:
    ///     >>> quadrature = subsolid.shape("box", 2, 2, 2).quadrature(2, rings=1)
    ///     >>> quadrature.load([0, 0, -1]).shape
    ///     (27, 3)
    #[pyo3(signature = (force, *, points=None))]
    fn load<'py>(
        &self,
        py: Python<'py>,
        force: &Bound<'py, PyAny>,
        points: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let array = floats(force, "force")?;
        let numbers = slice(&array)?;
        let (count, shape) = (self.__len__(), array.shape());
        if !(*shape == [3] || *shape == [count, 3]) {
            return Err(refused(
                format!("force has the shape {shape:?}"),
                &format!("give an array of shape (3,) or ({count}, 3)"),
            ));
        }
        let forces = numbers.as_chunks::<3>().0;
        if let Some(at) = forces.iter().position(|force| !force.iter().all(|x| x.is_finite())) {
            return Err(refused(format!("force {at} is not finite"), "give finite numbers"));
        }
        let load = self.at(py, points.as_ref(), |quadrature, controls| {
            let mapping = Mapping::new(quadrature, controls).py()?;
            match forces {
                [force] if shape.len() == 1 => point_load(&mapping, &vec![*force; count]),
                _ => point_load(&mapping, forces),
            }
            .py()
        })?;
        let vertices = load.len();
        moved(py, load.into_flattened(), &[vertices, 3])
    }

    /// Control values of the field that is nearest in the L2 norm to values at the quadrature points:
    /// stresses, say, become an attribute.
    ///
    /// Args:
    ///     values: One number or one row per quadrature point, (points,) or (points, components), in
    ///         the order of batches.
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///
    /// Returns:
    ///     Control values, (vertices,) or (vertices, components).
    ///
    /// Raises:
    ///     Error: For a quadrature of the boundary, another shape, and values that are not finite.
    ///
    /// Example:
    ///     >>> quadrature = subsolid.shape("box", 2, 2, 2).quadrature(2, rings=1)
    ///     >>> x = np.concatenate([batch.points[..., 0].ravel() for batch in quadrature.batches()])
    ///     >>> quadrature.project(x).shape
    ///     (27,)
    #[pyo3(signature = (values, *, points=None), name = "project")]
    fn projected<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
        points: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let array = floats(values, "values")?;
        let (numbers, width) = self.at_points(&array)?;
        let found = self.at(py, points.as_ref(), |quadrature, controls| {
            project(&Mapping::new(quadrature, controls).py()?, numbers, width).py()
        })?;
        let vertices = found.len() / width;
        let shape = [vertices, width];
        moved(py, found, &shape[..array.ndim()])
    }

    /// Control values over the unknowns of a solid with ghost cells: values on the boundary, and
    /// bends across it, which are 0 for natural ends. With C, K over control values is Cᵀ K C over
    /// unknowns. Unknowns have the numbers of the vertices; without ghosts C is the identity.
    ///
    /// Returns:
    ///     scipy.sparse.csr_matrix, (vertices, vertices).
    ///
    /// Raises:
    ///     Error: Without SciPy.
    ///
    /// Example:
    ///     >>> box, _ = subsolid.shape("box", 2, 2, 2).extend()
    ///     >>> C = box.quadrature(3).constraints()
    ///     >>> C.shape, bool(abs(C.sum(axis=1)).max() < 5)
    ///     ((125, 125), True)
    fn constraints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        sparse(py)?;
        let basis = py.work(|| self.basis())?.py()?;
        rows(py, basis.matrix())
    }

    /// The unknowns that values on the boundary depend on, those nearest to given ones, and where
    /// there are none. To hold values on the boundary, hold these unknowns (constraints).
    ///
    /// Args:
    ///     values: What the boundary shall have at all its quadrature points, in the order of the
    ///         batches, (points,) or (points, components); None for 1.
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///
    /// Returns:
    ///     A dictionary: "unknowns", ids that ascend; "values", one row each, the nearest in the L2
    ///     norm; "inexact_faces", faces with ghosts that are not those of a grid. With values these
    ///     faces are left out, for Nitsche's method; without, what is held on them holds
    ///     derivatives, too.
    ///
    /// Raises:
    ///     Error: For a quadrature of the volume, another shape, values that are not finite, and too
    ///         few points.
    ///
    /// Example:
    ///     >>> box, _ = subsolid.shape("box", 2, 2, 2).extend()
    ///     >>> side = box.quadrature(3, boundary=[0])
    ///     >>> held = side.held(np.full(len(side), 20.0))
    ///     >>> len(held["unknowns"]), float(held["values"].max().round(9))
    ///     (25, 20.0)
    #[pyo3(signature = (values=None, *, points=None))]
    fn held<'py>(
        &self,
        py: Python<'py>,
        values: Option<&Bound<'py, PyAny>>,
        points: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        if !self.is_boundary() {
            return Err(refused(
                "what is held, of a quadrature of the volume",
                "make the quadrature with boundary=",
            ));
        }
        let basis = py.work(|| self.basis())?.py()?;
        let all = by_name(py)?;
        let Some(values) = values else {
            let quadrature = self.cell.borrow_dependent();
            let faces = quadrature.batches().iter().flat_map(|batch| batch.faces.iter().copied());
            let faces: Vec<u32> = faces.collect();
            let found = py.work(|| basis.held(quadrature.solid(), &faces))?.py()?;
            let one = |&u: &u32| if basis.is_bend()[u as usize] { 0.0 } else { 1.0 };
            let ones: Vec<f64> = found.unknowns.iter().map(one).collect();
            let count = ones.len();
            all.set_item("values", moved(py, ones, &[count])?)?;
            set_ids(&all, "unknowns", found.unknowns)?;
            set_ids(&all, "inexact_faces", found.inexact_faces)?;
            return Ok(all);
        };
        let array = floats(values, "values")?;
        let (numbers, width) = self.at_points(&array)?;
        let found = self.at(py, points.as_ref(), |quadrature, controls| {
            basis.nearest(&Mapping::new(quadrature, controls).py()?, numbers, width).py()
        })?;
        let shape = [found.unknowns.len(), width];
        all.set_item("values", moved(py, found.values, &shape[..array.ndim()])?)?;
        set_ids(&all, "unknowns", found.unknowns)?;
        set_ids(&all, "inexact_faces", found.inexact_faces)?;
        Ok(all)
    }

    /// The solid.
    #[getter]
    fn solid(&self, py: Python<'_>) -> Py<PySolid> {
        self.solid.clone_ref(py)
    }

    /// Number of control points.
    #[getter]
    fn n_vertices(&self) -> usize {
        self.cell.borrow_owner().mesh.points.len()
    }

    /// Whether the quadrature points are on the boundary.
    #[getter]
    fn is_boundary(&self) -> bool {
        self.cell.borrow_dependent().is_boundary()
    }

    /// Number of quadrature points.
    fn __len__(&self) -> usize {
        self.cell.borrow_dependent().sample_count()
    }

    fn __repr__(&self) -> String {
        let place = if self.is_boundary() { " on the boundary" } else { "" };
        let batches = self.cell.borrow_dependent().batches().len();
        let (points, batches) = (counted(self.__len__(), "point"), counted(batches, "batch"));
        format!("<subsolid.Quadrature: {points}{place}, {batches}>")
    }
}

/// Iterator of the batches of a quadrature.
#[pyclass(frozen, name = "Batches", module = "subsolid")]
pub struct PyBatches {
    mapping: MappingCell,
    sides: Arc<[u32]>,
    pieces: Mutex<std::vec::IntoIter<(usize, Range<usize>)>>,
}

#[pymethods]
impl PyBatches {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Number of batches that are left.
    fn __len__(&self) -> usize {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn __repr__(&self) -> String {
        format!("<subsolid.Batches: {} left>", self.__len__())
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        py.check_signals()?;
        let next = self.pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some((at, leaves)) = next else { return Ok(None) };
        let mapping = self.mapping.borrow_dependent();
        let quadrature = mapping.quadrature();
        let (basis, mapped, physical) = py
            .work(|| -> subsolid::Result<_> {
                let (mut mapped, mut physical) =
                    (LeafQuantities::default(), PhysicalDerivatives::default());
                mapping.evaluate(at, leaves.clone(), &mut mapped)?;
                let basis = quadrature.basis(at);
                physical_derivatives(&basis, &mapped, &mut physical);
                Ok((basis.into_owned(), mapped, physical))
            })
            .py()?;
        let batch = &quadrature.batches()[at];
        let solid = quadrature.solid();
        let (n, s, c) = (leaves.len(), basis.samples, basis.controls);
        let (mut cells, mut corners, mut parameters) = (Vec::new(), Vec::new(), Vec::new());
        let local = quadrature.parameters(at);
        for &leaf in &batch.leaves[leaves.clone()] {
            let own = &solid.leaves()[leaf as usize];
            let element = &solid.elements()[own.element as usize];
            cells.push(i64::from(element.cell));
            corners.push(element.corner.map_or(-1, i64::from));
            let (origin, size) = (quadrature.origin(leaf), 0.5_f64.powi(i32::from(own.depth)));
            for p in &local {
                parameters.extend((0..3).map(|d| origin[d] + size * p[d]));
            }
        }
        let ids: Vec<i64> = batch.control_ids[leaves.start * c..leaves.end * c]
            .iter()
            .map(|&id| i64::from(id))
            .collect();
        let all = PyDict::new(py);
        all.set_item("cells", moved(py, cells, &[n])?)?;
        all.set_item("corners", moved(py, corners, &[n])?)?;
        all.set_item("control_ids", moved(py, ids, &[n, c])?)?;
        all.set_item("parameters", moved(py, parameters, &[n, s, 3])?)?;
        all.set_item("values", moved(py, basis.values, &[s, c])?)?;
        all.set_item("gradients", moved(py, basis.gradients, &[s, 3, c])?)?;
        let second = (!basis.second.is_empty()).then(|| moved(py, basis.second, &[s, 6, c]));
        all.set_item("second", second.transpose()?)?;
        all.set_item("points", moved(py, mapped.points.into_flattened(), &[n, s, 3])?)?;
        all.set_item("weights", moved(py, mapped.measures, &[n, s])?)?;
        let jacobians = mapped.jacobians.into_flattened().into_flattened();
        all.set_item("jacobians", moved(py, jacobians, &[n, s, 3, 3])?)?;
        all.set_item("det_j", moved(py, mapped.determinants, &[n, s])?)?;
        let inverses = mapped.inverse_jacobians.into_flattened().into_flattened();
        all.set_item("inverse_jacobians", moved(py, inverses, &[n, s, 3, 3])?)?;
        all.set_item("physical_gradients", moved(py, physical.gradients, &[n, s, 3, c])?)?;
        let (mut normals, mut faces, mut sides) = (None, None, None);
        if quadrature.is_boundary() {
            let own = &batch.faces[leaves];
            let ids = |id: &dyn Fn(u32) -> u32| own.iter().map(|&f| i64::from(id(f))).collect();
            normals = Some(moved(py, mapped.normals.into_flattened(), &[n, s, 3])?);
            faces = Some(moved::<i64>(py, ids(&|face| face), &[n])?);
            sides = Some(moved::<i64>(py, ids(&|face| self.sides[face as usize]), &[n])?);
        }
        all.set_item("normals", normals)?;
        all.set_item("faces", faces)?;
        all.set_item("sides", sides)?;
        py.import("subsolid._types")?.call_method("QuadratureBatch", (), Some(&all)).map(Some)
    }
}
