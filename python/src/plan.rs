//! Plans: set up once, evaluated as often as control points move.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use subsolid::backend::{Precision, ResultBuffer, Values};
use subsolid::mesh::{CellLengths, Controls};
use subsolid::plan::{Adjoint, Cost, Location, Samples, Want};
use subsolid::{Limit, Plan, memory};

use crate::arrays::{any_array, moved, overlap};
use crate::backend::{DeviceAdjoint, ForeignArray, Held, OnDevice, PyDeviceLimit, not_there};
use crate::cells::{Analyzed, EvaluatorCell, PlanCell, Prepared};
use crate::count;
use crate::errors::{IntoPython, refused, warn};
use crate::limit::PyLimit;
use crate::matrix::{check_rows, csr};
use crate::model::Moved;
use crate::request::{DERIVATIVES, backend, orders};
use crate::solid::PySolid;
use crate::threads::Threads;

/// The evaluation of a solid at given samples, for any control points.
///
/// Made by Solid.plan. It depends on connectivity, creases and samples only.
#[pyclass(frozen, name = "Plan", module = "subsolid")]
pub struct PyPlan {
    solid: Py<PySolid>,
    pub cell: Arc<PlanCell>,
    pub evaluator: Mutex<(EvaluatorCell, Limit)>,
    pub adjoint: OnceLock<Adjoint>,
    pub device_adjoint: Mutex<Option<Arc<DeviceAdjoint>>>,
    pub device: Option<DeviceStream>,
    on_cpu: bool,
    pub name: String,
    pub precision: Precision,
    pub threads: Threads,
}

/// Bytes of results between two looks at signals: a fraction of a second.
const STEP: u128 = 96 << 20;

/// Elements that have about as many, `bytes` each. Of sixteen together the results begin on a cache
/// line.
fn step(bytes: u128) -> usize {
    ((STEP / bytes.max(1)) as usize).next_multiple_of(16).max(16)
}

/// The GPU of a plan, and the stream of its uploads.
#[derive(Clone, Copy)]
pub struct DeviceStream {
    pub ordinal: usize,
    stream: usize,
}

/// Control points of a call, on the host or, their positions, on the plan's GPU.
struct Given<'py> {
    moved: Moved<'py>,
    held: Option<Held>,
}

impl Given<'_> {
    fn foreign(&self) -> Option<ForeignArray> {
        self.held.as_ref().map(|held| held.array)
    }
}

/// Evaluates control points, or `foreign` ones in place of their positions; a part of the elements
/// to its place in results that have room for all.
fn evaluate(
    cell: &mut EvaluatorCell,
    controls: Controls<'_>,
    foreign: Option<ForeignArray>,
    (part, all): (Range<usize>, &Range<usize>),
    limit: &mut Limit,
) -> subsolid::Result<()> {
    cell.with_dependent_mut(|cell, prepared| {
        if part != *all {
            return limit.fill(&mut *prepared.0, cell.borrow_dependent(), controls, part);
        }
        let Some(foreign) = foreign else { return prepared.0.evaluate(controls, part, limit) };
        let device = prepared.0.on_device().ok_or_else(not_there)?;
        // SAFETY: its owner keeps it, by what `Held` has
        unsafe { device.upload_positions(foreign, controls) }?;
        device.fetch(part, limit)
    })
}

