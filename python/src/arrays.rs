//! Arrays of Python as numbers of Rust, and the other way round.

use numpy::ndarray::{ArrayView, ArrayViewMut, Dimension, IntoDimension, ShapeError};
use numpy::{
    Element, IntoPyArray, PyArray, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods,
    PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyTuple};
use subsolid::{IdKind, Message, message};

use crate::errors::refused;

/// Lists in each other that NumPy makes an array of.
const MAX_NESTING: usize = 64;

/// Looks up NumPy's C API, which panics where a signal interrupts it: so when the module is
/// imported, and not by the first array that is made or borrowed.
pub fn import(py: Python<'_>) -> PyResult<()> {
    py.import("numpy")?;
    PyArray1::<f64>::zeros(py, 0, false).try_readonly()?;
    Ok(())
}

/// What an array is, for messages.
#[derive(Clone, Copy)]
pub struct Role<'a> {
    what: &'a str,
    /// The elements that its rows are of.
    rows: Option<IdKind>,
}

impl<'a> Role<'a> {
    pub fn of(what: &'a str, rows: IdKind) -> Self {
        Self { what, rows: Some(rows) }
    }

    /// An entry: its row by the element, else all indices.
    fn entry(self, at: &[usize]) -> Message {
        match (self.rows, at) {
            (Some(kind), &[row]) => message!(kind.id(row)),
            (Some(kind), &[row, column]) => message!(kind.id(row), ", column {column}"),
            _ => message!("{at:?}"),
        }
    }
}

impl<'a> From<&'a str> for Role<'a> {
    fn from(what: &'a str) -> Self {
        Self { what, rows: None }
    }
}

/// `numpy.asarray(value)`, unless NumPy cannot make an array of it, or entries of it are masked,
/// what they hide would be taken for values.
pub fn any_array<'a, 'py>(
    value: &Bound<'py, PyAny>,
    role: impl Into<Role<'a>>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let role = role.into();
    if value.is_exact_instance_of::<PyUntypedArray>() {
        return Ok(value.clone().cast_into()?);
    }
    check_items(value, role, &mut Vec::new())?;
    let py = value.py();
    let wrong =
        || refused(format!("{} is not an array of numbers", role.what), "give a NumPy array");
    match py.import("numpy")?.call_method1("asarray", (value,)) {
        Ok(array) => array.cast_into::<PyUntypedArray>().map_err(|_| wrong()),
        Err(error) => {
            let of_value =
                error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyValueError>(py);
            if !of_value {
                return Err(error); // an interrupt, or no memory
            }
            let refused = wrong();
            refused.set_cause(py, Some(error));
            Err(refused)
        }
    }
}

/// Refuses masked entries, of arrays in lists too, and what is true or false in lists of numbers,
/// which NumPy would make 1 and 0 of. `at` are the indices of the value in its lists.
fn check_items(value: &Bound<'_, PyAny>, role: Role<'_>, at: &mut Vec<usize>) -> PyResult<()> {
    let py = value.py();
    if value.is_exact_instance_of::<PyFloat>() || value.is_exact_instance_of::<PyInt>() {
        return Ok(());
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        // NumPy takes no deeper lists, nor lists in themselves
        if at.len() == MAX_NESTING {
            return Ok(());
        }
        for (i, item) in value.try_iter()?.enumerate() {
            at.push(i);
            check_items(&item?, role, at)?;
            at.pop();
        }
        return Ok(());
    }
    if !value.is_instance_of::<PyUntypedArray>() {
        // NumPy's are no instances of Python's
        let is_bool = !at.is_empty() && value.get_type().name()?.to_string().starts_with("bool");
        if is_bool {
            return Err(refused(
                format!("{} has the type bool at {at:?}", role.what),
                "give numbers: 1 and 0, if these are meant",
            ));
        }
        return Ok(());
    }
    let masked = py.import("numpy.ma")?;
    if !value.is_instance(&masked.getattr("MaskedArray")?)? {
        return Ok(());
    }
    let mask = masked.call_method1("getmaskarray", (value,))?;
    let places = py.import("numpy")?.call_method1("argwhere", (mask,))?;
    let count = places.len()?;
    if count == 0 {
        return Ok(());
    }
    at.extend(places.get_item(0)?.call_method0("tolist")?.extract::<Vec<usize>>()?);
    let what = role.what;
    let more = if count == 1 { String::new() } else { format!(", and {} more", count - 1) };
    Err(refused(
        message!("{what}: masked at ", role.entry(at), more),
        "replace masked entries (numpy.ma.filled), or leave their rows out",
    ))
}

/// Numbers in C order, borrowed where the array has them so.
pub fn floats<'a, 'py>(
    value: &Bound<'py, PyAny>,
    role: impl Into<Role<'a>>,
) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    floats_warned(value, role, false)
}

