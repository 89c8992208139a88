//! Where points in space are.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use rayon::prelude::*;
use subsolid::IdKind;
use subsolid::backend::device::PointSearch;
use subsolid::backend::{Choice, Processor};
use subsolid::jobs::locate::{LocateRequest, answers};
use subsolid::locate::{Answer, Containment, DeviceLocator};
use subsolid::numbers::counted;
use subsolid::plan::Cost;

use crate::arrays::{Role, floats_warned, moved, rows};
use crate::cells::{Analyzed, LocatorCell};
use crate::errors::IntoPython;
use crate::model::Moved;
use crate::threads::{self, CallThreads, WithoutLock};

/// Points that are found at a time.
const POINTS_AT_ONCE: usize = 1 << 20;

/// Finds cells and parameters of points in space; made by Solid.locator.
#[pyclass(frozen, name = "Locator", module = "subsolid")]
pub struct PyLocator {
    cell: LocatorCell,
    choice: Choice,
    // of a GPU, once one has points to find; taken while it works
    search: Mutex<Option<Box<dyn PointSearch>>>,
}

impl PyLocator {
    pub fn new(
        py: Python<'_>,
        shared: Arc<Analyzed>,
        given: &Moved<'_>,
        tolerance: f64,
        backend: &str,
    ) -> PyResult<Self> {
        let choice = backend.parse::<Choice>().py()?;
        let request = LocateRequest { tolerance, backend: choice, ..Default::default() };
        if choice.is_gpu() {
            // before any work
            py.work(|| Processor::find_one(choice)).py()?;
        }
        let own = shared.clone();
        let controls = given.controls(own.mesh.controls())?;
        let made =
            py.work(|| LocatorCell::try_new(shared, |s| request.locator(&s.solid, controls)));
        Ok(Self { cell: made.py()?, choice, search: Mutex::new(None) })
    }

    /// Whether `points` points are for a GPU, which then has the solid.
    fn is_on_gpu(&self, py: Python<'_>, points: usize) -> PyResult<bool> {
        let bring = |search: &mut Option<Box<dyn PointSearch>>| {
            let cost = Cost::location(points);
            let (_, gpu) = Processor::find_device(self.choice, &cost, threads::count())?;
            let Some(device) = gpu.as_ref().and_then(|gpu| gpu.device()) else { return Ok(false) };
            if search.is_none() {
                let made = self.cell.with_dependent(|_, locator| {
                    DeviceLocator::new(locator, device).map(DeviceLocator::detach)
                });
                *search = Some(made?);
            }
            Ok(true)
        };
        CallThreads::default().run_locked(py, &self.search, bring).py()
    }

    fn find(
        &self,
        py: Python<'_>,
        points: &[[f64; 3]],
        on_gpu: bool,
    ) -> PyResult<Vec<Containment>> {
        if !on_gpu {
            return py.work(|| self.cell.with_dependent(|_, locator| locator.locate(points)));
        }
        let find = |search: &mut Option<Box<dyn PointSearch>>| {
            self.cell.with_dependent(|_, locator| {
                let Some(own) = search.take() else { return Ok(locator.locate(points)) };
                let mut on_gpu = DeviceLocator::attach(locator, own);
                let found = on_gpu.locate(points);
                *search = Some(on_gpu.detach());
                found.map(|found| found.located)
            })
        };
        CallThreads::default().run_locked(py, &self.search, find).py()
    }
}

/// Places of points.
pub fn locate<'py>(
    py: Python<'py>,
    locator: &PyLocator,
    x: &Bound<'py, PyAny>,
    nearest: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let array = floats_warned(x, Role::of("x", IdKind::Sample), true)?;
    let points = rows::<3>(&array, "x")?;
    let n = points.len();
    let mut cells = vec![-1_i64; n];
    let mut corners = vec![-1_i64; n];
    let mut uvw = vec![[f64::NAN; 3]; n];
    let mut distances = vec![f64::INFINITY; n];
    let elements = locator.cell.borrow_owner().solid.elements();
    let on_gpu = locator.is_on_gpu(py, n)?;
    for first in (0..n).step_by(POINTS_AT_ONCE) {
        let piece = &points[first..(first + POINTS_AT_ONCE).min(n)];
        let mut located = locator.find(py, piece, on_gpu)?;
        if nearest {
            located = py.work(|| {
                locator.cell.with_dependent(|_, own| {
                    let place = |answer: Option<Answer>| match answer {
                        Some(answer) => Containment::Inside(answer.place),
                        None => Containment::Outside,
                    };
                    answers(own, piece, located).map(place).collect()
                })
            })?;
        }
        for (i, at) in located.into_iter().enumerate() {
            let Containment::Inside(place) = at else { continue };
            let element = &elements[place.element as usize];
            cells[first + i] = i64::from(element.cell);
            corners[first + i] = element.corner.map_or(-1, i64::from);
            uvw[first + i] = place.parameters;
            distances[first + i] = place.residual;
        }
    }
    let places = py.import("subsolid._types")?.getattr("Places")?;
    places.call1((
        moved(py, cells, &[n])?,
        moved(py, uvw.into_flattened(), &[n, 3])?,
        moved(py, distances, &[n])?,
        moved(py, corners, &[n])?,
    ))
}

#[pymethods]
impl PyLocator {
    /// Cells and parameters of points in space.
    ///
    /// Args:
    ///     x: Points, (n, 3), in length units.
    ///     nearest: Whether to return the closest place of the solid for points outside.
    ///
    /// Returns:
    ///     Places; for points outside, the cell is -1, or that of the closest place if nearest=True. The
    ///     cell of points that are not finite, or beyond 1e70, is -1, and their distance infinite.
    ///
    /// Raises:
    ///     Error: For points of another shape.
    ///
    /// Example:
    ///     >>> locator = subsolid.shape("box", 2, 2, 2).locator()
    ///     >>> locator.locate([[1, 1, 1]]).uvw.shape
    ///     (1, 3)
    #[pyo3(signature = (x, *, nearest=false))]
    fn locate<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        nearest: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        locate(py, self, x, nearest)
    }

    fn __repr__(&self) -> String {
        let cells = self.cell.borrow_owner().mesh.cells.len();
        format!("<subsolid.Locator: {}>", counted(cells, "cell"))
    }
}
