//! `subsolid locate`

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::backend::start;
use subsolid::jobs::locate::{LocateReport, LocateRequest};
use subsolid::numbers::{counted, significant};
use subsolid::scheme::VertexRule;

use super::model::ModelArguments;
use super::{Console, Outcome};

/// Find the cells and parameters of points in space
///
/// For every point: inside or outside, its cell and (u, v, w), and its distance from
/// the limit there. If several cells share a point, the first is reported. For points outside, the
/// closest place of the solid and the distance to it are reported. Attributes are evaluated at
/// that place.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid locate model.mesh --points points.csv -o places.csv
  subsolid locate model.mesh --points points.csv --json")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first; cells are then those of the refined mesh
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    #[command(flatten)]
    request: LocateRequest,
    /// Table to write: .csv with x,y,z,status,cell,u,v,w,distance and attributes, and corner after
    /// cell if the model has cells other than hexahedra
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the model's file.
    model: String,
    #[serde(flatten)]
    located: LocateReport,
    /// Name of the file written.
    output: Option<String>,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, levels, request, output } = arguments;
    let output = output.as_deref();
    model.check_table(&request.points)?;
    if let Some(output) = output {
        LocateRequest::check_output(output)?;
        model.check_no_input(output, &[&request.points])?;
    }
    let _starting = start(request.backend)?;
    let mut notes = console.notes();
    let table = request.open(&mut notes)?;
    let mesh = model.load(levels, VertexRule::default(), console)?;
    let solid = model.analyze(&mesh, console)?;
    let start = Instant::now();
    let located = request.run((&mesh, &solid), table, output, &mut notes)?;
    if let Some(output) = output {
        console.wrote(output.display(), counted(located.points, "point"), start);
    }
    let name = |path: &std::path::Path| path.display().to_string();
    let report = Report { model: name(&model.model), located, output: output.map(name) };
    console.report(&report, || {
        format!(
            "{}: {} inside, at most {:.1e} from the limit; {} outside, at most {} away",
            counted(located.points, "point"),
            located.inside,
            located.largest_residual,
            located.outside,
            significant(located.largest_distance)
        )
    })?;
    Ok(Outcome::Done)
}
