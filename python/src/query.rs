//! Neighbors as rows of ids.

use pyo3::prelude::*;
use subsolid::jobs::query::{QueryRequest, QueryRows};
use subsolid::query::{Op, Query, QueryStrategy};

use crate::arrays::{dictionary, moved, plain_ids};
use crate::errors::IntoPython;
use crate::request::named;
use crate::threads::WithoutLock;

/// What is asked for.
pub fn request(
    op: Option<&str>,
    of: Option<&Bound<'_, PyAny>>,
    rings: Option<usize>,
    oriented: bool,
    strategy: &str,
) -> PyResult<QueryRequest> {
    let of = of.map(|of| Ok::<_, PyErr>(plain_ids(of, "\"of\"")?.0)).transpose()?;
    let op = op.map(|op| op.parse::<Op>().py()).transpose()?;
    let request = QueryRequest { op, of, rings, oriented, strategy: named("strategy", strategy)? };
    request.check().py()?;
    Ok(request)
}

/// Offsets and ids of rows, and of oriented ones whether they go all the way around; counts as a
/// dictionary where no query is named.
pub fn answer<'py>(
    py: Python<'py>,
    request: &QueryRequest,
    query: impl FnOnce(QueryStrategy) -> subsolid::Result<Query> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(op) = request.op else {
        let report = py.work(|| request.run(&query(request.strategy)?)).py()?;
        return dictionary(py, &report);
    };
    let QueryRows { offsets, ids, closed } =
        py.work(|| request.rows(&query(request.strategy)?, op)).py()?;
    let counts = [offsets.len(), ids.len(), closed.len()];
    let (offsets, ids) = (moved(py, offsets, &counts[..1])?, moved(py, ids, &counts[1..2])?);
    if !request.oriented {
        return Ok((offsets, ids).into_pyobject(py)?.into_any());
    }
    Ok((offsets, ids, moved(py, closed, &counts[2..])?).into_pyobject(py)?.into_any())
}
