//! `subsolid bench`: the experiments of Besler et al. (2022, section 5) on this machine.

mod chart;
mod contender;
mod figures;
mod machine;
mod measure;
mod model;
mod report;
mod results;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use subsolid::backend::{Choice, Processor};
use subsolid::io::atomic;
use subsolid::memory::decimal_bytes;
use subsolid::numbers::counted;
use subsolid::plan::MAX_SAMPLES;
use subsolid::{Error, Result};

use super::inputs::check_no_input;
use super::json;
use super::wording::words;
use super::{Console, Outcome};
use contender::{Contender, WriteTimes};
use machine::Machine;
use model::{BenchModel, names};
pub use results::Results;

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
    /// Control meshes of solids: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, Gmsh .msh, .ovm or Abaqus
    /// .inp
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// Samples along each axis of a cell, 2 to 64; figure 13 measures more values
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "4,8")]
    samples: Vec<usize>,
    /// Levels of refinement, 0 to 8
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "0,1,2")]
    levels: Vec<usize>,
    /// Processor, beside the CPU: auto (the first NVIDIA GPU that works), cpu, cuda or
    /// cuda:N
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
    /// Number of runs, of which the median is reported, 1 to 10000
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    repeats: u16,
    /// File for all numbers: .json
    #[arg(long, short, alias = "json", value_name = "OUT")]
    output: Option<PathBuf>,
    /// File for the plots: one self-contained page, .html
    #[arg(long, value_name = "OUT")]
    report: Option<PathBuf>,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let mut a = arguments;
    a.check()?;
    let processor = Processor::find_one(a.backend)?;
    let contenders = Contender::all(&processor)?;
    for contender in &contenders {
        console.status("Measuring", &contender.name);
    }
    let mut results = Results::new(Machine::new(&processor)?, a.repeats.into());
    if processor.gpu().is_none() {
        let why = processor.why_not_gpu().map_or("the CPU was asked for".into(), words);
        let note = format!("he kernels of a GPU, figures 9 and 10 among them: {why}");
        console.status("Skipped", format!("t{note}"));
        results.left_out.push(format!("T{note}."));
    }
    let mut write_times = WriteTimes::new(a.repeats.into());
    let jobs = measure::jobs(&a.samples, &a.levels);
    let bar = console.bar(a.models.len() * (jobs.len() + 1));
    for (path, name) in a.models.iter().zip(names(&a.models)) {
        let mut last: Option<BenchModel> = None;
        for job in &jobs {
            let model = match last.take() {
                Some(model) if model.level == job.level => model,
                _ => {
                    let start = Instant::now();
                    let model = BenchModel::load(path, &name, job.level)?;
                    bar.suspend(|| console.read(path.display(), model.describe(), start));
                    results.models.push(model.summary());
                    model
                }
            };
            measure::run(&model, job, &contenders, &mut write_times, &mut results)?;
            last = Some(model);
            bar.inc(1);
        }
        let least = BenchModel::load(path, &name, a.levels[0])?;
        measure::accuracy(&least, a.samples[a.samples.len() - 1], &contenders, &mut results)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(path) = &a.output {
        let start = Instant::now();
        write(path, &json::text(&results)?)?;
        console.wrote(path.display(), counted(results.timings.len(), "timing"), start);
    }
    if let Some(path) = &a.report {
        let start = Instant::now();
        let page = report::page(&results);
        write(path, &page)?;
        console.wrote(path.display(), decimal_bytes(page.len() as u128), start);
    }
    console.print(text(&results).as_bytes())?;
    Ok(Outcome::Done)
}

impl Arguments {
    /// Checks the lists, and puts them in order.
    fn check(&mut self) -> Result<()> {
        for list in [&mut self.samples, &mut self.levels] {
            list.sort_unstable();
            list.dedup();
        }
        if let Some(n) = self.samples.iter().find(|&n| !(2..=MAX_SAMPLES).contains(n)) {
            return Err(Error::request(format!("--samples {n} is out of range")).with_help(
                format!("give 2 to {MAX_SAMPLES} samples along each axis, such as 4,8"),
            ));
        }
        if let Some(n) = self.levels.iter().find(|&&n| n > 8) {
            return Err(Error::request(format!("--levels {n} is out of range"))
                .with_help("give levels up to 8, such as 0,1,2"));
        }
        if self.models.iter().any(|model| model == Path::new("-")) {
            return Err(Error::request(
                "the model is standard input, `-`: it is read more than once",
            )
            .with_help("write the model to a file"));
        }
        let (output, report) = (self.output.as_deref(), self.report.as_deref());
        if output.is_some() && output == report {
            return Err(Error::request("--output and --report name the same file")
                .with_help("choose two names"));
        }
        for output in output.into_iter().chain(report) {
            check_no_input(output, self.models.iter().map(PathBuf::as_path))?;
            atomic::check(output)?;
        }
        Ok(())
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    atomic::write(path, |out| out.write_all(text.as_bytes()).map_err(|e| atomic::refused(path, e)))
}

/// Whole models for people; the files have the rest.
fn text(results: &Results) -> String {
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
