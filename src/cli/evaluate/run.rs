//! Grids of samples: piece by piece into a `.pvtu`, or at once into a single file.

use std::ops::Range;
use std::time::Instant;

use clap::ValueEnum;
use serde::Serialize;
use subsolid::backend::{Backend, Evaluator, Limit};
use subsolid::io::{self, Dataset, Format, PieceJob, PieceWriter, WriteOptions};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::{Plan, Samples};
use subsolid::slice::fingerprint;
use subsolid::volume::{self, Bezier, Quality};
use subsolid::{Error, Result};

use super::{Arguments, CellShape, Console, Outcome};
use crate::cli::console::{counted, since};
use crate::cli::memory::{gigabytes, physical};
use crate::cli::model::warn_left_out;
use crate::cli::quality;

/// Results in a piece.
pub const PIECE: usize = 2_000_000;
/// Rings of Bézier cells unless told.
const BEZIER_RINGS: usize = 3;
/// Bézier cells that a piece is planned for; leaves may have many.
pub const BEZIER_ELEMENTS: usize = 8192;

/// Where the datasets of the pieces come from.
pub enum Source<'a> {
    Evaluated { plan: &'a Plan<'a>, evaluator: Box<dyn Evaluator + 'a>, limit: Limit },
    Bezier(Bezier<'a>),
}

/// Where datasets go.
enum Writer {
    Single,
    Pieces(PieceWriter),
    Job(PieceJob),
}

pub fn run(
    a: &Arguments,
    backend: &dyn Backend,
    (samples, shape): (&Samples, CellShape),
    format: Option<Format>,
    mesh: &SolidMesh,
    solid: &Solid,
    console: &Console,
) -> Result<Outcome> {
    let start = Instant::now();
    let plan = solid.plan(samples, a.want(Some(shape)))?;
    let mut source = Source::new(a, shape, backend, &plan)?;
    let piece = match shape {
        CellShape::Bezier => BEZIER_ELEMENTS * plan.samples_per_element(),
        _ => a.piece_points.unwrap_or(PIECE),
    };
    console.status("Planned", format!("{} batches in {}", plan.batches().len(), since(start)));
    let all = 0..solid.elements().len();
    let single = format.is_some_and(|format| format != Format::Pvtu);
    if single {
        check_memory(a, &plan, mesh, shape)?;
    }
    let options = WriteOptions { compress: a.compress };
    let (mut writer, pieces) = match (&a.output, a.pieces) {
        (Some(output), Some(part)) => {
            // no larger than a part's share
            let most = all.len().div_ceil(part.1) * plan.samples_per_element();
            let pieces: Vec<_> = plan.pieces(piece.min(most)).collect();
            let parameters = a.parameters(shape, mesh);
            match PieceJob::create(output, part, pieces.len(), parameters, options)? {
                Some(job) => {
                    let own = pieces[job.pieces()].to_vec();
                    (Writer::Job(job), own)
                }
                None => {
                    console.status("Done", format!("part {}/{} is there", part.0, part.1));
                    return Ok(Outcome::Done);
                }
            }
        }
        (Some(output), None) if !single => {
            (Writer::Pieces(PieceWriter::create(output, options)?), plan.pieces(piece).collect())
        }
        _ if single => (Writer::Single, vec![all]),
        _ => (Writer::Single, plan.pieces(piece).collect()),
    };
    let elements: usize = pieces.iter().map(Range::len).sum();
    console.status("Evaluating", format!("{elements} elements on the {}", backend.name()));

    let start = Instant::now();
    let mut report = Report::new(a, backend.name());
    report.left_handed_cells = mesh.handedness().left_handed;
    let mut quality = Quality::default();
    let bar = console.bar(elements);
    for range in pieces {
        let count = range.len() as u64;
        let made = source.piece(a, shape, mesh, range, &mut quality, &mut report)?;
        if let Some((dataset, left_out)) = made {
            if report.pieces == 1 {
                warn_left_out(&left_out, console);
            }
            match (&mut writer, &a.output) {
                (Writer::Pieces(writer), _) => writer.push(&dataset)?,
                (Writer::Job(job), _) => job.push(&dataset)?,
                (Writer::Single, Some(output)) => io::write(output, dataset, options)?,
                (Writer::Single, None) => {}
            }
        }
        bar.inc(count);
    }
    bar.finish_and_clear();
    match writer {
        Writer::Pieces(writer) => writer.finish()?,
        Writer::Job(job) => job.finish()?,
        Writer::Single => {}
    }
    report.seconds = start.elapsed().as_secs_f64();
    let results = counted(report.results(), "point");
    console.status("Evaluated", format!("{results} in {}", since(start)));
    report.say_written(a, format, console);
    warn_of_undefined(a, report.undefined_derivatives, console);
    report.quality = a.quality.then_some(quality);
    report.finish(console)
}

impl<'a> Source<'a> {
    pub fn new(
        a: &Arguments,
        shape: CellShape,
        backend: &'a dyn Backend,
        plan: &'a Plan<'a>,
    ) -> Result<Self> {
        if shape == CellShape::Bezier {
            let rings = a.rings.unwrap_or(BEZIER_RINGS);
            return Ok(Self::Bezier(Bezier::new(plan.solid(), rings)?));
        }
        let (evaluator, limit) = (backend.prepare(plan)?, Limit::default());
        Ok(Self::Evaluated { plan, evaluator, limit })
    }

    /// Evaluates the elements of a piece and counts it; returns its dataset and the names of the
    /// cell arrays that it has no place for, or nothing if nothing is to be written.
    pub fn piece<'m>(
        &mut self,
        a: &Arguments,
        shape: CellShape,
        mesh: &'m SolidMesh,
        range: Range<usize>,
        quality: &mut Quality,
        report: &mut Report,
    ) -> Result<Option<(Dataset, Vec<&'m str>)>> {
        let mut dataset = match self {
            Self::Evaluated { plan, evaluator, limit } => {
                evaluator.evaluate(mesh.controls(), range, limit)?;
                if a.quality {
                    quality.add(plan, limit);
                }
                a.keep_shown(Some(shape), limit);
                report.count(limit);
                if a.output.is_none() {
                    return Ok(None);
                }
                dataset(a, shape, plan, limit, mesh)?
            }
            Self::Bezier(bezier) => {
                let piece = bezier.piece(mesh.controls(), range)?;
                report.exact_cells = Some(report.exact_cells.unwrap_or(0) + piece.exact);
                let known = report.error_bound.unwrap_or(0.0);
                report.error_bound = Some(known.max(piece.error_bound));
                piece.dataset
            }
        };
        let left_out = volume::add_cell_data(&mut dataset, &mesh.cell_data);
        report.points += dataset.points.len();
        report.cells += dataset.cells.len();
        report.pieces += 1;
        Ok(Some((dataset, left_out)))
    }
}

