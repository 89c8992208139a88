//! `subsolid info`

use std::fmt::Write;

use clap::Args;
use subsolid::Result;
use subsolid::io::ControlMesh;
use subsolid::jobs::info::{
    InfoReport, InfoRequest, InfoRows, evaluation_rows, solid_rows, surface_rows,
};
use subsolid::scheme::VertexRule;

use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::unused::refuse_for_solids;
use super::wording::words;
use super::{Console, Outcome};

/// Describe the control mesh of a solid or a surface: counts, data, valences, classes of cells
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(after_help = "\
Examples:
  subsolid info model.mesh
  subsolid info model.mesh --levels 1 --crease-angle 40
  subsolid info skin.obj
  subsolid info model.mesh --report model.html
  subsolid info model.mesh --verbose --json | jq .kernels")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    #[command(flatten)]
    request: InfoRequest,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, levels, request } = &arguments;
    request.check()?;
    if let Some(path) = &request.report {
        model.check_no_input(path, &[])?;
    }
    let title = &*model.model.file_name().unwrap_or_default().to_string_lossy();
    let mut notes = console.notes();
    let mesh = match model.open(console)? {
        ControlMesh::Surface(mesh) => {
            refuse_for_solids(&[(*levels > 0, "--levels")])?;
            request.check_surface()?;
            refuse_for_solids(&model.of_solids())?;
            let summary = request.run_surface(&mesh, title, &mut notes)?;
            console.report(&summary, || aligned(surface_rows(&summary)))?;
            return Ok(Outcome::Done);
        }
        ControlMesh::Solid(mesh) => mesh,
    };
    let mesh = model.prepare(mesh, *levels, VertexRule::default(), console)?;
    let topology = model.topology(&mesh, console)?;
    let info = request.run(&mesh, topology, title, &mut notes)?;
    console.report(&info, || text(&info))?;
    if *levels == 0 {
        console.hint(|| info.limit_from_vertices?.notice(&mesh));
    }
    Ok(Outcome::Done)
}

fn text(info: &InfoReport) -> String {
    let mut rows = solid_rows(info);
    let evaluation = info.summary.evaluation.iter();
    rows.extend(evaluation.flat_map(|summary| evaluation_rows(summary, words)));
    aligned(rows)
}

/// Names and what belongs to them in two columns.
fn aligned(rows: InfoRows) -> String {
    let mut text = String::new();
    for [name, value] in rows {
        let _ = write!(text, "{name:<20} ");
        for c in value.chars() {
            // names come from files: a terminal would act on some characters
            if c.is_control() {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        text.push('\n');
    }
    text
}
