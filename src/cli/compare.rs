//! `subsolid compare`

use std::fmt::Write;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::backend::{Precision, Strategy};
use subsolid::jobs::compare::{CompareReport, CompareRequest};
use subsolid::numbers::significant;
use subsolid::plan::MAX_SAMPLES;
use subsolid::scheme::VertexRule;

use super::model::ModelArguments;
use super::names::{OptionValues, all_or};
use super::{Console, Outcome};

/// Compare a processor with the CPU in double precision
///
/// The error of a limit point is its Euclidean distance from the reference: in length units,
/// relative to the box around the solid, and in ulp of the largest coordinate of the cell's limit
/// points. The 99th percentile is rounded up to the end of a histogram bin 0.8 % wide.
#[derive(Args)]
#[command(mut_arg("samples", |own| own.value_parser(
    clap::value_parser!(u8).range(1..=MAX_SAMPLES as i64))))]
#[command(after_help = "\
Examples:
  subsolid compare model.mesh --samples 8
  subsolid compare model.mesh --backend cuda --strategy all --precision f32 --json
  subsolid compare model.mesh --report errors.html
  subsolid compare model.mesh --samples 4 -o errors.vtu")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    #[command(flatten)]
    request: CompareRequest,
    /// Kernels of a GPU to test
    #[arg(long, value_parser = all_or(Strategy::value_variants()), default_value = "all")]
    strategy: OptionValues<Strategy>,
    /// Precision to test
    #[arg(long, value_parser = all_or(&[Precision::F32, Precision::F64]), default_value = "all")]
    precision: OptionValues<Precision>,
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the model's file.
    model: String,
    /// Number of times that the model was refined first.
    levels: usize,
    #[serde(flatten)]
    compared: CompareReport,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, levels, mut request, strategy, precision } = arguments;
    (request.strategies, request.precisions) = (strategy.0, precision.0);
    request.check()?;
    for output in request.output.iter().chain(&request.report) {
        model.check_no_input(output, &[])?;
    }
    let mut notes = console.notes();
    let candidates = request.candidates(&mut notes)?;
    let mesh = model.load(levels, VertexRule::default(), console)?;
    let solid = model.analyze(&mesh, console)?;
    let title = model.model.file_name().unwrap_or_default().to_string_lossy();
    let compared = request.run(&mesh, &solid, &candidates, &title, &mut notes)?;
    let report = Report { model: model.model.display().to_string(), levels, compared };
    console.report(&report, || text(&report.compared))?;
    Ok(Outcome::Done)
}

fn text(report: &CompareReport) -> String {
    let mut text = format!("reference {}\n", report.reference);
    for run in &report.runs {
        let diagonal = significant(run.comparison.diagonal);
        let _ = writeln!(text, "\n{}: {}, box diagonal {diagonal}", run.name, run.backend);
        let header = ["class", "cells", "unit", "mean", "rms", "99 %", "maximum"];
        for [name, cells, unit, mean, rms, most, maximum] in
            [header.map(String::from)].into_iter().chain(run.figures())
        {
            let _ = writeln!(
                text,
                "{name:<20} {cells:>9} {unit:>11} {mean:>10} {rms:>10} {most:>10} {maximum:>10}"
            );
        }
        for [what, place] in run.places() {
            let _ = writeln!(text, "{what:<20} {place}");
        }
    }
    text
}
