//! Plans: set up once, evaluated as often as control points move.

mod pieces;
mod run;

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use subsolid::backend::Precision;
use subsolid::jobs::ProcessorRequest;
use subsolid::plan::{Adjoint, Cost, Location, Samples, Want};
use subsolid::volume::DERIVATIVES;
use subsolid::{Limit, Message, Plan, memory};

use crate::arrays::moved;
use crate::backend::{DeviceAdjoint, DeviceArgument};
use crate::cells::{Analyzed, EvaluatorCell, PlanCell, PreparedPlan};
use crate::count;
use crate::errors::{IntoPython, refused};
use crate::limit::PyLimit;
use crate::matrix::{check_rows, csr};
use crate::model::Moved;
use crate::notes::PythonNotes;
use crate::request::orders;
use crate::solid::PySolid;
use crate::threads::CallThreads;

pub use pieces::PyPieces;
use run::widths;

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
    pub name: String,
    pub precision: Precision,
    pub threads: CallThreads,
}

/// The GPU of a plan, and the stream of its uploads.
#[derive(Clone, Copy)]
pub struct DeviceStream {
    pub ordinal: usize,
    stream: usize,
}

impl PyPlan {
    pub fn new(
        py: Python<'_>,
        solid: Py<PySolid>,
        samples: &Samples,
        want: Want,
        request: ProcessorRequest,
        threads: CallThreads,
    ) -> PyResult<Self> {
        let precision = request.precision;
        let shared = solid.get().shared.clone();
        let cell = threads
            .run(py, || PlanCell::try_new(shared, |shared| shared.solid.plan(samples, want)));
        let cell = Arc::new(cell.py()?);
        let plan = cell.borrow_dependent();
        let widths = widths(cell.borrow_owner().mesh.controls());
        let all = 0..plan.solid().elements().len();
        let bytes = threads.run(py, || plan.result_bytes(&all, &widths, precision))?;
        let cost = Cost::evaluation(usize::try_from(bytes).unwrap_or(usize::MAX));
        let own = cell.clone();
        let mut notes = PythonNotes::default();
        let prepared = threads.run(py, || {
            request.warn_of_rounding(&own.borrow_owner().mesh, 0, &mut notes);
            let backend = request.choose(&cost, &mut notes)?;
            let evaluator = EvaluatorCell::try_new(own, |cell| {
                backend.prepare(cell.borrow_dependent()).map(PreparedPlan)
            });
            Ok((backend.name(), evaluator?))
        });
        let (name, mut evaluator) = prepared.py()?;
        notes.warn(py, None::<Message>)?;
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
    ///
    /// Example:
    ///     >>> plan = subsolid.shape("box", 2, 2, 2).plan(3)
    ///     >>> limit = plan.evaluate()
    ///     >>> plan.evaluate(2 * plan.solid.points, out=limit) is limit
    ///     True
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
        this.evaluate_into_limit(py, &given, limit.get())?;
        Ok(out.clone())
    }

    /// Evaluates range by range, for results of bounded size. Ctrl-C interrupts it between
    /// two pieces.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     attributes: Values at the control points by name, (vertices,) or (vertices, width);
    ///         those of the solid if None.
    ///     results: Maximum number of results per piece; a piece has at least one element. A plan
    ///         of places (cells=..., uvw=...) is one piece: plan fewer places instead.
    ///
    /// Returns:
    ///     An iterator of Limits; their `elements` give the range of each.
    ///
    /// Raises:
    ///     Error: For less than one result.
    ///
    /// Example:
    ///     >>> plan = subsolid.shape("box", 2, 2, 2).plan(3)
    ///     >>> [len(piece) for piece in plan.pieces(results=100)]
    ///     [81, 81, 54]
    #[pyo3(signature = (points=None, *, attributes=None, results=2_000_000))]
    fn pieces(
        slf: &Bound<'_, Self>,
        points: Option<Bound<'_, PyAny>>,
        attributes: Option<&Bound<'_, PyDict>>,
        #[pyo3(from_py_with = count::results)] results: usize,
    ) -> PyResult<PyPieces> {
        let this = slf.get();
        if let Some(on_device) = points.as_ref().and_then(|p| DeviceArgument::of(p, "points")) {
            return Err(on_device.unexpected("host, piece by piece"));
        }
        Moved::new(points.as_ref(), attributes, this.vertices())?;
        if results == 0 {
            return Err(refused("results=0", "give a whole number from 1 on"));
        }
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
    ///
    /// Example:
    ///     >>> plan = subsolid.shape("box", 2, 2, 2).plan(3)
    ///     >>> plan.basis_matrix().shape
    ///     (216, 27)
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
    ///
    /// Returns:
    ///     Cells, parameters and corners.
    ///
    /// Raises:
    ///     Error: For more places than fit into memory.
    ///
    /// Example:
    ///     >>> plan = subsolid.shape("box", 2, 2, 2).plan(3)
    ///     >>> cells, uvw, corners = plan.places()
    ///     >>> uvw.shape
    ///     (216, 3)
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
