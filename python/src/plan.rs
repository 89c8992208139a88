//! Plans: set up once, evaluated as often as control points move.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use subsolid::backend::{Precision, ResultBuffer, Values};
use subsolid::plan::{Adjoint, Cost, Location, Samples, Want};
use subsolid::{Limit, Plan};

use crate::arrays::{floats_warned, moved, slice};
use crate::cells::{Analyzed, EvaluatorCell, PlanCell, Prepared};
use crate::errors::{IntoPython, refused};
use crate::limit::PyLimit;
use crate::matrix::csr;
use crate::model::Moved;
use crate::request::{DERIVATIVES, Threads, backend, orders};
use crate::solid::PySolid;

/// The evaluation of a solid at given samples, for any control points.
///
/// Made by Solid.plan. It depends on connectivity, creases and samples only.
#[pyclass(frozen, name = "Plan", module = "subsolid")]
pub struct PyPlan {
    solid: Py<PySolid>,
    pub cell: Arc<PlanCell>,
    evaluator: Mutex<(EvaluatorCell, Limit)>,
    adjoint: OnceLock<Adjoint>,
    name: String,
    precision: Precision,
    threads: Threads,
}

impl PyPlan {
    pub fn new(
        py: Python<'_>,
        solid: Py<PySolid>,
        samples: &Samples,
        want: Want,
        (backend_name, precision): (&str, Precision),
        threads: Threads,
    ) -> PyResult<Self> {
        let shared = solid.get().shared.clone();
        let cell = threads
            .run(py, || PlanCell::try_new(shared, |shared| shared.solid.plan(samples, want)));
        let cell = Arc::new(cell.py()?);
        let plan = cell.borrow_dependent();
        let size = match precision {
            Precision::F32 => 4,
            Precision::F64 => 8,
        };
        let widths: Vec<usize> =
            cell.borrow_owner().mesh.attributes.iter().map(|a| a.width).collect();
        let results = plan.result_count(&(0..plan.solid().elements().len()));
        let cost = Cost::evaluation(size * results * want.numbers_per_result(&widths));
        let backend = backend(backend_name, precision, &cost)?;
        let name = backend.name();
        let evaluator = EvaluatorCell::try_new(cell.clone(), |cell| {
            backend.prepare(cell.borrow_dependent()).map(Prepared)
        });
        let evaluator = Mutex::new((evaluator.py()?, Limit::default()));
        Ok(Self { solid, cell, evaluator, adjoint: OnceLock::new(), name, precision, threads })
    }

