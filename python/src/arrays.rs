//! Arrays of Python as numbers of Rust, and the other way round.

use numpy::ndarray::{ArrayView, Dimension, IntoDimension};
use numpy::{
    Element, IntoPyArray, PyArray, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods,
    PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::refused;

/// `numpy.asarray(value)`, unless NumPy cannot make an array of numbers of it.
pub fn any_array<'py>(
    value: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let made = value.py().import("numpy")?.call_method1("asarray", (value,));
    let array = made.ok().and_then(|array| array.cast_into::<PyUntypedArray>().ok());
    array.ok_or_else(|| refused(format!("{what} is not an array of numbers"), "give a NumPy array"))
}

/// Numbers in C order, borrowed where the array has them so.
pub fn floats<'py>(
    value: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    floats_warned(value, what, false)
}

/// The same; `warn` says that an array had to be converted.
pub fn floats_warned<'py>(
    value: &Bound<'py, PyAny>,
    what: &str,
    warn: bool,
) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    let py = value.py();
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>()
        && array.is_c_contiguous()
        && is_aligned(array)
    {
        return read_only(array, what);
    }
    let array = any_array(value, what)?;
    let kind = array.dtype().kind();
    if !matches!(kind, b'f' | b'i' | b'u') {
        return Err(refused(
            format!("{what} has the type {}", array.dtype()),
            "give real numbers, preferably float64",
        ));
    }
    if warn {
        let category = py.import("subsolid._error")?.getattr("CopyWarning")?;
        let message = format!(
            "{what} is copied, since it is not a C-contiguous float64 array; convert it once by \
             numpy.ascontiguousarray(..., dtype=float)"
        );
        py.import("warnings")?.call_method1("warn", (message, category, 2))?;
    }
    let options = PyDict::new(py);
    options.set_item("dtype", "float64")?;
    options.set_item("order", "C")?;
    let made = py.import("numpy")?.call_method("array", (array,), Some(&options))?;
    read_only(made.cast::<PyArrayDyn<f64>>()?, what)
}

fn is_aligned(array: &Bound<'_, PyArrayDyn<f64>>) -> bool {
    (array.data() as usize).is_multiple_of(align_of::<f64>())
}

fn read_only<'py>(
    array: &Bound<'py, PyArrayDyn<f64>>,
    what: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    array.try_readonly().map_err(|_| {
        refused(format!("{what} is being written to"), "wait for the call that does so")
    })
}

/// Rows of N numbers.
pub fn rows<'a, const N: usize>(
    array: &'a PyReadonlyArrayDyn<'_, f64>,
    what: &str,
) -> PyResult<&'a [[f64; N]]> {
    let shape = array.shape();
    if shape.len() != 2 || shape[1] != N {
        return Err(refused(
            format!("{what} has the shape {shape:?}"),
            &format!("give an array of shape (n, {N})"),
        ));
    }
    Ok(slice(array)?.as_chunks().0)
}

/// All numbers.
pub fn slice<'a>(array: &'a PyReadonlyArrayDyn<'_, f64>) -> PyResult<&'a [f64]> {
    array.as_slice().map_err(|_| refused("an array is not contiguous", "copy it first"))
}

/// Ids, with the shape of their array; `least` is 0, or −1 where that says "none".
pub fn ids(value: &Bound<'_, PyAny>, what: &str, least: i64) -> PyResult<(Vec<i64>, Vec<usize>)> {
    let array = any_array(value, what)?;
    let shape = array.shape().to_vec();
    if shape.iter().product::<usize>() == 0 {
        return Ok((Vec::new(), shape));
    }
    let kind = array.dtype().kind();
    if !matches!(kind, b'i' | b'u') {
        return Err(refused(format!("{what} has the type {}", array.dtype()), "give integers"));
    }
    let wide = array.call_method1("astype", ("int64",))?;
    let wide = value.py().import("numpy")?.call_method1("ascontiguousarray", (wide,))?;
    let wide = wide.cast::<PyArrayDyn<i64>>()?.try_readonly();
    let wide = wide.map_err(|_| refused(format!("{what} is being written to"), "copy it first"))?;
    let numbers =
        wide.as_slice().map_err(|_| refused(format!("{what} is not contiguous"), "copy it"))?;
    if let Some(at) = numbers.iter().position(|&id| id < least || id >= i64::from(u32::MAX)) {
        return Err(refused(
            format!("{what} names {} at place {at}", numbers[at]),
            "count ids from 0; negative ones do not count from the end",
        ));
    }
    Ok((numbers.to_vec(), shape))
}

/// Ids from 0 on.
pub fn plain_ids(value: &Bound<'_, PyAny>, what: &str) -> PyResult<(Vec<u32>, Vec<usize>)> {
    let (ids, shape) = ids(value, what, 0)?;
    Ok((ids.into_iter().map(|id| id as u32).collect(), shape))
}

/// Hands numbers over to NumPy, without a copy.
pub fn moved<'py, T: Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    numbers.into_pyarray(py).reshape(shape)
}

/// Numbers that `owner` keeps alive and in place, without a copy.
///
/// # Safety
/// The numbers must stay where they are as long as the owner lives.
pub unsafe fn lent<'py, T: Element, D: Dimension>(
    owner: Bound<'py, PyAny>,
    numbers: &[T],
    shape: impl IntoDimension<Dim = D>,
    writable: bool,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let view = ArrayView::from_shape(shape, numbers)
        .map_err(|e| refused(format!("an array of another shape: {e}"), "report this"))?;
    // SAFETY: as the caller says
    let array = unsafe { PyArray::borrow_from_array(&view, owner) };
    if !writable {
        array.call_method1("setflags", (false,))?;
    }
    Ok(array)
}

/// A report as a dictionary.
pub fn dictionary<'py>(
    py: Python<'py>,
    report: &impl serde::Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(report)
        .map_err(|e| refused(format!("a report: {e}"), "report this"))?;
    py.import("json")?.call_method1("loads", (text,))
}
