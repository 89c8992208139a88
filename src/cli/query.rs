//! `subsolid query`

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::io::ControlMesh;
use subsolid::numbers::counted;
use subsolid::query::{Listing, Neighbors, Op, Query, QueryStrategy, topology};
use subsolid::topology::order::EntityKind;

use super::Outcome;
use super::console::Console;
use super::json::JsonReport;
use super::model::{ModelArguments, SOLID_OR_SURFACE};

/// List incident and adjacent vertices, edges, faces and cells
///
/// VC: cells at a vertex, EV: vertices of an edge, VV: vertices that edges join to a vertex,
/// EE: edges that share a vertex, FF: faces that share an edge, CC: cells that share a face,
/// and so on. Surfaces: VV VE VF EV EE EF FV FE FF. Solids: VV VE VF VC EV EF EC FV FE FC CV CE
/// CF CC. Edges, and faces of solids, are numbered by their sorted vertices; other elements as
/// in the file. Rows are in ascending order, unless --oriented is given. Without --of, counts.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid query part.vtk
  subsolid query part.vtk --op VC --of 17,42
  subsolid query part.vtk --op EC --of 17 --oriented
  subsolid query skin.obj --op VV --of 17 --rings 3 --json")]
pub struct Arguments {
    #[arg(help = SOLID_OR_SURFACE)]
    model: PathBuf,
    /// Query, by the first letters of two kinds of elements, as listed above [default: all]
    #[arg(long, value_name = "OP")]
    op: Option<Op>,
    /// Ids of the elements to query [default: counts over all]
    #[arg(long, value_name = "IDS", value_delimiter = ',', requires = "op")]
    of: Vec<u32>,
    /// Vertices up to K edges away (VV)
    #[arg(long, value_name = "K", requires = "of", conflicts_with = "oriented")]
    rings: Option<usize>,
    /// In cyclic order: VE, VF of surfaces; EF, EC of solids
    #[arg(long, requires = "of")]
    oriented: bool,
    /// How rows are found; the answers are the same
    #[arg(long, value_enum, default_value_t)]
    strategy: QueryStrategy,
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Number of vertices.
    vertices: usize,
    /// Number of edges.
    edges: usize,
    /// Number of faces.
    faces: usize,
    /// Number of cells; 0 for a surface.
    cells: usize,
    /// Sizes of all queries, without `--of`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counts: Vec<Count>,
    /// Name of the query, such as `VC`.
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<String>,
    /// Rows of the elements of `--of`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rows: Vec<Row>,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.query/1";
}

#[derive(Serialize, JsonSchema)]
struct Count {
    /// Name of the query, such as `VC`.
    op: String,
    /// Total length of all rows.
    entries: usize,
    /// Length of the shortest row.
    least: usize,
    /// Length of the longest row.
    most: usize,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    /// Id of the element.
    id: u32,
    /// Ids of its neighbors.
    row: Vec<u32>,
    /// Whether the neighbors form a closed ring, with `--oriented`.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed: Option<bool>,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let query = open(&arguments, console)?;
    let mut rows = Vec::new();
    let mut counts = Vec::new();
    if arguments.of.is_empty() {
        for op in arguments.op.map_or_else(|| query.ops().to_vec(), |op| vec![op]) {
            counts.push(count(&query, op)?);
        }
    } else if let Some(op) = arguments.op {
        rows = arguments
            .of
            .iter()
            .map(|&id| row(&query, op, id, &arguments))
            .collect::<Result<_>>()?;
    }
    let [vertices, edges, faces, cells] = EntityKind::ALL.map(|kind| query.count(kind));
    let op = arguments.op.map(|op| op.to_string());
    let report = Report { vertices, edges, faces, cells, counts, op, rows };
    console.report(&report, || text(&report))?;
    Ok(Outcome::Done)
}

fn open(arguments: &Arguments, console: &Console) -> Result<Query> {
    let model = ModelArguments::new(arguments.model.clone());
    match model.open(console)? {
        ControlMesh::Surface(mesh) => {
            console.during("Ordering", || Query::of_surface(&mesh, arguments.strategy))
        }
        ControlMesh::Solid(mesh) => {
            model.check_hexahedra(&mesh, console)?;
            let topology = topology(&mesh)?;
            model.check_turned(&topology, console)?;
            console.during("Ordering", || Query::of_topology(&mesh, &topology, arguments.strategy))
        }
    }
}

fn row(query: &Query, op: Op, id: u32, arguments: &Arguments) -> Result<Row> {
    let listing = match (arguments.rings, arguments.oriented) {
        (Some(k), _) => Listing::Rings(k),
        (None, true) => Listing::Oriented,
        (None, false) => Listing::Ascending,
    };
    let Neighbors { ids, closed } = query.neighbors(op, id, listing)?;
    Ok(Row { id, row: ids, closed })
}

fn count(query: &Query, op: Op) -> Result<Count> {
    let rows = query.rows(op)?;
    let lengths = || rows.iter().map(<[u32]>::len);
    Ok(Count {
        op: op.to_string(),
        entries: rows.items().len(),
        least: lengths().min().unwrap_or(0),
        most: lengths().max().unwrap_or(0),
    })
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    for Row { id, row, closed } in &report.rows {
        let row: Vec<String> = row.iter().map(u32::to_string).collect();
        let shape = match closed {
            Some(true) => " (ring)",
            Some(false) => " (fan)",
            None => "",
        };
        let _ = writeln!(text, "{id}{shape}: {}", row.join(" "));
    }
    if report.rows.is_empty() {
        let Report { vertices, edges, faces, cells, .. } = report;
        let _ = writeln!(text, "vertices {vertices}\nedges {edges}\nfaces {faces}\ncells {cells}");
        for Count { op, entries, least, most } in &report.counts {
            let entries = counted(*entries, "entry");
            let _ = writeln!(text, "{op} {entries}, {least} to {most} a row");
        }
    }
    text
}
