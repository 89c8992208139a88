//! Results of an evaluation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use subsolid::Limit;
use subsolid::backend::{Precision, Values};
use subsolid::numbers::counted;
use subsolid::plan::Quantity;
use subsolid::volume::DERIVATIVES;

use crate::arrays::{by_name, lent_mut, moved, overlap};
use crate::cells::PlanCell;
use crate::errors::refused;
use crate::threads::locked;

/// Points of the limit, with the other quantities requested.
///
/// All arrays are views of the results, without copies; they remain valid as long as they are
/// referenced. Do not use them while another thread evaluates into the same object. Results of a
/// cell are consecutive, u fastest, then v, then w; those of places (cells=..., uvw=...) stand in
/// the order of the places.
#[pyclass(frozen, name = "Limit", module = "subsolid")]
pub struct PyLimit {
    limit: Mutex<Limit>,
    /// What the results are of: an `out` must be of the same.
    pub plan: Arc<PlanCell>,
    pub precision: Precision,
    /// Name and width of each attribute.
    pub attributes: Vec<(String, usize)>,
}

impl PyLimit {
    pub fn new(
        limit: Limit,
        plan: Arc<PlanCell>,
        precision: Precision,
        attributes: Vec<(String, usize)>,
    ) -> Self {
        Self { limit: Mutex::new(limit), plan, precision, attributes }
    }

    /// Whether points lie in the memory of the results.
    pub fn holds(&self, points: &[[f64; 3]]) -> bool {
        let limit = self.lock();
        let own = std::iter::once(&limit.positions)
            .chain(&limit.derivatives)
            .chain(&limit.attributes)
            .chain(limit.attribute_derivatives.iter().flatten())
            .chain(limit.quantities.iter().map(|derived| &derived.values));
        own.into_iter().any(|values| match values {
            Values::F64(numbers) => overlap(numbers, points),
            Values::F32(numbers) => overlap(numbers, points),
        })
    }

    /// Like [`Self::lock`], for a call that may take long.
    pub fn lock_attached(&self, py: Python<'_>) -> MutexGuard<'_, Limit> {
        locked(py, &self.limit)
    }

    pub fn lock(&self) -> MutexGuard<'_, Limit> {
        self.limit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An array of results: `width` numbers each, as the last axes `shape`.
fn view<'py>(
    owner: &Bound<'py, PyLimit>,
    values: &mut Values,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let width = shape.iter().product::<usize>().max(1);
    let mut all = vec![values.len() / width];
    all.extend_from_slice(shape);
    let owner = owner.clone().into_any();
    // SAFETY: the buffer belongs to the object, and is evaluated into again only for results of
    // the same plan, precision and attributes, which have the same lengths: it stays in place.
    // Callers are told not to use the array while a call works on the results.
    unsafe {
        match values {
            Values::F64(numbers) => Ok(lent_mut(owner, numbers, &all[..])?.into_any()),
            Values::F32(numbers) => Ok(lent_mut(owner, numbers, &all[..])?.into_any()),
        }
    }
}

fn components(width: usize) -> Vec<usize> {
    if width == 1 { vec![] } else { vec![width] }
}

#[pymethods]
impl PyLimit {
    /// Refused: a limit is several arrays.
    #[pyo3(signature = (*_arguments, **_options))]
    fn __array__(
        &self,
        _arguments: &Bound<'_, PyTuple>,
        _options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        Err(refused(
            "a Limit is several arrays",
            "take limit.points, or one of limit.derivatives, limit.attributes or limit.gradients",
        ))
    }

    /// Positions, (n, 3), in length units.
    #[getter]
    fn points<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view(slf, &mut slf.get().lock().positions, &[3])
    }

    /// Derivatives of the position by "u", "v", "w", then "uu", "vv", "ww", "uv", "uw", "vw", as
    /// far as they were asked for, each (n, 3). NaN where one does not exist, which is on
    /// extraordinary edges and vertices only.
    #[getter]
    fn derivatives<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let all = by_name(slf.py())?;
        let mut limit = slf.get().lock();
        for (name, values) in DERIVATIVES.iter().zip(&mut limit.derivatives) {
            all.set_item(name, view(slf, values, &[3])?)?;
        }
        Ok(all)
    }

    /// Attributes by name, each (n,) or (n, width).
    #[getter]
    fn attributes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let all = by_name(slf.py())?;
        let this = slf.get();
        let mut limit = this.lock();
        for ((name, width), values) in this.attributes.iter().zip(&mut limit.attributes) {
            all.set_item(name, view(slf, values, &components(*width))?)?;
        }
        Ok(all)
    }

    /// Derivatives of attributes: by name, then like those of the position.
    #[getter]
    fn attribute_derivatives<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let all = by_name(slf.py())?;
        let this = slf.get();
        let mut limit = this.lock();
        let of_attributes = &mut limit.attribute_derivatives;
        for ((name, width), derivatives) in this.attributes.iter().zip(of_attributes) {
            let own = by_name(slf.py())?;
            for (derivative, values) in DERIVATIVES.iter().zip(derivatives) {
                own.set_item(derivative, view(slf, values, &components(*width))?)?;
            }
            all.set_item(name, own)?;
        }
        Ok(all)
    }

    /// Determinants of the Jacobian d(x, y, z)/d(u, v, w), (n,), in cubed length units.
    ///
    /// Raises:
    ///     Error: If they were not asked for, by jacobian=True.
    #[getter]
    fn det_j<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let mut limit = slf.get().lock();
        let values = limit.quantity_mut(Quantity::Determinant, None).ok_or_else(|| {
            refused("the limit has no determinants", "evaluate with jacobian=True")
        })?;
        view(slf, values, &[])
    }

    /// Gradients of the attributes in space by name, (n, 3) or (n, width, 3), per length unit;
    /// empty unless asked for by gradients=True.
    #[getter]
    fn gradients<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let all = by_name(slf.py())?;
        let this = slf.get();
        let mut limit = this.lock();
        for (i, (name, width)) in this.attributes.iter().enumerate() {
            if let Some(values) = limit.quantity_mut(Quantity::Gradient, Some(i)) {
                let mut shape = components(*width);
                shape.push(3);
                all.set_item(name, view(slf, values, &shape)?)?;
            }
        }
        Ok(all)
    }

    /// 1 for each result some of whose derivatives or gradients does not exist, else 0; (n,)
    /// uint8.
    #[getter]
    fn undefined<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let undefined = slf.get().lock().undefined_derivatives();
        let count = undefined.len();
        Ok(moved(slf.py(), undefined, &[count])?.into_any())
    }

    /// First element, and the one after the last. In a mesh of hexahedra elements are cells.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let elements = self.lock().elements.clone();
        (elements.start, elements.end).into_pyobject(py)
    }

    fn __len__(&self) -> usize {
        self.lock().len()
    }

    fn __repr__(&self) -> String {
        let limit = self.lock();
        let names: Vec<&str> = self.attributes.iter().map(|(name, _)| &**name).collect();
        format!(
            "<subsolid.Limit: {}, {}, attributes {names:?}>",
            counted(limit.len(), "point"),
            counted(limit.derivatives.len(), "derivative")
        )
    }
}