fn dataset(
    a: &Arguments,
    shape: CellShape,
    plan: &Plan<'_>,
    limit: &Limit,
    mesh: &SolidMesh,
) -> Result<Dataset> {
    // derivatives and Jacobians belong to the axes of one cell, gradients do not
    let welded = !a.no_weld && a.derivatives == 0 && !a.jacobian;
    match shape {
        CellShape::Lagrange => volume::lagrange(plan, limit, &mesh.attributes, welded),
        CellShape::Hexahedra => volume::hexahedra(plan, limit, &mesh.attributes, welded),
        _ => Ok(volume::points(plan, limit, &mesh.attributes)),
    }
}

impl Arguments {
    /// Everything that the bytes of pieces depend on, but for rounding on different processors.
    fn parameters(&self, shape: CellShape, mesh: &SolidMesh) -> serde_json::Value {
        let cells = shape.to_possible_value().map(|value| value.get_name().to_owned());
        serde_json::json!({
            "program": concat!("subsolid ", env!("CARGO_PKG_VERSION")),
            "model_sha256": fingerprint(mesh),
            "cells": cells,
            "samples": self.samples.samples,
            "gauss": self.samples.gauss,
            "rings": self.rings,
            "precision": format!("{:?}", self.precision()),
            "derivatives": self.derivatives,
            "attribute_derivatives": self.attribute_derivatives,
            "gradients": self.gradients,
            "jacobian": self.jacobian,
            "no_weld": self.no_weld,
            "piece_points": self.piece_points,
        })
    }
}

/// Refuses a single file whose points and cells would fill the memory.
fn check_memory(a: &Arguments, plan: &Plan<'_>, mesh: &SolidMesh, shape: CellShape) -> Result<()> {
    let limit = match a.max_memory {
        Some(gb) if gb.is_finite() && gb > 0.0 => (gb * 1e9) as u128,
        Some(gb) => {
            return Err(Error::request(format!("--max-memory {gb} is no amount of memory"))
                .with_help("give gigabytes, for instance 4"));
        }
        None => match physical() {
            Some(bytes) => u128::from(bytes / 2),
            None => return Ok(()),
        },
    };
    let elements = plan.solid().elements().len() as u128;
    let results = plan.result_count(&(0..elements as usize)) as u128;
    let widths: Vec<usize> = mesh.attributes.iter().map(|attribute| attribute.width).collect();
    let values = plan.want().numbers_per_result(&widths);
    // the results, their copy in the dataset, and about one id a result and corner
    let ids = match shape {
        CellShape::Hexahedra => 32 + 8 + 4,
        CellShape::Points => 4 + 8 * 4,
        _ => 8,
    };
    let bytes = results * (16 * values as u128 + ids);
    if bytes <= limit {
        return Ok(());
    }
    Err(Error::request(format!(
        "a single file of {results} points needs about {} of memory, the limit is {}",
        gigabytes(bytes),
        gigabytes(limit)
    ))
    .with_help("write .pvtu, whose pieces need little memory, or raise --max-memory"))
}