/// Like `floats`; `warn` says that an array had to be converted.
pub fn floats_warned<'a, 'py>(
    value: &Bound<'py, PyAny>,
    role: impl Into<Role<'a>>,
    warn: bool,
) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    let (py, role) = (value.py(), role.into());
    let what = role.what;
    let array = any_array(value, role)?;
    let is_taken = array
        .cast::<PyArrayDyn<f64>>()
        .is_ok_and(|array| array.is_c_contiguous() && is_aligned(array));
    let (kind, size) = (array.dtype().kind(), array.dtype().itemsize());
    if !matches!((kind, size), (b'f', ..=8) | (b'i' | b'u', _)) {
        return Err(refused(
            format!("{what} has the type {}", array.dtype()),
            "give real numbers, preferably float64",
        ));
    }
    if kind != b'f' && size == 8 {
        check_exact(&array, role)?;
    }
    if warn && !(is_taken && value.is_instance_of::<PyUntypedArray>()) {
        let category = py.import("subsolid._error")?.getattr("CopyWarning")?;
        let message = format!(
            "{what} is copied, since it is not a C-contiguous float64 array; convert it once by \
             numpy.ascontiguousarray(..., dtype=float)"
        );
        py.import("warnings")?.call_method1("warn", (message, category))?;
    }
    if is_taken {
        return read_only(array.cast()?, what);
    }
    let made = in_order(&array, "float64")?;
    read_only(made.cast::<PyArrayDyn<f64>>()?, what)
}

/// A copy in C order.
fn in_order<'py>(array: &Bound<'py, PyUntypedArray>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(array.py());
    options.set_item("dtype", dtype)?;
    options.set_item("order", "C")?;
    array.py().import("numpy")?.call_method("array", (array,), Some(&options))
}

/// Refuses integers of 64 bits that no float64 is equal to.
fn check_exact(array: &Bound<'_, PyUntypedArray>, role: Role<'_>) -> PyResult<()> {
    fn first<T: Element + Copy + Into<i128>>(
        whole: &Bound<'_, PyAny>,
    ) -> PyResult<Option<(usize, i128)>> {
        let whole = whole.cast::<PyArrayDyn<T>>()?.readonly();
        let numbers = whole.as_slice()?.iter().map(|&x| x.into());
        // a cast back to as many bits would saturate
        Ok(numbers.enumerate().find(|&(_, x): &(usize, i128)| x as f64 as i128 != x))
    }
    let found = match array.dtype().kind() {
        b'i' => first::<i64>(&in_order(array, "int64")?)?,
        _ => first::<u64>(&in_order(array, "uint64")?)?,
    };
    let Some((mut place, number)) = found else { return Ok(()) };
    let what = role.what;
    let mut at = vec![0; array.ndim()];
    for (i, &n) in at.iter_mut().zip(array.shape()).rev() {
        (*i, place) = (place % n, place / n);
    }
    Err(refused(
        message!("{what} holds {number} at ", role.entry(&at), ", which float64 would round"),
        "values are float64, exact for integers up to 2**53: give smaller ones, or split them into \
         two columns (x // 2**32, x % 2**32)",
    ))
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

/// All numbers of an array, which must be in C order.
pub fn slice<'a, T: Element>(array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
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
    // what is beyond int64 would wrap
    let most = i64::from(u32::MAX);
    let capped = match (kind, array.dtype().itemsize()) {
        (b'u', 8) => array.py().import("numpy")?.call_method1("minimum", (&array, most as u64))?,
        _ => array.clone().into_any(),
    };
    let wide = in_order(&capped.cast_into()?, "int64")?;
    let wide = wide.cast::<PyArrayDyn<i64>>()?.readonly();
    let numbers = slice(&wide)?;
    if let Some(at) = numbers.iter().position(|&id| id < least || id >= most) {
        let number = array.call_method1("item", (at,))?;
        let help = if numbers[at] < least {
            "count ids from 0; negative ones do not count from the end"
        } else {
            "count ids from 0 to the number of elements less 1"
        };
        return Err(refused(format!("{what} names {number} at place {at}"), help));
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

/// Numbers that `owner` keeps alive and in place, for Python to read, without a copy.
///
/// # Safety
/// The numbers must stay where they are as long as the owner lives.
pub unsafe fn lent<'py, T: Element, D: Dimension>(
    owner: Bound<'py, PyAny>,
    numbers: &[T],
    shape: impl IntoDimension<Dim = D>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let view = ArrayView::from_shape(shape, numbers).map_err(other_shape)?;
    // SAFETY: as the caller says
    let array = unsafe { PyArray::borrow_from_array(&view, owner) };
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

/// Numbers that `owner` keeps alive and in place, for Python to read and write, without a copy.
///
/// # Safety
/// As for [`lent`]; and whoever uses the array must not write while Rust reads the numbers, nor
/// read while Rust writes.
pub unsafe fn lent_mut<'py, T: Element, D: Dimension>(
    owner: Bound<'py, PyAny>,
    numbers: &mut [T],
    shape: impl IntoDimension<Dim = D>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let view = ArrayViewMut::from_shape(shape, numbers).map_err(other_shape)?;
    // SAFETY: as the caller says
    Ok(unsafe { PyArray::borrow_from_array(&view, owner) })
}

fn other_shape(e: ShapeError) -> PyErr {
    refused(format!("an array of another shape: {e}"), "report this")
}

/// Whether two arrays share memory, whatever objects of Python they are of.
pub fn overlap<A, B>(a: &[A], b: &[B]) -> bool {
    let (a, b) = (a.as_ptr_range(), b.as_ptr_range());
    !a.is_empty() && !b.is_empty() && a.start.addr() < b.end.addr() && b.start.addr() < a.end.addr()
}

/// A dictionary that answers a name that it does not have with those that it has.
pub fn by_name(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    Ok(py.import("subsolid._types")?.getattr("Named")?.call0()?.cast_into()?)
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
