//! `subsolid compare`

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::backend::{Backend, Choice, Cpu, Precision, Processor, Strategy};
use subsolid::compare::{Comparison, Errors, Statistics, compare_with};
use subsolid::io::{self, Array, Dataset, WriteOptions};
use subsolid::limit::Solid;
use subsolid::memory;
use subsolid::mesh::{CellArray, Controls, SolidMesh};
use subsolid::numbers::{counted, significant};
use subsolid::plan::{MAX_SAMPLES, Plan, Samples, Want};
use subsolid::scheme::VertexRule;
use subsolid::view::{FigureTable, Page, ViewOptions};
use subsolid::volume::{self, Extreme, Sharing};
use subsolid::{Error, Result};

use super::console::since;
use super::json::JsonReport;
use super::model::ModelArguments;
use super::names::{Selected, all_or};
use super::output::check_ending;
use super::wording::words;
use super::{Console, Outcome, report};

/// Compare a processor with the CPU in double precision
///
/// The error of a limit point is its Euclidean distance from the reference: in length units,
/// relative to the box around the solid, and in ulp of the largest coordinate of the cell's limit
/// points. The 99th percentile is rounded up to the end of a histogram bin 0.8 % wide.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid compare model.mesh --samples 8
  subsolid compare model.mesh --backend cuda --strategy all --precision f32 --json
  subsolid compare model.mesh --report errors.html
  subsolid compare model.mesh --samples 4 -o errors.vtu")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// N x N x N samples per cell, end points included, N from 1 to 64 (1: the center)
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u8).range(1..=MAX_SAMPLES as i64))]
    samples: u8,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// Processor to test: auto (the first NVIDIA GPU that works, else the CPU), cpu, cuda
    /// or cuda:N
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
    /// Kernels of a GPU to test
    #[arg(long, value_parser = all_or(Strategy::value_variants()), default_value = "all")]
    strategy: Selected<Strategy>,
    /// Precision to test
    #[arg(long, value_parser = all_or(&[Precision::F32, Precision::F64]), default_value = "all")]
    precision: Selected<Precision>,
    /// File for the limit with its errors as point arrays: .vtu or .vtk
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write the report as a web page, with a picture of the solid colored by the largest error of
    /// each cell: .html
    #[arg(long, value_name = "OUT")]
    report: Option<PathBuf>,
    /// Compress .vtu
    #[arg(long, requires = "output")]
    compress: bool,
}

/// One way to evaluate.
struct Combination {
    strategy: Option<Strategy>,
    precision: Precision,
}

impl Combination {
    /// `f32` on the CPU, `auto_f32` on a GPU.
    fn name(&self) -> String {
        let precision = self.precision;
        let name = match self.strategy {
            Some(strategy) => format!("{strategy:?}_{precision:?}"),
            None => format!("{precision:?}"),
        };
        name.to_lowercase()
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the model's file.
    model: String,
    /// Number of times that the model was refined first.
    levels: usize,
    /// Samples along each axis of a cell.
    samples: u8,
    /// The evaluation that the runs are compared with.
    reference: String,
    /// Errors of each processor, precision and strategy.
    runs: Vec<ComparedRun>,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.compare/1";
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Run")]
struct ComparedRun {
    /// Processor, precision and strategy.
    name: String,
    /// Name of the processor.
    backend: String,
    #[serde(flatten)]
    comparison: Comparison,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let a = &arguments;
    a.check_outputs()?;
    let processor = Processor::find_one(a.backend)?;
    let candidates = a.candidates(&processor, console);
    let mesh = a.model.load(a.levels, VertexRule::default(), console)?;
    let solid = a.model.analyze(&mesh, console)?;
    let plan = solid.plan(&Samples::grid(a.samples.into()), Want::POSITION)?;
    let keeps = a.output.is_some() || a.report.is_some();
    if keeps {
        check_memory(&plan, candidates.len())?;
    }
    let reference = Cpu::new(Precision::F64);
    let mut report = Report {
        model: a.model.model.display().to_string(),
        levels: a.levels,
        samples: a.samples,
        reference: reference.name(),
        runs: Vec::new(),
    };
    let controls = Controls { positions: &mesh.points, attributes: &[] };
    let comparing = Comparing { plan: &plan, controls, reference: &reference, keeps };
    let (mut arrays, mut of_cells) = (Vec::new(), Vec::new());
    for candidate in &candidates {
        let (run, errors) = comparing.compare(candidate, &processor, console)?;
        let array = match candidates.len() {
            1 => "error".into(),
            _ => format!("error_{}", run.name),
        };
        if a.report.is_some() {
            of_cells.push(CellArray::new(array.clone(), 1, largest(&plan, &errors), false));
        }
        if a.output.is_some() {
            arrays.push(Array::new(array, 1, errors));
        }
        report.runs.push(run);
    }
    if let Some(output) = &a.output {
        let limit = reference.evaluate(&plan, controls)?;
        // every cell keeps its own points, and with them its own errors
        let cells = volume::hexahedra(&plan, &limit, &[], Sharing::None)?;
        a.write_errors(output, cells, arrays, console)?;
    }
    if let Some(path) = &a.report {
        a.write_report(path, &report, mesh, &solid, of_cells, console)?;
    }
    console.report(&report, || text(&report))?;
    Ok(Outcome::Done)
}

/// What all candidates are compared with, and at which samples.
struct Comparing<'a> {
    plan: &'a Plan<'a>,
    controls: Controls<'a>,
    reference: &'a Cpu,
    keeps: bool,
}

impl Comparing<'_> {
    /// Compares one candidate; with its errors at all points if they are kept.
    fn compare(
        &self,
        candidate: &Combination,
        processor: &Processor,
        console: &Console,
    ) -> Result<(ComparedRun, Vec<f64>)> {
        let strategy = candidate.strategy.unwrap_or_default();
        let backend = processor.backend(candidate.precision, strategy)?;
        let name = candidate.name();
        let start = Instant::now();
        let bar = console.bar(self.plan.solid().elements().len());
        let mut errors = Vec::new();
        let each = |elements: Range<usize>, of_points: &[f64]| {
            bar.inc(elements.len() as u64);
            errors.extend_from_slice(if self.keeps { of_points } else { &[] });
        };
        let comparison = compare_with(self.plan, self.controls, &*backend, self.reference, each)?;
        bar.finish_and_clear();
        let points = counted(comparison.all.samples, "point");
        console.status("Compared", format!("{name}: {points} in {}", since(start)));
        Ok((ComparedRun { name, backend: backend.name(), comparison }, errors))
    }
}

