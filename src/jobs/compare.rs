//! Compares processors with the CPU in double precision.
//!
//! ```
//! use subsolid::backend::Choice;
//! use subsolid::jobs::compare::CompareRequest;
//! use subsolid::limit::Solid;
//! use subsolid::mesh::shape::Shape;
//!
//! let mesh = Shape::Box { cells: [2, 2, 2] }.build()?;
//! let request = CompareRequest { samples: 3, backend: Choice::Cpu, ..Default::default() };
//! let candidates = request.candidates(&mut ())?;
//! let report = request.run(&mesh, &Solid::new(&mesh)?, &candidates, "a box", &mut ())?;
//! assert!(report.runs[0].comparison.all.ulp.maximum < 4.0);
//! # Ok::<(), subsolid::Error>(())
//! ```

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::output::{check_ending, check_page, write_page, written};
use super::{Notes, since};
use crate::backend::{Backend, Choice, Cpu, Precision, Processor, Strategy};
use crate::compare::{Comparison, Errors, Statistics, compare_with};
use crate::error::{Error, Message, Result, option, option_name};
use crate::io::{self, Array, WriteOptions};
use crate::limit::Solid;
use crate::memory;
use crate::mesh::{CellArray, Controls, SolidMesh};
use crate::numbers::counted;
use crate::plan::{MAX_SAMPLES, Plan, Samples, Want};
use crate::view::{FigureTable, Page, ViewOptions};
use crate::volume::{self, Extreme, Sharing};

/// All of them, in the order of the runs.
const STRATEGIES: [Strategy; 4] =
    [Strategy::Auto, Strategy::Thread, Strategy::Warp, Strategy::Hybrid];
const PRECISIONS: [Precision; 2] = [Precision::F32, Precision::F64];

/// What is asked of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct CompareRequest {
    /// N x N x N samples per cell, end points included, N from 1 to 64 (1: the center)
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 8))]
    pub samples: u8,
    /// Processor to test: auto (the first NVIDIA GPU that works, else the CPU), cpu, cuda
    /// or cuda:N
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
    /// Kernels of a GPU to test
    #[cfg_attr(feature = "cli", arg(skip))]
    pub strategies: Vec<Strategy>,
    /// Precisions to test
    #[cfg_attr(feature = "cli", arg(skip))]
    pub precisions: Vec<Precision>,
    /// File for the limit with its errors as point arrays: .vtu or .vtk
    #[cfg_attr(feature = "cli", arg(long, short, value_name = "OUT"))]
    pub output: Option<PathBuf>,
    /// Write the report as a web page, with a picture of the solid colored by the largest error of
    /// each cell: .html
    #[cfg_attr(feature = "cli", arg(long, value_name = "OUT"))]
    pub report: Option<PathBuf>,
    /// Compress .vtu
    #[cfg_attr(feature = "cli", arg(long, requires = "output"))]
    pub compress: bool,
}

impl Default for CompareRequest {
    fn default() -> Self {
        Self {
            samples: 8,
            backend: Choice::default(),
            strategies: STRATEGIES.into(),
            precisions: PRECISIONS.into(),
            output: None,
            report: None,
            compress: false,
        }
    }
}

/// What a comparison has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct CompareReport {
    /// Samples along each axis of a cell.
    pub samples: u8,
    /// The evaluation that the runs are compared with.
    pub reference: String,
    /// Errors of each processor, precision and strategy.
    pub runs: Vec<ComparedRun>,
}

/// Errors of one way to evaluate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "Run"))]
pub struct ComparedRun {
    /// Processor, precision and strategy.
    pub name: String,
    /// Name of the processor.
    pub backend: String,
    /// Its errors.
    #[serde(flatten)]
    pub comparison: Comparison,
}

/// What is tested on this machine.
#[derive(Clone, Debug)]
pub struct Candidates {
    processor: Processor,
    ways: Vec<Candidate>,
}

/// One way to evaluate.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    strategy: Option<Strategy>,
    precision: Precision,
}