    fn plan(&self) -> &Plan<'_> {
        self.cell.borrow_dependent()
    }

    fn shared(&self) -> &Arc<Analyzed> {
        self.cell.borrow_owner()
    }

    fn all(&self) -> Range<usize> {
        0..self.plan().solid().elements().len()
    }

    fn vertices(&self) -> usize {
        self.shared().mesh.points.len()
    }

    /// Names and widths of attributes.
    fn named(&self, moved: &Moved<'_>) -> PyResult<Vec<(String, usize)>> {
        let controls = moved.controls(self.shared().mesh.controls())?;
        Ok(controls.attributes.iter().map(|a| (a.name.clone(), a.width)).collect())
    }

    fn evaluate_range(
        &self,
        py: Python<'_>,
        given: &Moved<'_>,
        range: Range<usize>,
        limit: &mut Limit,
    ) -> PyResult<()> {
        let controls = given.controls(self.shared().mesh.controls())?;
        let result = self.threads.run_locked(py, &self.evaluator, |(cell, _)| {
            cell.with_dependent_mut(|_, prepared| prepared.0.evaluate(controls, range, limit))
        });
        result.py()
    }

    /// Evaluates into an array.
    fn evaluate_into_array(
        &self,
        py: Python<'_>,
        given: &Moved<'_>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let rows = self.plan().result_count(&self.all());
        match self.precision {
            Precision::F64 => self.fill_array::<f64>(py, given, out, rows, Values::F64),
            Precision::F32 => self.fill_array::<f32>(py, given, out, rows, Values::F32),
        }
    }

    fn fill_array<T: numpy::Element + Sync>(
        &self,
        py: Python<'_>,
        given: &Moved<'_>,
        out: &Bound<'_, PyAny>,
        rows: usize,
        values: fn(ResultBuffer<T>) -> Values,
    ) -> PyResult<()> {
        let wrong = |why: String| {
            let name = if size_of::<T>() == 4 { "float32" } else { "float64" };
            let help = format!(
                "give a writable C-contiguous array of shape ({rows}, 3) and type {name}, or a Limit"
            );
            refused(format!("out {why}"), &help)
        };
        let array = out
            .cast::<PyArrayDyn<T>>()
            .map_err(|_| wrong("is no array of the plan's precision".into()))?;
        if array.shape() != [rows, 3] {
            return Err(wrong(format!("has the shape {:?}", array.shape())));
        }
        if !array.is_c_contiguous() || !(array.data() as usize).is_multiple_of(align_of::<T>()) {
            return Err(wrong("is not C-contiguous".into()));
        }
        let mut array = array
            .try_readwrite()
            .map_err(|_| wrong("is read-only, or the points themselves, or in use".into()))?;
        let to = array.as_slice_mut().map_err(|_| wrong("is not C-contiguous".into()))?;
        let controls = given.controls(self.shared().mesh.controls())?;
        let all = self.all();
        // SAFETY: nothing else uses the array until the buffer is dropped, below
        let buffer = unsafe { ResultBuffer::over(to.as_mut_ptr(), to.len()) };
        let result = self.threads.run_locked(py, &self.evaluator, |(cell, limit)| {
            limit.positions = values(buffer);
            let done =
                cell.with_dependent_mut(|_, prepared| prepared.0.evaluate(controls, all, limit));
            limit.positions = Values::default();
            done
        });
        result.py()
    }

    /// Where results are.
    fn locations(&self) -> Vec<Location> {
        let plan = self.plan();
        match plan.samples() {
            Samples::Points(locations) => locations.clone(),
            Samples::Tensor(parameters) => {
                let n = parameters.len();
                let one = |i: usize| Location {
                    element: (i / n.pow(3)) as u32,
                    parameters: [i % n, i / n % n, i / n / n % n].map(|k| parameters[k]),
                };
                (0..plan.result_count(&self.all())).map(one).collect()
            }
        }
    }
}

