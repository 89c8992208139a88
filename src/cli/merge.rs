//! `subsolid merge`

use std::path::PathBuf;

use clap::Args;
use subsolid::{Result, io};

use super::console::counted;
use super::{Console, Outcome};

/// Join the pieces that the jobs of `evaluate --pieces` wrote
///
/// Checks that all jobs have been done with the same model and options and that their pieces are
/// complete, and writes the .pvtu that names them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid evaluate model.mesh --samples 8 --pieces 1/2 -o limit.pvtu
  subsolid evaluate model.mesh --samples 8 --pieces 2/2 -o limit.pvtu
  subsolid merge limit.pvtu")]
pub struct Arguments {
    /// The .pvtu to write; its pieces lie in the directory of the same name
    output: PathBuf,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let output = &arguments.output;
    if io::check_output(output)? != io::Format::Pvtu {
        return Err(subsolid::Error::request(format!("{} is no .pvtu", output.display()))
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
