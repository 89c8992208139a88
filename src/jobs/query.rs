//! Lists incident and adjacent elements of a mesh.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, option, option_name};
use crate::memory;
use crate::query::{NeighborOrder, Op, Query, QueryStrategy};
use crate::topology::order::EntityKind;

/// What is asked of neighbors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct QueryRequest {
    /// Query, by the first letters of two kinds of elements, as listed above [default: all]
    #[cfg_attr(feature = "cli", arg(long, value_name = "OP"))]
    pub op: Option<Op>,
    /// Ids of the elements to query [default: counts over all]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "IDS", value_delimiter = ',', requires = "op")
    )]
    pub of: Option<Vec<u32>>,
    /// Vertices up to K edges away (VV)
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "K", requires = "of", conflicts_with = "oriented")
    )]
    pub rings: Option<usize>,
    /// In cyclic order: VE, VF of surfaces; EF, EC of solids
    #[cfg_attr(feature = "cli", arg(long, requires = "of"))]
    pub oriented: bool,
    /// How rows are found; the answers are the same
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub strategy: QueryStrategy,
}

/// Numbers of elements and neighbors of a mesh, and the neighbors of some elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct QueryReport {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of faces.
    pub faces: usize,
    /// Number of cells; 0 for a surface.
    pub cells: usize,
    /// Sizes of all queries, without `--of`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<QueryCount>,
    /// Name of the query, such as `VC`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// Rows of the elements of `--of`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<QueryRow>,
}

/// Size of a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "Count"))]
pub struct QueryCount {
    /// Name of the query, such as `VC`.
    pub op: String,
    /// Total length of all rows.
    pub entries: usize,
    /// Length of the shortest row.
    pub least: usize,
    /// Length of the longest row.
    pub most: usize,
}

/// Neighbors of an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "Row"))]
pub struct QueryRow {
    /// Id of the element.
    pub id: u32,
    /// Ids of its neighbors.
    pub row: Vec<u32>,
    /// Whether the neighbors form a closed ring, with `--oriented`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<bool>,
}

/// Neighbors of many elements, one row each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryRows {
    /// Row r is `ids[offsets[r]..offsets[r + 1]]`.
    pub offsets: Vec<i64>,
    /// Ids of the neighbors.
    pub ids: Vec<i64>,
    /// \[row\]: whether the neighbors form a closed ring; empty unless in cyclic order.
    pub closed: Vec<bool>,
}

impl QueryRequest {
    /// Checks the options by themselves, and returns how neighbors are listed.
    ///
    /// # Errors
    /// [`Error::Request`] for rings in cyclic order, and for elements without a query.
    pub fn check(&self) -> Result<NeighborOrder> {
        if self.op.is_none() && (self.of.is_some() || self.rings.is_some() || self.oriented) {
            return Err(Error::request("elements or an order of them, but no query")
                .with_help(message!("give a query, for instance ", option("op", "VC"))));
        }
        match (self.rings, self.oriented) {
            (Some(_), true) => Err(Error::request(message!(
                option_name("rings"),
                " together with ",
                option("oriented", true)
            ))
            .with_help("give one of them")),
            (Some(k), false) => Ok(NeighborOrder::Rings(k)),
            (None, true) => Ok(NeighborOrder::Oriented),
            (None, false) => Ok(NeighborOrder::Ascending),
        }
    }

    /// Counts elements and neighbors, or lists the neighbors of some elements.
    ///
    /// # Errors
    /// [`Error::Request`] for rings in cyclic order, an element or a query that the mesh lacks, and
    /// a fan around an element that has none.
    pub fn run(&self, query: &Query) -> Result<QueryReport> {
        let listing = self.check()?;
        let [vertices, edges, faces, cells] = EntityKind::ALL.map(|kind| query.count(kind));
        let op = self.op.map(|op| op.to_string());
        let (mut counts, mut rows) = (Vec::new(), Vec::new());
        match (self.op, &self.of) {
            (Some(op), Some(of)) => {
                for &id in of {
                    let found = query.neighbors(op, id, listing)?;
                    rows.push(QueryRow { id, row: found.ids, closed: found.closed });
                }
            }
            (Some(op), None) => counts.push(QueryCount::of(query, op)?),
            (None, _) => {
                for &op in query.ops() {
                    counts.push(QueryCount::of(query, op)?);
                }
            }
        }
        Ok(QueryReport { vertices, edges, faces, cells, counts, op, rows })
    }

    /// The neighbors of elements as arrays; of all elements unless some are named.
    ///
    /// # Errors
    /// As [`QueryRequest::run`]; [`Error::Request`] for rows that would fill the memory.
    pub fn rows(&self, query: &Query, op: Op) -> Result<QueryRows> {
        let listing = self.check()?;
        // rows of other strategies have another order
        let is_stored = self.strategy == QueryStrategy::Unordered;
        if is_stored && self.of.is_none() && listing == NeighborOrder::Ascending {
            let stored = query.rows(op)?;
            let mut rows = QueryRows::with_capacity(stored.items().len());
            stored.iter().for_each(|row| rows.push(row));
            return Ok(rows);
        }
        let mut rows = QueryRows::with_capacity(0);
        let mut add = |id| {
            let found = query.neighbors(op, id, listing)?;
            rows.reserve(found.ids.len())?;
            rows.push(&found.ids);
            rows.closed.extend(found.closed);
            Ok(())
        };
        match &self.of {
            Some(of) => of.iter().try_for_each(|&id| add(id))?,
            None => (0..query.count(op.from()) as u32).try_for_each(add)?,
        }
        Ok(rows)
    }
}

impl QueryCount {
    fn of(query: &Query, op: Op) -> Result<Self> {
        let rows = query.rows(op)?;
        let lengths = || rows.iter().map(<[u32]>::len);
        Ok(Self {
            op: op.to_string(),
            entries: rows.items().len(),
            least: lengths().min().unwrap_or(0),
            most: lengths().max().unwrap_or(0),
        })
    }
}

impl QueryRows {
    fn with_capacity(ids: usize) -> Self {
        Self { offsets: vec![0], ids: Vec::with_capacity(ids), closed: Vec::new() }
    }

    fn push(&mut self, row: &[u32]) {
        self.ids.extend(row.iter().map(|&id| i64::from(id)));
        self.offsets.push(self.ids.len() as i64);
    }

    /// Room for `more` ids more, unless they would fill the memory.
    fn reserve(&mut self, more: usize) -> Result<()> {
        let count = self.ids.len() + more;
        if count <= self.ids.capacity() {
            return Ok(());
        }
        let larger = count.max(2 * self.ids.capacity());
        // while it moves, the old memory stands beside the new
        let need = (self.ids.capacity() + larger) as u128 * size_of::<i64>() as u128;
        memory::check_half(format!("rows of more than {} ids need", self.ids.len()), need, |_| {
            message!(
                "ask for fewer rings, or give ",
                option_name("of"),
                " to ask for the rows of some elements after others"
            )
        })?;
        self.ids.reserve_exact(larger - self.ids.len());
        Ok(())
    }
}