impl Arguments {
    fn check_outputs(&self) -> Result<()> {
        if let Some(output) = &self.output {
            self.check_output(output)?;
        }
        let Some(path) = &self.report else { return Ok(()) };
        report::check(path, &self.model)?;
        if self.output.as_ref() == Some(path) {
            return Err(Error::request("--output and --report name the same file")
                .with_help("choose two names"));
        }
        Ok(())
    }

    fn check_output(&self, output: &Path) -> Result<()> {
        check_ending(output, &["vtu", "vtk"], "the errors are written as point arrays of cells")?;
        let format = self.model.check_output(output, &[])?;
        if self.samples < 2 {
            return Err(Error::request("one sample per cell cannot form hexahedra")
                .with_help("ask for at least 2 samples, or leave --output out"));
        }
        format.check_compress(self.compress)
    }

    /// Writes cells with the errors of their points.
    fn write_errors(
        &self,
        output: &Path,
        mut dataset: Dataset,
        errors: Vec<Array>,
        console: &Console,
    ) -> Result<()> {
        dataset.point_arrays.extend(errors);
        let [points, cells] = [dataset.points.len(), dataset.cells.len()];
        let start = Instant::now();
        io::write(output, dataset, WriteOptions { compress: self.compress })?;
        let counts = format!("{}, {}", counted(points, "point"), counted(cells, "cell"));
        console.wrote(output.display(), counts, start);
        Ok(())
    }

    /// Writes a page of the solid with the largest errors of its cells.
    fn write_report(
        &self,
        path: &Path,
        report: &Report,
        mut mesh: SolidMesh,
        solid: &Solid,
        errors: Vec<CellArray>,
        console: &Console,
    ) -> Result<()> {
        let title = self.model.model.file_name().unwrap_or_default().to_string_lossy();
        let color = errors.first().map(|array| array.name.clone());
        mesh.cell_data.retain(|array| errors.iter().all(|other| other.name != array.name));
        mesh.cell_data.extend(errors);
        let options = ViewOptions { color, ..ViewOptions::titled(format!("{title}: errors")) };
        let page = Page::of_analyzed(&mesh, solid, &options)?;
        report::write(path, page, tables(report), console)
    }

    /// What is tested on this machine; says what is not.
    fn candidates(&self, processor: &Processor, console: &Console) -> Vec<Combination> {
        if processor.gpu().is_none() {
            let why = processor.why_not_gpu().map_or("--backend cpu".into(), words);
            console.status("Comparing", format!("the CPU with itself: {why}"));
            if self.strategy.0.len() == 1 {
                console.warn("--strategy applies to GPUs only and is ignored");
            }
            let precision = match self.precision.0[..] {
                [Precision::F64] => {
                    console.warn("f64 on the CPU is the reference itself: all errors will be 0");
                    Precision::F64
                }
                _ => Precision::F32,
            };
            return vec![Combination { strategy: None, precision }];
        }
        let with = |&strategy| {
            let candidate = move |&precision| Combination { strategy: Some(strategy), precision };
            self.precision.0.iter().map(candidate)
        };
        self.strategy.0.iter().flat_map(with).collect()
    }
}

