//! Where points in space are.

use std::sync::Arc;

use pyo3::prelude::*;
use rayon::prelude::*;
use subsolid::ElementKind;
use subsolid::locate::{Located, Locator, LocatorOptions};
use subsolid::numbers::counted;

use crate::arrays::{Role, floats_warned, moved, rows};
use crate::cells::{Analyzed, LocatorCell};
use crate::errors::IntoPython;
use crate::model::Moved;
use crate::threads::Work;

/// Points between two looks at signals.
const PIECE: usize = 1 << 16;

/// Finds cells and parameters of points in space; made by Solid.locator.
#[pyclass(frozen, name = "Locator", module = "subsolid")]
pub struct PyLocator {
    cell: LocatorCell,
}

impl PyLocator {
    pub fn new(
        py: Python<'_>,
        shared: Arc<Analyzed>,
        given: &Moved<'_>,
        tolerance: f64,
    ) -> PyResult<Self> {
        let own = shared.clone();
        let controls = given.controls(own.mesh.controls())?;
        let options = LocatorOptions { tolerance, rings: None };
        let made = py.work(|| {
            LocatorCell::try_new(shared, |s| Locator::with_options(&s.solid, controls, options))
        });
        Ok(Self { cell: made.py()? })
    }
}

/// Places of points.
pub fn locate<'py>(
    py: Python<'py>,
    locator: &PyLocator,
    x: &Bound<'py, PyAny>,
    nearest: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let array = floats_warned(x, Role::of("x", ElementKind::Sample), true)?;
    let points = rows::<3>(&array, "x")?;
    let n = points.len();
    let mut cells = vec![-1_i64; n];
    let mut corners = vec![-1_i64; n];
    let mut uvw = vec![[f64::NAN; 3]; n];
    let mut distances = vec![f64::INFINITY; n];
    let elements = locator.cell.borrow_owner().solid.elements();
    for first in (0..n).step_by(PIECE) {
        py.check_signals()?;
        let piece = &points[first..(first + PIECE).min(n)];
        let located = py.work(|| {
            locator.cell.with_dependent(|_, found| {
                let mut located = found.locate(piece);
                if nearest {
                    located.par_iter_mut().zip(piece).for_each(|(at, &x)| {
                        if *at == Located::Outside
                            && let Some(place) = found.nearest(x)
                        {
                            *at = Located::Inside(place);
                        }
                    });
                }
                located
            })
        });
        for (i, at) in located.into_iter().enumerate() {
            let Located::Inside(place) = at else { continue };
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
    /// Cells and parameters of points x, (n, 3); see Solid.locate. Ctrl-C ends it.
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
