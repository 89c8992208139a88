//! Numbers of things from Python: what is negative or too large is an `Error`, as other wrong
//! values are, and not the `OverflowError` of a conversion. Booleans are no numbers.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors::refused;

/// What an argument may be: a number, or one or `None`.
pub trait CountArgument: Sized {
    /// The argument `name`, of which `range` says what it may be.
    fn of(value: &Bound<'_, PyAny>, name: &str, range: &str) -> PyResult<Self>;
}

impl CountArgument for usize {
    fn of(value: &Bound<'_, PyAny>, name: &str, range: &str) -> PyResult<Self> {
        let wrong = || refused(format!("{name}={value}"), &format!("give a whole number {range}"));
        if value.is_instance_of::<PyBool>() {
            return Err(wrong());
        }
        value.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(value.py()) { wrong() } else { error }
        })
    }
}

impl CountArgument for Option<usize> {
    fn of(value: &Bound<'_, PyAny>, name: &str, range: &str) -> PyResult<Self> {
        if value.is_none() { Ok(None) } else { usize::of(value, name, range).map(Some) }
    }
}

/// Readers of the arguments of these names and ranges, for `from_py_with`.
macro_rules! counts {
    ($($name:ident $range:literal)*) => {$(
        pub fn $name<T: CountArgument>(value: &Bound<'_, PyAny>) -> PyResult<T> {
            T::of(value, stringify!($name), $range)
        }
    )*};
}

counts! {
    bits "8 or 16"
    count "from 0 on"
    derivatives "from 0 to 2"
    fineness "from 2 to 32"
    gauss "from 1 to 32"
    interior_rings "from 0 to 8"
    levels "from 0 on"
    max_points "from 1 on"
    order "from 1 to 10"
    per_cell "from 1 to 1000"
    planes "from 1 on"
    results "from 1 on"
    repeats "from 1 to 10000"
    rings "from 0 on"
    samples "from 1 to 64"
    sizes "from 0 on"
    steps "from 0 on"
    sweeps "from 0 on"
    threads "from 1 on"
}