/// Refuses an output that would fill the memory.
fn check_memory(plan: &Plan<'_>, runs: usize) -> Result<()> {
    let results = plan.result_count(&(0..plan.solid().elements().len())) as u128;
    // the limit, its copy in the dataset, about one id a result and corner, and the errors
    let bytes = results * (2 * 24 + 44 + 8 * runs as u128);
    memory::check_half(format!("{results} points with their errors need"), bytes, |_| {
        "ask for fewer samples or levels, or leave the output out".into()
    })
}

/// The largest error of each cell, in length units.
fn largest(plan: &Plan<'_>, errors: &[f64]) -> Vec<f64> {
    let solid = plan.solid();
    let mut largest = vec![0.0_f64; solid.classes().len()];
    let elements = solid.elements().iter().zip(errors.chunks(plan.samples_per_element()));
    for (element, errors) in elements {
        let most = &mut largest[element.cell as usize];
        *most = errors.iter().fold(*most, |most, &error| most.max(error));
    }
    largest
}

/// The figures for pages.
fn tables(report: &Report) -> Vec<FigureTable> {
    let header = ["class", "cells", "unit", "mean", "rms", "99 %", "maximum"].map(String::from);
    let table = |run: &ComparedRun| {
        let c = &run.comparison;
        let classes = c.classes.iter().map(|(class, errors)| (class.name(), errors));
        let all = std::iter::once(("all", &c.all)).chain(classes);
        let rows = all.flat_map(|(name, errors)| figures(name, errors)).map(Vec::from).collect();
        let title = format!("{}: {} against {}", run.name, run.backend, report.reference);
        FigureTable { title, header: header.to_vec(), rows }
    };
    let worst = |run: &ComparedRun| {
        let c = &run.comparison;
        [("worst", c.all.worst), ("worst in ulp", c.all.worst_ulp)].map(|(what, worst)| {
            vec![format!("{}: {what}", run.name), worst.map_or("none".into(), place)]
        })
    };
    let rows = report.runs.iter().flat_map(worst).collect();
    let places = FigureTable { title: "Places".into(), rows, ..FigureTable::default() };
    report.runs.iter().map(table).chain([places]).collect()
}

fn text(report: &Report) -> String {
    let mut text = format!("reference {}\n", report.reference);
    for run in &report.runs {
        let c = &run.comparison;
        let _ = writeln!(
            text,
            "\n{}: {}, box diagonal {}",
            run.name,
            run.backend,
            significant(c.diagonal)
        );
        let _ = writeln!(
            text,
            "{:<20} {:>9} {:>11} {:>10} {:>10} {:>10} {:>10}",
            "class", "cells", "unit", "mean", "rms", "99 %", "maximum"
        );
        rows(&mut text, "all", &c.all);
        for (class, errors) in &c.classes {
            rows(&mut text, class.name(), errors);
        }
        for (what, worst) in [("worst", c.all.worst), ("worst in ulp", c.all.worst_ulp)] {
            let _ = writeln!(text, "{what:<20} {}", worst.map_or("none".into(), place));
        }
    }
    text
}

fn rows(text: &mut String, name: &str, errors: &Errors) {
    for [name, cells, unit, mean, rms, most, maximum] in figures(name, errors) {
        let _ = writeln!(
            text,
            "{name:<20} {cells:>9} {unit:>11} {mean:>10} {rms:>10} {most:>10} {maximum:>10}"
        );
    }
}

/// Class, cells, unit, mean, rms, 99th percentile and maximum, a row each unit.
fn figures(name: &str, errors: &Errors) -> [[String; 7]; 3] {
    let cells = errors.cells.to_string();
    [
        (name, cells.as_str(), "length", errors.absolute),
        ("", "", "of the box", errors.relative),
        ("", "", "ulp", errors.ulp),
    ]
    .map(|(name, cells, unit, statistics)| {
        let Statistics { mean, rms, percentile_99, maximum } = statistics;
        let [mean, rms, most, maximum] = [mean, rms, percentile_99, maximum].map(|x| match unit {
            "ulp" => format!("{x:.2}"),
            _ => format!("{x:.2e}"),
        });
        [name.into(), cells.into(), unit.into(), mean, rms, most, maximum]
    })
}

fn place(extreme: Extreme) -> String {
    let Extreme { value, cell, parameters: [u, v, w], corner, .. } = extreme;
    let corner = corner.map(|corner| format!(" corner {corner}")).unwrap_or_default();
    format!("{value:.3e} in cell {cell}{corner} at u {u:.6} v {v:.6} w {w:.6}")
}
