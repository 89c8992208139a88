//! Neighbors as rows of ids.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use subsolid::memory;
use subsolid::query::{Listing, Op, Query, QueryStrategy};

use crate::arrays::{moved, plain_ids};
use crate::errors::{IntoPython, refused};
use crate::request::named;
use crate::threads::WithoutLock;

/// Which neighbors are asked for.
pub struct QueryRequest {
    op: Op,
    of: Option<Vec<u32>>,
    listing: Listing,
    pub strategy: QueryStrategy,
}

impl QueryRequest {
    pub fn new(
        op: &str,
        of: Option<&Bound<'_, PyAny>>,
        rings: Option<usize>,
        oriented: bool,
        strategy: &str,
    ) -> PyResult<Self> {
        let listing = match (rings, oriented) {
            (Some(_), true) => {
                return Err(refused("rings together with oriented=True", "give one of them"));
            }
            (Some(k), false) => Listing::Rings(k),
            (None, true) => Listing::Oriented,
            (None, false) => Listing::Ascending,
        };
        let of = of.map(|of| Ok::<_, PyErr>(plain_ids(of, "\"of\"")?.0)).transpose()?;
        let strategy = named("strategy", strategy)?;
        Ok(Self { op: op.parse::<Op>().py()?, of, listing, strategy })
    }

    /// Whether the stored rows are the answer: those of other strategies have another order.
    fn is_all(&self) -> bool {
        let is_stored = self.strategy == QueryStrategy::Unordered;
        is_stored && self.of.is_none() && self.listing == Listing::Ascending
    }
}

/// Room for `more` ids more, unless they would fill the memory.
fn reserve(ids: &mut Vec<i64>, more: usize) -> subsolid::Result<()> {
    let count = ids.len() + more;
    if count <= ids.capacity() {
        return Ok(());
    }
    let larger = count.max(2 * ids.capacity());
    // while it moves, the old memory stands beside the new
    let need = (ids.capacity() + larger) as u128 * size_of::<i64>() as u128;
    memory::check_half(format!("rows of more than {} ids need", ids.len()), need, |_| {
        "ask for fewer rings, or for the rows of some elements after others (of=...)".into()
    })?;
    ids.reserve_exact(larger - ids.len());
    Ok(())
}

/// Offsets and ids of rows, and of oriented ones whether they go all the way around.
pub fn answer<'py>(
    py: Python<'py>,
    asked: &QueryRequest,
    query: impl FnOnce() -> subsolid::Result<Query> + Send,
) -> PyResult<Bound<'py, PyTuple>> {
    if asked.is_all() {
        return rows(py, asked.op, query);
    }
    let work = || -> subsolid::Result<_> {
        let query = query()?;
        let all = 0..query.count(asked.op.from()) as u32;
        let of = asked.of.clone().unwrap_or_else(|| all.collect());
        let (mut offsets, mut ids, mut closed) = (vec![0_i64], Vec::new(), Vec::new());
        for id in of {
            let row = query.neighbors(asked.op, id, asked.listing)?;
            reserve(&mut ids, row.ids.len())?;
            ids.extend(row.ids.into_iter().map(i64::from));
            offsets.push(ids.len() as i64);
            closed.extend(row.closed);
        }
        Ok((offsets, ids, closed))
    };
    let (offsets, ids, closed) = py.work(work).py()?;
    let counts = [offsets.len(), ids.len(), closed.len()];
    let (offsets, ids) = (moved(py, offsets, &counts[..1])?, moved(py, ids, &counts[1..2])?);
    match asked.listing {
        Listing::Oriented => (offsets, ids, moved(py, closed, &counts[2..])?).into_pyobject(py),
        _ => (offsets, ids).into_pyobject(py),
    }
}

/// Offsets and ids of the rows of all elements.
fn rows<'py>(
    py: Python<'py>,
    op: Op,
    query: impl FnOnce() -> subsolid::Result<Query> + Send,
) -> PyResult<Bound<'py, PyTuple>> {
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
