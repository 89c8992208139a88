//! `subsolid bench`: the experiments of Besler et al. (2022, section 5) on this machine.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use subsolid::io::atomic;
use subsolid::jobs::bench::{BenchReport, BenchRequest};
use subsolid::numbers::counted;
use subsolid::{Error, Result};

use super::inputs::check_no_input;
use super::json;
use super::{Console, Outcome};

/// Measure this machine: the experiments of the published GPU method
///
/// Thread and warp kernels by class (Fig. 9 of Besler et al. 2022), model totals (Fig.
/// 10), CPU and GPU by class and model (Figs. 11, 12), time per point against samples
/// (Fig. 13), refinement against samples (Fig. 14) and accuracy (section 5.4), each
/// next to the time to write the same number of bytes. Medians over perturbed control points,
/// timed by device events on a GPU and by the wall clock on the CPU. Without a GPU, only the CPU
/// is measured.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid bench model.mesh -o bench.json --report bench.html
  subsolid bench a.mesh b.vtk --samples 4,8 --levels 0,1 --repeats 50 --report bench.html
  subsolid bench model.mesh --backend cpu --samples 8 --levels 0")]
pub struct Arguments {
    #[command(flatten)]
    request: BenchRequest,
    /// File for all numbers: .json
    #[arg(long, short, alias = "json", value_name = "OUT")]
    output: Option<PathBuf>,
    /// File for the plots: one self-contained page, .html
    #[arg(long, value_name = "OUT")]
    report: Option<PathBuf>,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { request, output, report } = arguments;
    request.check()?;
    if output.is_some() && output == report {
        return Err(Error::request("--output and --report name the same file")
            .with_help("choose two names"));
    }
    for output in output.iter().chain(&report) {
        check_no_input(output, request.models.iter().map(PathBuf::as_path))?;
        atomic::check(output)?;
    }
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let command = format!("subsolid {}", arguments.join(" "));
    let results = request.run(&command, &mut console.notes())?;
    if let Some(path) = &output {
        let start = Instant::now();
        let text = json::text(&results)?;
        atomic::write(path, |out| {
            out.write_all(text.as_bytes()).map_err(|e| atomic::refused(path, e))
        })?;
        console.wrote(path.display(), counted(results.timings.len(), "timing"), start);
    }
    if let Some(path) = &report {
        results.write_page(path, &mut console.notes())?;
    }
    console.print(text(&results).as_bytes())?;
    Ok(Outcome::Done)
}

/// Whole models for people; the files have the rest.
fn text(results: &BenchReport) -> String {
    let mut text = format!(
        "{:<20} {:>5} {:>7} {:>9} {:<16} {:>11} {:>9} {:>10}\n",
        "model", "level", "samples", "cells", "processor", "median", "Mpoint/s", "of write bw"
    );
    for timing in results.timings.iter().filter(|timing| timing.class.is_none()) {
        let _ = writeln!(
            text,
            "{:<20} {:>5} {:>7} {:>9} {:<16} {:>8.3} ms {:>9.1} {:>8.1} %",
            timing.model,
            timing.level,
            format!("{}³", timing.samples),
            timing.cells,
            timing.contender,
            1e3 * timing.seconds.median,
            1e-6 * timing.points as f64 / timing.seconds.median,
            100.0 * timing.of_writing(),
        );
    }
    text
}
