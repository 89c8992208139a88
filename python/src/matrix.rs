//! Stencils and matrices of finite elements as sparse matrices of SciPy.

use std::convert::Infallible;

use pyo3::exceptions::PyModuleNotFoundError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::assembly::Matrix;
use subsolid::memory;
use subsolid::numbers::Csr;
use subsolid::scheme::Stencils;
use subsolid::surface::SingleMatrix;

use crate::arrays::moved;
use crate::errors::refused;
use crate::threads::WithoutLock;

/// `scipy.sparse.csr_matrix` of the rows, with sorted columns.
pub fn csr<'py>(py: Python<'py>, rows: &Stencils, columns: usize) -> PyResult<Bound<'py, PyAny>> {
    let rows = py.work(|| {
        let (ends, ids, weights) = rows.arrays();
        let ends = ends.iter().map(|&end| end as i64).collect();
        CsrRows {
            values: weights.to_vec(),
            ids: ids.iter().map(|&id| i64::from(id)).collect(),
            ends,
        }
    })?;
    let matrix = made(py, rows, columns)?;
    matrix.call_method0("sort_indices")?;
    Ok(matrix)
}

/// `scipy.sparse.csr_matrix` of all levels of a surface.
pub fn product<'py>(
    py: Python<'py>,
    matrix: &SingleMatrix<f64>,
    columns: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = py.work(|| {
        let mut rows = CsrRows::default();
        (0..matrix.len()).map(|row| matrix.row(row)).for_each(|(ids, row)| rows.push(ids, row));
        rows
    })?;
    made(py, rows, columns)
}

/// `scipy.sparse.csr_matrix` of a matrix of finite elements.
pub fn assembled<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyAny>> {
    let rows = py.work(|| {
        let mut rows = CsrRows::default();
        let Ok(()) = matrix.for_each_row(|ids, row| {
            rows.push(ids, row);
            Ok::<(), Infallible>(())
        });
        rows
    })?;
    made(py, rows, matrix.size())
}

/// `scipy.sparse.csr_matrix` of sparse rows, with sorted columns.
pub fn rows<'py>(py: Python<'py>, matrix: &Csr) -> PyResult<Bound<'py, PyAny>> {
    let rows = CsrRows {
        values: matrix.values.clone(),
        ids: matrix.columns.iter().map(|&id| i64::from(id)).collect(),
        ends: matrix.starts[1..].iter().map(|&end| end as i64).collect(),
    };
    made(py, rows, matrix.width)
}

/// Rows in the arrays of SciPy; a row ends where the next one starts.
#[derive(Default)]
struct CsrRows {
    values: Vec<f64>,
    ids: Vec<i64>,
    ends: Vec<i64>,
}

impl CsrRows {
    fn push(&mut self, ids: &[u32], row: &[f64]) {
        self.values.extend_from_slice(row);
        self.ids.extend(ids.iter().map(|&id| i64::from(id)));
        self.ends.push(self.ids.len() as i64);
    }
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
fn made<'py>(py: Python<'py>, rows: CsrRows, columns: usize) -> PyResult<Bound<'py, PyAny>> {
    let CsrRows { values, ids, ends } = rows;
    let (count, entries) = (ends.len(), ids.len());
    let starts: Vec<i64> = std::iter::once(0).chain(ends).collect();
    let parts = (
        moved(py, values, &[entries])?,
        moved(py, ids, &[entries])?,
        moved(py, starts, &[count + 1])?,
    );
    let options = PyDict::new(py);
    options.set_item("shape", (count, columns))?;
    sparse(py)?.call_method("csr_matrix", (parts,), Some(&options))
}
