//! Results of bounded size, one range of elements after the other.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::Limit;

use super::PyPlan;
use crate::limit::PyLimit;

/// Iterator of the limits of element ranges.
#[pyclass(frozen, name = "Pieces", module = "subsolid")]
pub struct PyPieces {
    pub(super) plan: Py<PyPlan>,
    pub(super) points: Option<Py<PyAny>>,
    pub(super) attributes: Option<Py<PyDict>>,
    pub(super) ranges: Mutex<std::vec::IntoIter<Range<usize>>>,
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
