//! `subsolid merge`

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::jobs::merge::{MergeReport, MergeRequest};

use super::{Console, Outcome};

/// Join the parts written with --pieces
///
/// Checks that all parts were made from the same model with the same options and that they are
/// complete. Writes the .pvtu that names the pieces of `subsolid evaluate` and
/// `subsolid quadrature`; moves the layers of `subsolid slice` into their directory.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid evaluate model.mesh --samples 8 --pieces 1/2 -o limit.pvtu
  subsolid evaluate model.mesh --samples 8 --pieces 2/2 -o limit.pvtu
  subsolid merge limit.pvtu
  subsolid merge layers")]
pub struct Arguments {
    #[command(flatten)]
    request: MergeRequest,
}

#[derive(Serialize, JsonSchema)]
pub struct Report<M> {
    /// File or directory written.
    output: String,
    #[serde(flatten)]
    merged: M,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let request = arguments.request;
    let merged = request.run(&mut console.notes())?;
    let output = request.output.display().to_string();
    match merged {
        MergeReport::Pieces(merged) => console.report_json(&Report { output, merged })?,
        MergeReport::Layers(merged) => console.report_json(&Report { output, merged })?,
    }
    Ok(Outcome::Done)
}
