//! Where points in space are.

use std::sync::Arc;

use pyo3::prelude::*;
use rayon::prelude::*;
use subsolid::IdKind;
use subsolid::backend::{Choice, Processor};
use subsolid::jobs::locate::{LocateRequest, answers};
use subsolid::locate::{Answer, Containment, Locator};
use subsolid::numbers::counted;
use subsolid::plan::Cost;

use crate::arrays::{Role, floats_warned, moved, rows};
use crate::cells::{Analyzed, LocatorCell};
use crate::errors::IntoPython;
use crate::model::Moved;
use crate::threads::{self, WithoutLock};

/// Points that are found at a time.
const POINTS_AT_ONCE: usize = 1 << 20;

/// Finds cells and parameters of points in space; made by Solid.locator.
#[pyclass(frozen, name = "Locator", module = "subsolid")]
pub struct PyLocator {
    cell: LocatorCell,
    choice: Choice,
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
        py.work(|| Processor::check_one(choice)).py()?;
        let own = shared.clone();
        let controls = given.controls(own.mesh.controls())?;
        let made =
            py.work(|| LocatorCell::try_new(shared, |s| request.locator(&s.solid, controls)));
        Ok(Self { cell: made.py()?, choice })
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
    let find = |owner: &Arc<Analyzed>, own: &Locator<'_>| -> subsolid::Result<()> {
        let cost = Cost::location(n);
        let (_, backend) = Processor::open_for(locator.choice, &cost, threads::count())?;
        let elements = owner.solid.elements();
        for first in (0..n).step_by(POINTS_AT_ONCE) {
            let piece = &points[first..(first + POINTS_AT_ONCE).min(n)];
            let mut located = own.locate_on(&*backend, piece)?.located;
            if nearest {
                let place = |answer: Option<Answer>| match answer {
                    Some(answer) => Containment::Inside(answer.place),
                    None => Containment::Outside,
                };
                located = answers(own, piece, &located).map(place).collect();
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
        Ok(())
    };
    py.work(|| locator.cell.with_dependent(find))?.py()?;
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
