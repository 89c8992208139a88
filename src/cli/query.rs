//! `subsolid query`

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use subsolid::Result;
use subsolid::io::ControlMesh;
use subsolid::jobs::query::{QueryCount, QueryReport, QueryRequest, QueryRow};
use subsolid::numbers::counted;
use subsolid::query::{Query, QueryStrategy, topology};

use super::Outcome;
use super::console::Console;
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
    #[command(flatten)]
    request: QueryRequest,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, request } = arguments;
    let query = open(ModelArguments::new(model), request.strategy, console)?;
    let report = request.run(&query)?;
    console.report(&report, || text(&report))?;
    Ok(Outcome::Done)
}

fn open(model: ModelArguments, strategy: QueryStrategy, console: &Console) -> Result<Query> {
    match model.open(console)? {
        ControlMesh::Surface(mesh) => {
            console.during("Ordering", || Query::of_surface(&mesh, strategy))
        }
        ControlMesh::Solid(mesh) => {
            model.check_hexahedra(&mesh, console)?;
            let topology = topology(&mesh)?;
            model.check_turned(&topology, console)?;
            console.during("Ordering", || Query::of_topology(&mesh, &topology, strategy))
        }
    }
}

fn text(report: &QueryReport) -> String {
    let mut text = String::new();
    for QueryRow { id, row, closed } in &report.rows {
        let row: Vec<String> = row.iter().map(u32::to_string).collect();
        let shape = match closed {
            Some(true) => " (ring)",
            Some(false) => " (fan)",
            None => "",
        };
        let _ = writeln!(text, "{id}{shape}: {}", row.join(" "));
    }
    if report.rows.is_empty() {
        let QueryReport { vertices, edges, faces, cells, .. } = report;
        let _ = writeln!(text, "vertices {vertices}\nedges {edges}\nfaces {faces}\ncells {cells}");
        for QueryCount { op, entries, least, most } in &report.counts {
            let entries = counted(*entries, "entry");
            let _ = writeln!(text, "{op} {entries}, {least} to {most} a row");
        }
    }
    text
}