impl Candidate {
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

impl CompareRequest {
    /// Checks the options and the outputs.
    ///
    /// # Errors
    /// [`Error::Request`] for samples out of range, endings of outputs, one name for both, and
    /// options without effect; [`Error::Io`] and [`Error::File`] for the output.
    pub fn check(&self) -> Result<()> {
        if !(1..=MAX_SAMPLES).contains(&self.samples.into()) {
            return Err(Error::request(message!(
                option("samples", self.samples),
                " is out of range"
            ))
            .with_help(format!("ask for 1 to {MAX_SAMPLES} samples along each axis")));
        }
        if let Some(output) = &self.output {
            let why = "the errors are written as point arrays of cells";
            check_ending(output, &["vtu", "vtk"], why)?;
            let format = io::check_output(output)?;
            if self.samples < 2 {
                let leave = message!("leave ", option_name("output"), " out");
                return Err(Error::request("one sample per cell cannot form hexahedra")
                    .with_help(message!("ask for at least 2 samples, or ", leave)));
            }
            format.check_compress(self.compress)?;
        }
        let Some(path) = &self.report else { return Ok(()) };
        check_page(path)?;
        if self.output.as_ref() == Some(path) {
            let both = message!(option_name("output"), " and ", option_name("report"));
            return Err(
                Error::request(message!(both, " name the same file")).with_help("choose two names")
            );
        }
        Ok(())
    }

    /// The candidates of this machine, before a model is read; notes name the missing ones.
    ///
    /// # Errors
    /// As [`Processor::find_one`].
    pub fn candidates(&self, notes: &mut dyn Notes) -> Result<Candidates> {
        let processor = Processor::find_one(self.backend)?;
        let ways = self.ways(&processor, notes);
        Ok(Candidates { processor, ways })
    }

    /// Compares evaluations of a solid; `title`: what the page of the report is of.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors).
    pub fn run(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        Candidates { processor, ways }: &Candidates,
        title: &str,
        notes: &mut dyn Notes,
    ) -> Result<CompareReport> {
        self.check()?;
        let plan = solid.plan(&Samples::grid(self.samples.into()), Want::POSITION)?;
        let keeps = self.output.is_some() || self.report.is_some();
        if keeps {
            check_memory(&plan, ways.len())?;
        }
        let reference = Cpu::new(Precision::F64);
        let name = reference.name();
        let mut report = CompareReport { samples: self.samples, reference: name, runs: Vec::new() };
        let controls = Controls { positions: &mesh.points, attributes: &[] };
        let comparing = ComparisonSetup { plan: &plan, controls, reference: &reference, keeps };
        let (mut arrays, mut of_cells) = (Vec::new(), Vec::new());
        for candidate in ways {
            let (run, errors) = comparing.compare(candidate, processor, notes)?;
            let array = match ways.len() {
                1 => "error".into(),
                _ => format!("error_{}", run.name),
            };
            if self.report.is_some() {
                of_cells.push(CellArray::new(array.clone(), 1, largest(&plan, &errors), false));
            }
            if self.output.is_some() {
                arrays.push(Array::new(array, 1, errors));
            }
            report.runs.push(run);
        }
        if let Some(output) = &self.output {
            let limit = reference.evaluate(&plan, controls)?;
            // every cell keeps its own points, and with them its own errors
            let mut cells = volume::hexahedra(&plan, &limit, &[], Sharing::None)?;
            cells.point_arrays.extend(arrays);
            let [points, count] = [cells.points.len(), cells.cells.len()];
            let start = Instant::now();
            io::write(output, cells, WriteOptions { compress: self.compress, format: None })?;
            let counts = format!("{}, {}", counted(points, "point"), counted(count, "cell"));
            notes.status("Wrote", written(output.display(), counts, start));
        }
        if let Some(path) = &self.report {
            let page = page(mesh, solid, of_cells, format!("{title}: errors"))?;
            write_page(path, page, report.tables(), notes)?;
        }
        Ok(report)
    }