#[pymethods]
impl PyPlan {
    /// Evaluates the limit of control points.
    ///
    /// Python's other threads run meanwhile. A C-contiguous float64 array of points is borrowed;
    /// others are copied, with a CopyWarning.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     attributes: Values at the control points by name, (vertices,) or (vertices, width);
    ///         those of the solid if None.
    ///     out: A Limit of this plan, whose memory is used again, arrays of it included; or a
    ///         writable array (n, 3) that takes the positions.
    ///
    /// Returns:
    ///     The limit, or out.
    ///
    /// Raises:
    ///     Error: For arrays that do not fit, or numbers that are not finite.
    #[pyo3(signature = (points=None, *, attributes=None, out=None))]
    fn evaluate<'py>(
        slf: &Bound<'py, Self>,
        points: Option<&Bound<'py, PyAny>>,
        attributes: Option<&Bound<'py, PyDict>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let given = Moved::new(points, attributes, this.vertices())?;
        let Some(out) = out else {
            let named = this.named(&given)?;
            let mut limit = Limit::default();
            this.evaluate_range(py, &given, this.all(), &mut limit)?;
            let limit = PyLimit::new(limit, this.cell.clone(), this.precision, named);
            return Ok(Bound::new(py, limit)?.into_any());
        };
        let Ok(limit) = out.cast::<PyLimit>() else {
            this.evaluate_into_array(py, &given, out)?;
            return Ok(out.clone());
        };
        let target = limit.get();
        let same = Arc::ptr_eq(&target.plan, &this.cell)
            && target.precision == this.precision
            && target.attributes == this.named(&given)?;
        if !same {
            return Err(refused(
                "out is the limit of another plan, precision or set of attributes",
                "give a limit that this plan made",
            ));
        }
        let controls = given.controls(this.shared().mesh.controls())?;
        let all = this.all();
        let result = py.detach(|| {
            // both are locked before the threads are entered, see `Threads::run_locked`
            let mut limit = target.lock();
            if limit.elements != all {
                return Err(subsolid::Error::request("out holds a piece of the results")
                    .with_help("give a limit that evaluate() made"));
            }
            let mut evaluator = this.evaluator.lock().unwrap_or_else(PoisonError::into_inner);
            let (limit, cell) = (&mut *limit, &mut evaluator.0);
            this.threads.here(|| cell.with_dependent_mut(|_, p| p.0.evaluate(controls, all, limit)))
        });
        result.py()?;
        Ok(out.clone())
    }

    /// Evaluates some elements after others, for results of bounded size. Ctrl-C ends it between
    /// two pieces.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     results: Most results of a piece, but at least one element.
    ///
    /// Returns:
    ///     An iterator of Limits; their elements say what they are of.
    #[pyo3(signature = (points=None, *, results=2_000_000))]
    fn pieces(
        slf: &Bound<'_, Self>,
        points: Option<Bound<'_, PyAny>>,
        results: usize,
    ) -> PyResult<PyPieces> {
        let this = slf.get();
        Moved::new(points.as_ref(), None, this.vertices())?;
        let scattered = matches!(this.plan().samples(), Samples::Points(_));
        let ranges =
            if scattered { vec![this.all()] } else { this.plan().pieces(results).collect() };
        let points = points.map(|points| {
            // a copy: what is iterated must not change between pieces
            points
                .py()
                .import("numpy")?
                .call_method1("array", (points, "float64"))
                .map(Bound::unbind)
        });
        let points = points.transpose()?;
        Ok(PyPieces { plan: slf.clone().unbind(), points, ranges: Mutex::new(ranges.into_iter()) })
    }

    /// Gradients at the control points from gradients at the results: the transpose of the
    /// evaluation, Bᵀ g. The sums run in one order, so the result repeats bit by bit.
    ///
    /// Args:
    ///     gradient: Gradient with respect to the values, (n,) or (n, width); width 3 for
    ///         positions.
    ///     derivatives: Gradients with respect to derivatives by name ("u", "v", ...), of the
    ///         same shape.
    ///
    /// Returns:
    ///     (vertices,) or (vertices, width).
    #[pyo3(signature = (gradient, *, derivatives=None))]
    fn adjoint<'py>(
        &self,
        py: Python<'py>,
        gradient: &Bound<'py, PyAny>,
        derivatives: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let values = floats_warned(gradient, "gradient", true)?;
        let rows = self.plan().result_count(&self.all());
        let shape = values.shape().to_vec();
        if shape.is_empty() || shape.len() > 2 || shape[0] != rows {
            return Err(refused(
                format!("gradient has the shape {shape:?}"),
                &format!("give an array of shape ({rows},) or ({rows}, width)"),
            ));
        }
        let width = shape.get(1).copied().unwrap_or(1);
        let known = subsolid::plan::wanted_orders(self.plan().want()).len() - 1;
        let mut arrays = Vec::new();
        for (name, array) in derivatives.into_iter().flatten() {
            let name: String = name.extract()?;
            let at = DERIVATIVES[..known].iter().position(|own| *own == name);
            let at = at.ok_or_else(|| {
                refused(
                    format!("the plan has no derivative {name:?}"),
                    "plan with derivatives=1 or 2",
                )
            })?;
            let array = floats_warned(&array, "a gradient of derivatives", true)?;
            if array.shape() != &shape[..] {
                return Err(refused(
                    format!(
                        "the gradient of derivatives {name:?} has the shape {:?}",
                        array.shape()
                    ),
                    &format!("give the shape of the gradient, {shape:?}"),
                ));
            }
            arrays.push((at, array));
        }
        let last = arrays.iter().map(|(at, _)| at + 1).max().unwrap_or(0);
        let zeros = if last > arrays.len() { vec![0.0; rows * width] } else { Vec::new() };
        let mut gradients = vec![slice(&values)?];
        for at in 0..last {
            let given = arrays.iter().find(|(own, _)| *own == at);
            gradients.push(match given {
                Some((_, array)) => slice(array)?,
                None => &zeros,
            });
        }
        let result = py.detach(|| {
            // made outside the threads, see `Threads::run_locked`
            let make = || self.threads.here(|| Adjoint::new(self.plan()));
            let adjoint = self.adjoint.get_or_init(make);
            self.threads.here(|| adjoint.apply(&gradients, width))
        });
        let vertices = self.vertices();
        let shape = if shape.len() == 1 { vec![vertices] } else { vec![vertices, width] };
        moved(py, result.py()?, &shape)
    }

    /// The evaluation as a sparse matrix B: points = B @ controls.
    ///
    /// Args:
    ///     derivative: None for values, or "u", "v", "w", "uu", "vv", "ww", "uv", "uw", "vw".
    ///
    /// Returns:
    ///     scipy.sparse.csr_matrix of shape (n, vertices).
    ///
    /// Raises:
    ///     Error: If the derivative does not exist at a sample, or SciPy is missing.
    #[pyo3(signature = (derivative=None))]
    fn basis_matrix<'py>(
        &self,
        py: Python<'py>,
        derivative: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let orders = orders(derivative)?;
        let solid = self.plan().solid();
        let rows = self.threads.run(py, || solid.basis_rows(&self.locations(), orders));
        csr(py, &rows.py()?, self.vertices())
    }

    /// Cells and parameters of all results: (n,) and (n, 3); and corners (n,), −1 in hexahedra.
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let elements = self.plan().solid().elements();
        let places = self.locations();
        let of = |place: &Location| &elements[place.element as usize];
        let cells: Vec<i64> = places.iter().map(|p| i64::from(of(p).cell)).collect();
        let corners: Vec<i64> = places.iter().map(|p| of(p).corner.map_or(-1, i64::from)).collect();
        let uvw: Vec<[f64; 3]> = places.iter().map(|p| p.parameters).collect();
        let n = places.len();
        (
            moved(py, cells, &[n])?,
            moved(py, uvw.into_flattened(), &[n, 3])?,
            moved(py, corners, &[n])?,
        )
            .into_pyobject(py)
    }

    /// The solid planned for.
    #[getter]
    fn solid(&self, py: Python<'_>) -> Py<PySolid> {
        self.solid.clone_ref(py)
    }

    /// The processor, in words.
    #[getter]
    fn backend(&self) -> &str {
        &self.name
    }

    /// "f64" or "f32".
    #[getter]
    fn precision(&self) -> &str {
        match self.precision {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }

    /// Names of the derivatives that are evaluated.
    #[getter]
    fn derivatives(&self) -> Vec<&str> {
        let count = subsolid::plan::wanted_orders(self.plan().want()).len() - 1;
        DERIVATIVES[..count].to_vec()
    }

    /// Number of results.
    fn __len__(&self) -> usize {
        self.plan().result_count(&self.all())
    }

    fn __repr__(&self) -> String {
        format!("<subsolid.Plan: {} results on the {}>", self.__len__(), self.name)
    }
}

/// Iterator of the limits of element ranges.
#[pyclass(frozen, name = "Pieces", module = "subsolid")]
pub struct PyPieces {
    plan: Py<PyPlan>,
    points: Option<Py<PyAny>>,
    ranges: Mutex<std::vec::IntoIter<Range<usize>>>,
}

#[pymethods]
impl PyPieces {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyLimit>> {
        py.check_signals()?;
        let next = self.ranges.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(range) = next else { return Ok(None) };
        let plan = self.plan.get();
        let points = self.points.as_ref().map(|points| points.bind(py));
        let given = Moved::new(points, None, plan.vertices())?;
        let mut limit = Limit::default();
        plan.evaluate_range(py, &given, range, &mut limit)?;
        let named = plan.named(&given)?;
        Ok(Some(PyLimit::new(limit, plan.cell.clone(), plan.precision, named)))
    }

    fn __len__(&self) -> usize {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
