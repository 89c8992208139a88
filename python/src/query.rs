//! Neighbors as rows of ids.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use subsolid::query::{Op, Query};

use crate::arrays::moved;
use crate::errors::IntoPython;
use crate::threads::Work;

/// Offsets and ids of the rows of `op`.
pub fn rows<'py>(
    py: Python<'py>,
    op: &str,
    query: impl FnOnce() -> subsolid::Result<Query> + Send,
) -> PyResult<Bound<'py, PyTuple>> {
    let op: Op = op.parse().py()?;
    let (offsets, ids) = py
        .work(|| -> subsolid::Result<_> {
            let query = query()?;
            let rows = query.rows(op)?;
            let mut offsets = vec![0_i64];
            let mut ids: Vec<i64> = Vec::with_capacity(rows.items().len());
            for row in rows.iter() {
                ids.extend(row.iter().map(|&id| i64::from(id)));
                offsets.push(ids.len() as i64);
            }
            Ok((offsets, ids))
        })
        .py()?;
    let counts = [offsets.len(), ids.len()];
    (moved(py, offsets, &counts[..1])?, moved(py, ids, &counts[1..])?).into_pyobject(py)
}