    fn ways(&self, processor: &Processor, notes: &mut dyn Notes) -> Vec<Candidate> {
        if processor.strategies().is_empty() {
            let why = processor.why_not_gpu().cloned();
            let why = why.unwrap_or_else(|| message!(option("backend", "cpu")));
            notes.status("Comparing", notes.words(&message!("the CPU with itself: ", why)));
            if self.strategies.len() == 1 {
                notes.warn(message!(
                    option_name("strategy"),
                    " applies to GPUs only and is ignored"
                ));
            }
            let precision = match self.precisions[..] {
                [Precision::F64] => {
                    let what = "f64 on the CPU is the reference itself: all errors will be 0";
                    notes.warn(Message::from(what));
                    Precision::F64
                }
                _ => Precision::F32,
            };
            return vec![Candidate { strategy: None, precision }];
        }
        let with = |&strategy: &Strategy| {
            let candidate = move |&precision| Candidate { strategy: Some(strategy), precision };
            self.precisions.iter().map(candidate)
        };
        self.strategies.iter().flat_map(with).collect()
    }
}

/// What all candidates are compared with, and at which samples.
struct ComparisonSetup<'a> {
    plan: &'a Plan<'a>,
    controls: Controls<'a>,
    reference: &'a Cpu,
    keeps: bool,
}

impl ComparisonSetup<'_> {
    /// Compares one candidate; with its errors at all points if they are kept.
    fn compare(
        &self,
        candidate: &Candidate,
        processor: &Processor,
        notes: &mut dyn Notes,
    ) -> Result<(ComparedRun, Vec<f64>)> {
        let strategy = candidate.strategy.unwrap_or_default();
        let backend = processor.backend(candidate.precision, strategy)?;
        let name = candidate.name();
        let start = Instant::now();
        let (mut errors, mut stopped) = (Vec::new(), Ok(()));
        let count = self.plan.solid().elements().len();
        let each = |elements: Range<usize>, of_points: &[f64]| {
            if stopped.is_ok() {
                stopped = notes.progress(elements.end, count);
            }
            errors.extend_from_slice(if self.keeps { of_points } else { &[] });
        };
        let comparison = compare_with(self.plan, self.controls, &*backend, self.reference, each)?;
        stopped?;
        let points = counted(comparison.all.samples, "point");
        notes.status("Compared", format!("{name}: {points} in {}", since(start)));
        Ok((ComparedRun { name, backend: backend.name(), comparison }, errors))
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

/// A page of the solid with the largest errors of its cells.
fn page(mesh: &SolidMesh, solid: &Solid, errors: Vec<CellArray>, title: String) -> Result<Page> {
    let mut mesh = mesh.clone();
    let color = errors.first().map(|array| array.name.clone());
    mesh.cell_data.retain(|array| errors.iter().all(|other| other.name != array.name));
    mesh.cell_data.extend(errors);
    Page::of_analyzed(&mesh, solid, &ViewOptions { color, ..ViewOptions::titled(title) })
}

impl CompareReport {
    /// The figures for pages.
    fn tables(&self) -> Vec<FigureTable> {
        let header = ["class", "cells", "unit", "mean", "rms", "99 %", "maximum"].map(String::from);
        let table = |run: &ComparedRun| {
            let rows = run.figures().into_iter().map(Vec::from).collect();
            let title = format!("{}: {} against {}", run.name, run.backend, self.reference);
            FigureTable { title, header: header.to_vec(), rows }
        };
        let worst = |run: &ComparedRun| {
            run.places().map(|[what, place]| vec![format!("{}: {what}", run.name), place])
        };
        let rows = self.runs.iter().flat_map(worst).collect();
        let places = FigureTable { title: "Places".into(), rows, ..FigureTable::default() };
        self.runs.iter().map(table).chain([places]).collect()
    }
}

impl ComparedRun {
    /// Class, cells, unit, mean, rms, 99th percentile and maximum, a row each unit, of all cells
    /// and of each class.
    pub fn figures(&self) -> Vec<[String; 7]> {
        let Comparison { all, classes, .. } = &self.comparison;
        let classes = classes.iter().map(|(class, errors)| (class.name(), errors));
        std::iter::once(("all", all))
            .chain(classes)
            .flat_map(|(name, own)| rows(name, own))
            .collect()
    }

    /// Where the errors are largest: what, and the place.
    pub fn places(&self) -> [[String; 2]; 2] {
        let Errors { worst, worst_ulp, .. } = self.comparison.all;
        [("worst", worst), ("worst in ulp", worst_ulp)]
            .map(|(what, worst)| [what.into(), worst.map_or("none".into(), place)])
    }
}

fn rows(name: &str, errors: &Errors) -> [[String; 7]; 3] {
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
