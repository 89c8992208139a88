//! `subsolid merge`

use std::path::PathBuf;

use clap::Args;
use subsolid::numbers::counted;
use subsolid::{Result, io, slice};

use super::json::JsonReport;
use super::{Console, Outcome};

/// Join the parts written with --pieces
///
/// Checks that all parts were made from the same model with the same options and that they are
/// complete. Writes the .pvtu that names the pieces of `evaluate` and `quadrature`; moves the
/// layers of `slice` into their directory.
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

impl JsonReport for io::Merged {
    const SCHEMA: &'static str = "subsolid.merge/1";
}

impl JsonReport for slice::MergedLayers {
    const SCHEMA: &'static str = "subsolid.merge-layers/1";
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let output = &arguments.output;
    if slice::are_layers(output) {
        let merged = slice::merge_layers(output)?;
        let (layers, jobs) = (counted(merged.layers, "layer"), counted(merged.jobs, "job"));
        console.status("Merged", format!("{}: {layers} of {jobs}", output.display()));
        if console.json() {
            console.report(&merged, String::new)?;
        }
        return Ok(Outcome::Done);
    }
    if io::check_output(output)? != io::Format::Pvtu {
        return Err(subsolid::Error::request(format!("{} is not a .pvtu", output.display()))
            .with_help("name the output of the jobs"));
    }
    let merged = io::merge(output)?;
    let (pieces, jobs) = (counted(merged.pieces, "piece"), counted(merged.jobs, "job"));
    console.status("Wrote", format!("{}: {pieces} of {jobs}", output.display()));
    if console.json() {
        console.report(&merged, String::new)?;
    }
    Ok(Outcome::Done)
}
