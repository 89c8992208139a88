//! `subsolid extract`

use std::path::PathBuf;

use clap::Args;
use subsolid::Result;
use subsolid::jobs::extract::ExtractRequest;
use subsolid::scheme::VertexRule;

use super::model::ModelArguments;
use super::{Console, Outcome};

/// Write Bézier extraction operators
///
/// The limit on a regular cell is one tricubic Bézier piece; toward an extraordinary
/// edge or vertex it consists of rings of exact pieces and a last one that interpolates it. A
/// piece's operator maps control points to its 64 Bézier points. Bézier cells for
/// ParaView are written by `subsolid evaluate --cells bezier`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid extract model.mesh -o operators.npz
  subsolid extract model.mesh --rings 4 --refined-points -o compact.npz
  subsolid extract model.mesh --rings 2 -o model.bext")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    #[command(flatten)]
    request: ExtractRequest,
    /// File to write: .npz, or .bext (Bézier extraction text, version 2.0)
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, levels, request, output } = &arguments;
    request.check(output)?;
    model.check_no_input(output, &[])?;
    let mesh = model.load(*levels, VertexRule::default(), console)?;
    let mut notes = console.notes();
    request.check_mesh(&mesh, output, &mut notes)?;
    let solid = model.analyze(&mesh, console)?;
    let report = request.run(&mesh, &solid, output, &mut notes)?;
    console.report_json(&report)?;
    Ok(Outcome::Done)
}
