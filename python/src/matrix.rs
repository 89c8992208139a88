//! Stencils and matrices of finite elements as sparse matrices of SciPy.

use std::convert::Infallible;

use pyo3::exceptions::PyModuleNotFoundError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::assembly::Matrix;
use subsolid::memory;
use subsolid::scheme::Stencils;

use crate::arrays::moved;
use crate::errors::refused;
use crate::threads::WithoutLock;

/// `scipy.sparse.csr_matrix` of the rows, with sorted columns.
pub fn csr<'py>(py: Python<'py>, rows: &Stencils, columns: usize) -> PyResult<Bound<'py, PyAny>> {
    let (values, ids, starts) = py.work(|| {
        let (ends, ids, weights) = rows.arrays();
        let starts = std::iter::once(0).chain(ends.iter().map(|&end| end as i64)).collect();
        let ids = ids.iter().map(|&id| i64::from(id)).collect();
        (weights.to_vec(), ids, starts)
    })?;
    let matrix = made(py, values, ids, starts, columns)?;
    matrix.call_method0("sort_indices")?;
    Ok(matrix)
}

/// `scipy.sparse.csr_matrix` of a matrix of finite elements.
pub fn assembled<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyAny>> {
    let (values, ids, starts) = py.work(|| {
        let mut values = Vec::with_capacity(matrix.len());
        let mut ids = Vec::with_capacity(matrix.len());
        let mut starts = vec![0];
        let Ok(()) = matrix.for_each_row(|columns, row| {
            values.extend_from_slice(row);
            ids.extend(columns.iter().map(|&column| i64::from(column)));
            starts.push(ids.len() as i64);
            Ok::<(), Infallible>(())
        });
        (values, ids, starts)
    })?;
    made(py, values, ids, starts, matrix.size())
}

/// Refuses `rows` rows of basis functions that would fill the memory.
pub fn check_rows(rows: usize) -> subsolid::Result<()> {
    // 64 weights and ids on a regular cell, in the library's form and in SciPy's
    let need = rows as u128 * 64 * (12 + 16);
    memory::check_half(format!("a matrix of {rows} rows needs"), need, |_| {
        "ask for fewer samples, or for the matrix of some cells after others".into()
    })
}

/// The module `scipy.sparse`.
pub fn sparse(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("scipy.sparse").map_err(|error| {
        // a SciPy that is there and fails says why itself
        let is_missing = error.is_instance_of::<PyModuleNotFoundError>(py)
            && error.value(py).getattr("name").is_ok_and(|name| {
                name.extract::<String>().is_ok_and(|name| name.split('.').next() == Some("scipy"))
            });
        if is_missing {
            refused("sparse matrices need SciPy", "install it: pip install scipy")
        } else {
            error
        }
    })
}

/// Of values, columns and starts of rows.
fn made<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    ids: Vec<i64>,
    starts: Vec<i64>,
    columns: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (count, entries) = (starts.len(), ids.len());
    let parts =
        (moved(py, values, &[entries])?, moved(py, ids, &[entries])?, moved(py, starts, &[count])?);
    let options = PyDict::new(py);
    options.set_item("shape", (count - 1, columns))?;
    sparse(py)?.call_method("csr_matrix", (parts,), Some(&options))
}