fn widths(controls: Controls<'_>) -> Vec<usize> {
    controls.attributes.iter().map(|attribute| attribute.width).collect()
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
        if precision == Precision::F32
            && let Some(loss) = CellLengths::new(&shared.mesh).single_precision_loss(0)
        {
            warn(
                py,
                &format!("{loss}; leave precision=\"f32\" out, or move the points to the origin"),
            )?;
        }
        let cell = threads
            .run(py, || PlanCell::try_new(shared, |shared| shared.solid.plan(samples, want)));
        let cell = Arc::new(cell.py()?);
        let plan = cell.borrow_dependent();
        let widths = widths(cell.borrow_owner().mesh.controls());
        let all = 0..plan.solid().elements().len();
        let bytes = threads.run(py, || plan.result_bytes(&all, &widths, precision));
        let cost = Cost::evaluation(usize::try_from(bytes).unwrap_or(usize::MAX));
        let own = cell.clone();
        let (name, on_cpu, mut evaluator) = threads.run(py, move || -> PyResult<_> {
            let backend = backend(backend_name, precision, &cost)?;
            let evaluator = EvaluatorCell::try_new(own, |cell| {
                backend.prepare(cell.borrow_dependent()).map(Prepared)
            });
            Ok((backend.name(), backend.device().is_none(), evaluator.py()?))
        })?;
        let device = evaluator.with_dependent_mut(|_, prepared| {
            let device = prepared.0.on_device()?;
            Some(DeviceStream { ordinal: device.ordinal(), stream: device.stream() as usize })
        });
        Ok(Self {
            solid,
            cell,
            evaluator: Mutex::new((evaluator, Limit::default())),
            adjoint: OnceLock::new(),
            device_adjoint: Mutex::new(None),
            device,
            on_cpu,
            name,
            precision,
            threads,
        })
    }

    pub fn plan(&self) -> &Plan<'_> {
        self.cell.borrow_dependent()
    }

    fn shared(&self) -> &Arc<Analyzed> {
        self.cell.borrow_owner()
    }

    pub fn all(&self) -> Range<usize> {
        0..self.plan().solid().elements().len()
    }

    pub fn vertices(&self) -> usize {
        self.shared().mesh.points.len()
    }

    /// Names and widths of attributes.
    fn named(&self, moved: &Moved<'_>) -> PyResult<Vec<(String, usize)>> {
        let controls = moved.controls(self.shared().mesh.controls())?;
        Ok(controls.attributes.iter().map(|a| (a.name.clone(), a.width)).collect())
    }

    /// Control points of a call.
    fn given<'py>(
        &self,
        points: Option<&Bound<'py, PyAny>>,
        attributes: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Given<'py>> {
        let vertices = self.vertices();
        let Some(on_device) = points.and_then(|points| OnDevice::of(points, "points")) else {
            return Ok(Given { moved: Moved::new(points, attributes, vertices)?, held: None });
        };
        let device = self.device.ok_or_else(|| on_device.unexpected(&self.name))?;
        let held = on_device.hold(device.ordinal, device.stream, self.precision)?;
        if held.shape != [vertices, 3] {
            return Err(refused(
                format!("points on a GPU have the shape {:?}", held.shape),
                &format!("give an array of shape ({vertices}, 3)"),
            ));
        }
        Ok(Given { moved: Moved::new(None, attributes, vertices)?, held: Some(held) })
    }

    /// Refuses results that would fill the memory.
    fn check_memory(&self, range: &Range<usize>, controls: Controls<'_>) -> PyResult<()> {
        let plan = self.plan();
        let (results, bytes) =
            (plan.result_count(range), plan.result_bytes(range, &widths(controls), self.precision));
        let help = match plan.samples() {
            Samples::Tensor(_) => {
                "ask for fewer samples or quantities, or take piece after piece by Plan.pieces"
            }
            Samples::Points(_) => "plan fewer places at a time",
        };
        memory::check_half(format!("{results} results need"), bytes, |_| help.into()).py()
    }

    fn evaluate_range(
        &self,
        py: Python<'_>,
        given: &Given<'_>,
        range: Range<usize>,
        limit: &mut Limit,
    ) -> PyResult<()> {
        let controls = given.moved.controls(self.shared().mesh.controls())?;
        let foreign = given.foreign();
        self.check_memory(&range, controls)?;
        let parts = self.parts(&range, &widths(controls));
        if parts.len() > 1 {
            limit.make_room(self.plan(), range.clone(), &widths(controls), self.precision);
        }
        for part in parts {
            py.check_signals()?;
            let result = self.threads.run_locked(py, &self.evaluator, |(cell, _)| {
                evaluate(cell, controls, foreign, (part, &range), limit)
            });
            result.py()?;
        }
        Ok(())
    }

    /// Parts of some elements, between which signals are looked at; one on GPUs, which bring the
    /// points once.
    fn parts(&self, range: &Range<usize>, widths: &[usize]) -> Vec<Range<usize>> {
        let plan = self.plan();
        let step = step(plan.result_bytes(&(0..1), widths, self.precision));
        let is_grid = matches!(plan.samples(), Samples::Tensor(_));
        if !self.on_cpu || !is_grid || range.len() < 2 * step {
            return vec![range.clone()];
        }
        let firsts = range.clone().step_by(step);
        firsts.map(|first| first..(first + step).min(range.end)).collect()
    }

    /// Evaluates on the plan's GPU, where the results stay.
    fn evaluate_on_device(&self, py: Python<'_>, given: &Given<'_>) -> PyResult<PyDeviceLimit> {
        if self.device.is_none() {
            return Err(refused(
                format!("device_output=True for a plan on the {}", self.name),
                crate::backend::HELP,
            ));
        }
        let controls = given.moved.controls(self.shared().mesh.controls())?;
        let (foreign, all) = (given.foreign(), self.all());
        let points = self.threads.run_locked(py, &self.evaluator, |(cell, _)| {
            cell.with_dependent_mut(|_, prepared| {
                let device = prepared.0.on_device().ok_or_else(not_there)?;
                match foreign {
                    // SAFETY: its owner keeps it, by what `Held` has
                    Some(foreign) => unsafe { device.upload_positions(foreign, controls) }?,
                    None => device.upload(controls)?,
                }
                device.launch(all)
            })
        });
        Ok(PyDeviceLimit::new(points.py()?, self.cell.clone(), self.named(&given.moved)?))
    }

    /// Evaluates into an array.
    fn evaluate_into_array(
        &self,
        py: Python<'_>,
        given: &Given<'_>,
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
        given: &Given<'_>,
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
            .map_err(|_| wrong("does not have the plan's precision".into()))?;
        // results under a mask would not be seen
        any_array(out, "out")?;
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
        let controls = given.moved.controls(self.shared().mesh.controls())?;
        if overlap(to, controls.positions) {
            return Err(wrong("is the memory of the points".into()));
        }
        let (foreign, all) = (given.foreign(), self.all());
        if self.plan().want() != Want::POSITION {
            self.check_memory(&all, controls)?;
        }
        let parts = self.parts(&all, &widths(controls));
        let in_parts = parts.len() > 1;
        for part in parts {
            py.check_signals()?;
            // SAFETY: nothing else uses the array until the buffer is dropped, below
            let buffer = unsafe { ResultBuffer::over(to.as_mut_ptr(), to.len()) };
            let result = self.threads.run_locked(py, &self.evaluator, |(cell, limit)| {
                limit.positions = values(buffer);
                if in_parts {
                    let plan = cell.borrow_owner().borrow_dependent();
                    limit.make_room(plan, all.clone(), &widths(controls), self.precision);
                }
                let done = evaluate(cell, controls, foreign, (part, &all), limit);
                limit.positions = Values::default();
                done
            });
            result.py()?;
        }
        Ok(())
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
    /// Python's other threads run meanwhile, and Ctrl-C ends it on the CPU; out has a part of the
    /// results then. A C-contiguous float64 array of points is borrowed; others are copied, with a
    /// CopyWarning.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     attributes: Values at the control points by name, (vertices,) or (vertices, width);
    ///         those of the solid if None.
    ///     out: A Limit of this plan, whose memory is used again, arrays of it included; or a
    ///         writable array (n, 3) that takes the positions.
    ///     device_output: Leave the results on the plan's GPU.
    ///
    /// Points may also be on the plan's GPU, as anything with __dlpack__ or
    /// __cuda_array_interface__, of the plan's precision and C-contiguous. They have been read
    /// when this returns, and are not checked: NaNs propagate to the results.
    ///
    /// Returns:
    ///     The limit, or out; with device_output a DeviceLimit.
    ///
    /// Raises:
    ///     Error: For arrays of the wrong shape, points that are not finite, an out that is the
    ///         memory of the points, or device arrays with a plan that is not on a GPU. Attributes
    ///         that are not finite make results that are not.
    #[pyo3(signature = (points=None, *, attributes=None, out=None, device_output=false))]
    pub fn evaluate<'py>(
        slf: &Bound<'py, Self>,
        points: Option<&Bound<'py, PyAny>>,
        attributes: Option<&Bound<'py, PyDict>>,
        out: Option<&Bound<'py, PyAny>>,
        device_output: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let given = this.given(points, attributes)?;
        if device_output {
            if out.is_some() {
                return Err(refused(
                    "out together with device_output=True",
                    "give one of them: results on the device have memory of their own",
                ));
            }
            return Ok(Bound::new(py, this.evaluate_on_device(py, &given)?)?.into_any());
        }
        let Some(out) = out else {
            let named = this.named(&given.moved)?;
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
            && target.attributes == this.named(&given.moved)?;
        if !same {
            return Err(refused(
                "out is the limit of another plan, precision or set of attributes",
                "give a limit that this plan made",
            ));
        }
        let controls = given.moved.controls(this.shared().mesh.controls())?;
        if target.holds(controls.positions) {
            return Err(refused(
                "out holds the points that are given",
                "give a copy of the points, or another limit",
            ));
        }
        let (foreign, all) = (given.foreign(), this.all());
        for part in this.parts(&all, &widths(controls)) {
            py.check_signals()?;
            let result = py.detach(|| {
                // both are locked before the threads are entered, see `Threads::run_locked`
                let mut limit = target.lock();
                if limit.elements != all {
                    return Err(subsolid::Error::request("out holds a piece of the results")
                        .with_help("give a limit that evaluate() made"));
                }
                let mut evaluator = this.evaluator.lock().unwrap_or_else(PoisonError::into_inner);
                let (limit, cell) = (&mut *limit, &mut evaluator.0);
                this.threads.here(|| evaluate(cell, controls, foreign, (part, &all), limit))
            });
            result.py()?;
        }
        Ok(out.clone())
    }

    /// Evaluates range by range, for results of bounded size. Ctrl-C interrupts it between
    /// two pieces.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     attributes: Values at the control points by name, as in evaluate.
    ///     results: Maximum number of results per piece; a piece has at least one element. A plan
    ///         of places (cells=..., uvw=...) is one piece: plan fewer places instead.
    ///
    /// Returns:
    ///     An iterator of Limits; their `elements` give the range of each.
    #[pyo3(signature = (points=None, *, attributes=None, results=2_000_000))]
    fn pieces(
        slf: &Bound<'_, Self>,
        points: Option<Bound<'_, PyAny>>,
        attributes: Option<&Bound<'_, PyDict>>,
        #[pyo3(from_py_with = count::results)] results: usize,
    ) -> PyResult<PyPieces> {
        let this = slf.get();
        if let Some(on_device) = points.as_ref().and_then(|p| OnDevice::of(p, "points")) {
            return Err(on_device.unexpected("host, piece by piece"));
        }
        Moved::new(points.as_ref(), attributes, this.vertices())?;
        let scattered = matches!(this.plan().samples(), Samples::Points(_));
        let ranges =
            if scattered { vec![this.all()] } else { this.plan().pieces(results).collect() };
        // copies: what is iterated must not change between pieces
        let numpy = slf.py().import("numpy")?;
        let copy = |values: &Bound<'_, PyAny>| {
            numpy.call_method1("array", (values, "float64")).map(Bound::unbind)
        };
        let points = points.as_ref().map(copy).transpose()?;
        let attributes = attributes.map(|given| {
            let copies = PyDict::new(slf.py());
            for (name, values) in given {
                copies.set_item(name, copy(&values)?)?;
            }
            Ok::<_, PyErr>(copies.unbind())
        });
        let (attributes, ranges) = (attributes.transpose()?, Mutex::new(ranges.into_iter()));
        Ok(PyPieces { plan: slf.clone().unbind(), points, attributes, ranges })
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
        check_rows(self.__len__()).py()?;
        let solid = self.plan().solid();
        let rows = self.threads.run(py, || solid.basis_rows(&self.locations(), orders));
        csr(py, &rows.py()?, self.vertices())
    }

    /// Cells and parameters of all results: (n,) and (n, 3); and corners (n,), −1 in hexahedra.
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let elements = self.plan().solid().elements();
        let need = (self.__len__() * (size_of::<Location>() + 5 * 8)) as u128;
        memory::check_half(format!("{} places need", self.__len__()), need, |_| {
            "ask for fewer samples".into()
        })
        .py()?;
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
    attributes: Option<Py<PyDict>>,
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
        let attributes = self.attributes.as_ref().map(|given| given.bind(py));
        let given = plan.given(points, attributes)?;
        let mut limit = Limit::default();
        plan.evaluate_range(py, &given, range, &mut limit)?;
        let named = plan.named(&given.moved)?;
        Ok(Some(PyLimit::new(limit, plan.cell.clone(), plan.precision, named)))
    }

    /// Number of pieces that are left.
    fn __len__(&self) -> usize {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn __repr__(&self) -> String {
        format!("<subsolid.Pieces: {} left>", self.__len__())
    }
}