/// Says how many derivatives do not exist, and gradients.
pub fn warn_of_undefined(a: &Arguments, count: usize, console: &Console) {
    if count > 0 {
        let points = counted(count, "point");
        console.warn(if a.gradients {
            format!(
                "gradients or derivatives do not exist at {points}, where det J is 0 or on \
                 extraordinary edges and vertices; they are written as NaN"
            )
        } else {
            format!(
                "derivatives do not exist at {points}, on extraordinary edges and vertices; \
                 they are written as NaN"
            )
        });
    }
}

/// What was done.
#[derive(Serialize)]
pub struct Report {
    output: Option<String>,
    backend: String,
    /// Points written.
    pub points: usize,
    cells: usize,
    pieces: usize,
    /// Limit points evaluated, before welding.
    evaluated: usize,
    pub undefined_derivatives: usize,
    exact_cells: Option<usize>,
    error_bound: Option<f64>,
    pub seconds: f64,
    /// Left-handed hexahedra of the mesh evaluated.
    pub left_handed_cells: usize,
    pub quality: Option<Quality>,
}

impl Report {
    pub fn new(a: &Arguments, backend: String) -> Self {
        Self {
            output: a.output.as_ref().map(|path| path.display().to_string()),
            backend,
            points: 0,
            cells: 0,
            pieces: 0,
            evaluated: 0,
            undefined_derivatives: 0,
            exact_cells: None,
            error_bound: None,
            seconds: 0.0,
            left_handed_cells: 0,
            quality: None,
        }
    }

    fn count(&mut self, limit: &Limit) {
        self.evaluated += limit.len();
        let undefined = limit.undefined_derivatives();
        self.undefined_derivatives += undefined.iter().filter(|&&u| u == 1).count();
    }

    /// Says what was written, and how exact Bézier cells are.
    pub fn say_written(&self, a: &Arguments, format: Option<Format>, console: &Console) {
        if let Some(output) = &a.output {
            let mut written = format!("{}: {}", output.display(), counted(self.points, "point"));
            if format != Some(Format::Csv) {
                written += &format!(", {}", counted(self.cells, "cell"));
            }
            console.status("Wrote", written);
        }
        if let (Some(bound), Some(exact)) = (self.error_bound, self.exact_cells) {
            let rest = self.cells - exact;
            console.status(
                "Bézier",
                format!(
                    "{exact} exact cells; {rest} interpolated, error at most {bound:.2e} (estimated)"
                ),
            );
        }
    }

    /// Numbers of [`Report::numbers`].
    pub const NUMBERS: usize = 8;

    /// What adds up, for the report of all ranks.
    pub fn numbers(&self) -> Vec<f64> {
        let counts = [self.points, self.cells, self.pieces, self.evaluated];
        let more = [self.undefined_derivatives, self.left_handed_cells];
        let exact = self.exact_cells.map_or(f64::NAN, |count| count as f64);
        let mut numbers: Vec<f64> = counts.iter().chain(&more).map(|&count| count as f64).collect();
        numbers.extend([exact, self.error_bound.unwrap_or(f64::NAN)]);
        numbers
    }

    /// Adds the [`Report::numbers`] of another rank.
    pub fn add(&mut self, numbers: &[f64]) {
        let counts = [
            &mut self.points,
            &mut self.cells,
            &mut self.pieces,
            &mut self.evaluated,
            &mut self.undefined_derivatives,
            &mut self.left_handed_cells,
        ];
        counts.into_iter().zip(numbers).for_each(|(sum, &count)| *sum += count as usize);
        if let &[.., exact, bound] = numbers
            && !exact.is_nan()
        {
            self.exact_cells = Some(self.exact_cells.unwrap_or(0) + exact as usize);
            self.error_bound = Some(self.error_bound.unwrap_or(0.0).max(bound));
        }
    }

    pub fn results(&self) -> usize {
        if self.evaluated > 0 { self.evaluated } else { self.points }
    }

    /// Reports, and says how the program ends.
    pub fn finish(&self, console: &Console) -> Result<Outcome> {
        if console.json() || self.quality.is_some() {
            let text = |found| quality::text(found, self.left_handed_cells);
            console.report(self, || self.quality.as_ref().map(text).unwrap_or_default())?;
        }
        Ok(match &self.quality {
            Some(quality) if !quality.non_positive.is_empty() => Outcome::PoorQuality,
            _ => Outcome::Done,
        })
    }
}
