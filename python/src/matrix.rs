//! Stencils as sparse matrices of SciPy.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::scheme::Stencils;

use crate::arrays::moved;
use crate::errors::refused;

/// `scipy.sparse.csr_matrix` of the rows, with sorted columns.
pub fn csr<'py>(py: Python<'py>, rows: &Stencils, columns: usize) -> PyResult<Bound<'py, PyAny>> {
    let (ends, ids, weights) = rows.arrays();
    let starts: Vec<i64> = std::iter::once(0).chain(ends.iter().map(|&end| end as i64)).collect();
    let ids: Vec<i64> = ids.iter().map(|&id| i64::from(id)).collect();
    let (count, entries) = (starts.len(), ids.len());
    let sparse = py
        .import("scipy.sparse")
        .map_err(|_| refused("sparse matrices need SciPy", "install it: pip install scipy"))?;
    let parts = (
        moved(py, weights.to_vec(), &[entries])?,
        moved(py, ids, &[entries])?,
        moved(py, starts, &[count])?,
    );
    let options = PyDict::new(py);
    options.set_item("shape", (rows.len(), columns))?;
    let matrix = sparse.call_method("csr_matrix", (parts,), Some(&options))?;
    matrix.call_method0("sort_indices")?;
    Ok(matrix)
}
