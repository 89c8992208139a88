//! `subsolid merge`

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::numbers::counted;
use subsolid::{Result, io, slice};

use super::json::JsonReport;
use super::output::check_ending;
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
    /// The .pvtu to write, whose pieces lie in the directory of the same name, or the directory of
    /// layers
    output: PathBuf,
}

#[derive(Serialize, JsonSchema)]
pub struct Report<M> {
    /// File or directory written.
    output: String,
    #[serde(flatten)]
    merged: M,
}

impl JsonReport for Report<io::Merged> {
    const SCHEMA: &'static str = "subsolid.merge/1";
}

impl JsonReport for Report<slice::MergedLayers> {
    const SCHEMA: &'static str = "subsolid.merge-layers/1";
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let output = &arguments.output;
    let start = Instant::now();
    if slice::are_layers(output) {
        let merged = slice::merge_layers(output)?;
        let (layers, jobs) = (counted(merged.layers, "layer"), counted(merged.jobs, "job"));
        console.wrote(output.display(), format!("{layers} of {jobs}"), start);
        console.report_json(&Report { output: output.display().to_string(), merged })?;
        return Ok(Outcome::Done);
    }
    check_ending(output, &["pvtu"], "is not a .pvtu, nor a directory of layers")?;
    io::check_output(output)?;
    let merged = io::merge(output)?;
    let (pieces, jobs) = (counted(merged.pieces, "piece"), counted(merged.jobs, "job"));
    console.wrote(output.display(), format!("{pieces} of {jobs}"), start);
    console.report_json(&Report { output: output.display().to_string(), merged })?;
    Ok(Outcome::Done)
}
