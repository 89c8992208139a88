//! Numbers of things from Python: what is negative or too large is an `Error`, as other wrong values
//! are, and not the `OverflowError` of a conversion.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use crate::errors::refused;

/// What an argument may be: a number, or one or `None`.
pub trait Count: Sized {
    /// The argument `name`.
    fn of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self>;
}

impl Count for usize {
    fn of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        value.extract().map_err(|error: PyErr| {
            match error.is_instance_of::<PyOverflowError>(value.py()) {
                true => {
                    refused(format!("{name}={value}"), "give a whole number from 0 to 2**64 - 1")
                }
                false => error,
            }
        })
    }
}

impl Count for Option<usize> {
    fn of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        if value.is_none() { Ok(None) } else { usize::of(value, name).map(Some) }
    }
}

/// Readers of the arguments of these names, for `from_py_with`.
macro_rules! counts {
    ($($name:ident)*) => {$(
        pub fn $name<T: Count>(value: &Bound<'_, PyAny>) -> PyResult<T> {
            T::of(value, stringify!($name))
        }
    )*};
}

counts! { count derivatives gauss levels max_points planes results rings samples steps sweeps threads }
