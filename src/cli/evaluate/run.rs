//! Grids of samples, piece by piece: one is evaluated while those before it are written.

use std::ops::Range;
use std::time::Instant;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::backend::{Backend, Evaluator, Limit};
use subsolid::bezier::CELL_RINGS;
use subsolid::io::{Dataset, Format, PieceJob, PieceWriter, WriteOptions};
use subsolid::jobs::extract::exactness;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::plan::Plan;
use subsolid::slice::fingerprint;
use subsolid::volume::{self, Bezier, BezierInput, Quality, SharedPoints, Sharing};
use subsolid::{Result, io, memory};

use super::single::{self, Single};
use super::writer::Writer;
use super::{Arguments, CellShape, Console, GridRequest, Outcome};
use crate::cli::console::since;
use crate::cli::json::JsonReport;
use crate::cli::output::warn_left_out;
use crate::cli::pieces::part_of;
use crate::cli::quality;

/// Results in a piece of a `.pvtu`.
const PIECE_RESULTS: usize = 2_000_000;
/// Bytes that pieces at work take, at most, unless the number of points is given.
const PIECE_BYTES: usize = 2 << 30;
/// Points of Bézier cells in a piece.
const BEZIER_PIECE: usize = 64 * 8192;

/// Where the datasets of the pieces come from.
pub enum DatasetSource<'a> {
    Evaluated { plan: &'a Plan<'a>, evaluator: Box<dyn Evaluator + 'a>, limit: Limit },
    Bezier(Bezier<'a>, BezierInput<'a>),
}

pub fn run(
    a: &Arguments,
    backend: &dyn Backend,
    request: &GridRequest,
    mesh: &SolidMesh,
    solid: &Solid,
    console: &Console,
) -> Result<Outcome> {
    let start = Instant::now();
    let want = a.want(Some(request.shape))?;
    let plan = console.during("Planning", || solid.plan(&request.samples, want))?;
    let job = GridJob { a, request, mesh, plan: &plan };
    job.check_arrays()?;
    let mut source = job.source(backend)?;
    let batches = counted(plan.batches().len(), "batch");
    console.status("Planned", format!("{batches} in {}", since(start)));
    let Some((writer, pieces)) = job.open(&source, console)? else {
        return Ok(Outcome::Done);
    };
    let elements: usize = pieces.iter().map(Range::len).sum();
    let count = counted(elements, "element");
    console.status("Evaluating", format!("{count} on the {}", backend.name()));

    let start = Instant::now();
    let mut report = Report::new(a, backend.name());
    report.left_handed_cells = mesh.handedness().left_handed;
    report.places = request.samples.places();
    report.count_unjoined(a, request, solid, 0..solid.elements().len());
    let mut quality = Quality::default();
    let bar = console.bar(elements);
    let single = match &writer {
        Writer::Single(_, single) => Some(single.clone()),
        _ => None,
    };
    let mut next = |range: Range<usize>| -> Result<Option<Dataset>> {
        let made = job.piece(&mut source, single.as_ref(), range, &mut quality, &mut report)?;
        Ok(made.map(|(dataset, left_out)| {
            if report.pieces == 1 {
                warn_left_out(&left_out, console);
            }
            dataset
        }))
    };
    let is_single = single.is_some();
    writer.write(job.options(), |send| {
        for range in pieces {
            let count = range.len() as u64;
            let piece = next(range).transpose();
            if piece.is_some_and(|piece| !send(piece)) {
                break;
            }
            bar.inc(count);
        }
    })?;
    bar.finish_and_clear();
    if is_single {
        report.pieces = report.pieces.min(1);
    }
    report.conclude(a, request.format, quality, start, console)
}

/// Results in a piece, at most: the same on all machines, so that parts of a job agree.
pub fn piece_results(a: &Arguments, shape: CellShape, mesh: &SolidMesh) -> Result<usize> {
    let most = if shape == CellShape::Bezier { BEZIER_PIECE } else { PIECE_RESULTS };
    let result = single::result_bytes(a.want(Some(shape))?, mesh);
    let fitting = PIECE_BYTES / (single::RANGES * result);
    Ok(a.piece_points.unwrap_or(most.min(fitting.max(1))))
}

/// A grid of samples that is evaluated and written.
pub struct GridJob<'a> {
    pub a: &'a Arguments,
    pub request: &'a GridRequest,
    pub mesh: &'a SolidMesh,
    pub plan: &'a Plan<'a>,
}

impl<'a> GridJob<'a> {
    fn options(&self) -> WriteOptions {
        WriteOptions { compress: self.a.compress }
    }

    /// Refuses, before any work, arrays of points that the format does not hold.
    fn check_arrays(&self) -> Result<()> {
        let &GridRequest { shape: CellShape::Points, format: Some(format), .. } = self.request
        else {
            return Ok(());
        };
        let attributes = &self.mesh.attributes;
        let widths: Vec<usize> = attributes.iter().map(|a| a.width).collect();
        let mut none = Limit::of(self.a.want(Some(CellShape::Points))?, &widths);
        self.a.keep_shown(Some(CellShape::Points), &mut none)?;
        let mut dataset = volume::points(self.plan, &none, attributes);
        volume::add_cell_data(&mut dataset, &self.mesh.cell_data);
        io::check_arrays_of(format, &dataset)
    }

    /// Opens the output; returns where results go and the pieces to evaluate, or nothing if the
    /// part asked for is there already.
    fn open(
        &self,
        source: &DatasetSource<'_>,
        console: &Console,
    ) -> Result<Option<(Writer<'a>, Vec<Range<usize>>)>> {
        let &Self { a, request: &GridRequest { shape, format, .. }, mesh, plan } = self;
        let piece = piece_results(a, shape, mesh)?;
        Ok(Some(match (&a.output, a.pieces) {
            (Some(output), Some(part)) => {
                // no larger than a part's share
                let pieces = source.pieces(plan, piece.min(source.part_results(plan, part.of)));
                self.check_pieces(source, &pieces)?;
                let parameters = a.parameters(shape, mesh);
                let job = PieceJob::create(output, part, pieces.len(), parameters, self.options())?;
                let Some(job) = job else {
                    console.status("Skipped", format!("{}: it exists", part_of(output, part)));
                    return Ok(None);
                };
                let own = pieces[job.pieces()].to_vec();
                (Writer::Job(job), own)
            }
            (Some(output), None) if format == Some(Format::Pvtu) => {
                let pieces = source.pieces(plan, piece);
                self.check_pieces(source, &pieces)?;
                (Writer::Pieces(PieceWriter::create(output, self.options())?), pieces)
            }
            (Some(output), None) => {
                let ranges = source.pieces(plan, single::range(plan, mesh).min(piece));
                let bezier = match source {
                    DatasetSource::Bezier(bezier, _) => Some(bezier),
                    DatasetSource::Evaluated { .. } => None,
                };
                let single = Single::new(a, self.request, plan, mesh, bezier, &ranges)?;
                (Writer::Single(output, single), ranges)
            }
            (None, _) => (Writer::Nothing, source.pieces(plan, piece)),
        }))
    }

    /// Refuses pieces that take too much memory; those of Bézier cells are checked as they are
    /// made.
    fn check_pieces(&self, source: &DatasetSource<'_>, pieces: &[Range<usize>]) -> Result<()> {
        let DatasetSource::Evaluated { plan, .. } = source else { return Ok(()) };
        let largest = pieces.iter().map(|range| plan.result_count(range)).max().unwrap_or(0);
        let result = single::RANGES * single::result_bytes(plan.want(), self.mesh);
        let what = format!("pieces of {} need", counted(largest, "point"));
        memory::check_half(what, (largest * result) as u128, |limit| {
            format!("give --piece-points {} or less", (limit / result as u128).max(1)).into()
        })
    }

    /// Prepares what the datasets come from.
    pub fn source(&self, backend: &'a dyn Backend) -> Result<DatasetSource<'a>> {
        if self.request.shape == CellShape::Bezier {
            let rings = self.a.rings.unwrap_or(CELL_RINGS);
            let bezier = Bezier::new(self.plan.solid(), rings)?;
            let input = bezier.input(self.mesh.controls())?;
            return Ok(DatasetSource::Bezier(bezier, input));
        }
        let (evaluator, limit) = (backend.prepare(self.plan)?, Limit::default());
        Ok(DatasetSource::Evaluated { plan: self.plan, evaluator, limit })
    }

    /// Evaluates the elements of a piece, of a single file or of one among others, and counts it;
    /// returns its dataset and the names of the cell arrays that it has no place for, or nothing if
    /// nothing is to be written.
    pub fn piece(
        &self,
        source: &mut DatasetSource<'a>,
        single: Option<&Single>,
        range: Range<usize>,
        quality: &mut Quality,
        report: &mut Report,
    ) -> Result<Option<(Dataset, Vec<&'a str>)>> {
        let &Self { a, mesh, .. } = self;
        let mut dataset = match source {
            DatasetSource::Evaluated { plan, evaluator, limit } => {
                evaluator.evaluate(mesh.controls(), range, limit)?;
                if a.quality {
                    quality.add(plan, limit);
                }
                a.keep_shown(Some(self.request.shape), limit)?;
                report.count(limit);
                if a.output.is_none() {
                    return Ok(None);
                }
                self.dataset(limit, single.and_then(|single| single.shared.as_deref()))?
            }
            DatasetSource::Bezier(bezier, input) => {
                let piece = bezier.piece_of(input, range)?;
                report.evaluated += piece.dataset.points.len();
                report.exact_cells = Some(report.exact_cells.unwrap_or(0) + piece.exact);
                let known = report.error_bound.unwrap_or(0.0);
                report.error_bound = Some(known.max(piece.error_bound));
                piece.dataset
            }
        };
        let left_out = volume::add_cell_data(&mut dataset, &mesh.cell_data);
        if single.is_some_and(|single| single.shared.is_none()) {
            dataset.offset_points(report.points)?;
        }
        report.points += dataset.points.len();
        report.cells += dataset.cells.len();
        report.pieces += 1;
        Ok(Some((dataset, left_out)))
    }

    /// The cells of a limit; with points `shared` in a file of all.
    fn dataset(&self, limit: &Limit, shared: Option<&SharedPoints>) -> Result<Dataset> {
        let (plan, attributes) = (self.plan, &self.mesh.attributes);
        let sharing = match shared {
            Some(shared) => Sharing::Numbered(shared),
            None if self.request.is_welded => Sharing::Welded,
            None => Sharing::None,
        };
        match self.request.shape {
            CellShape::Lagrange => volume::lagrange(plan, limit, attributes, sharing),
            CellShape::Hexahedra => volume::hexahedra(plan, limit, attributes, sharing),
            _ => Ok(volume::points(plan, limit, attributes)),
        }
    }
}

impl DatasetSource<'_> {
    /// Splits the elements into ranges of at most `results` results (at least one element each).
    fn pieces(&self, plan: &Plan<'_>, results: usize) -> Vec<Range<usize>> {
        match self {
            Self::Bezier(bezier, _) => bezier.ranges(results / 64),
            Self::Evaluated { .. } => plan.pieces(results).collect(),
        }
    }

    /// Results in one of `parts` equal parts.
    fn part_results(&self, plan: &Plan<'_>, parts: usize) -> usize {
        match self {
            Self::Bezier(bezier, _) => 64 * bezier.cell_count().div_ceil(parts),
            Self::Evaluated { .. } => {
                plan.solid().elements().len().div_ceil(parts) * plan.samples_per_element()
            }
        }
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
            "precision": format!("{:?}", self.precision),
            "derivatives": self.derivatives,
            "attribute_derivatives": self.attribute_derivatives,
            "gradients": self.gradients,
            "jacobian": self.jacobian,
            "no_weld": self.separate_points,
            "piece_points": self.piece_points,
        })
    }
}

/// Says at how many points derivatives or gradients do not exist.
pub fn warn_of_undefined(a: &Arguments, count: usize, console: &Console) {
    if count > 0 {
        let points = counted(count, "point");
        let (what, places) = if a.gradients {
            let places = "where det J is 0 or on extraordinary edges and vertices";
            ("gradients or derivatives", places)
        } else {
            ("derivatives", "on extraordinary edges and vertices")
        };
        let written = if a.output.is_some() { "; they are written as NaN" } else { "" };
        console.warn(format!("{what} do not exist at {points}, {places}{written}"));
    }
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the file written; null with `--quality` alone.
    output: Option<String>,
    /// Name of the processor.
    backend: String,
    /// Number of points written.
    pub points: usize,
    /// Number of cells written.
    cells: usize,
    /// Number of pieces of a `.pvtu`; 1 for other files.
    pub pieces: usize,
    /// Number of limit points, or points of Bézier cells, evaluated before welding.
    pub evaluated: usize,
    /// Number of points where a derivative does not exist.
    pub undefined_derivatives: usize,
    /// Number of Bézier cells that represent the limit exactly; null for other cells.
    exact_cells: Option<usize>,
    /// Largest estimated distance of a Bézier cell from the limit, in length units; null for other
    /// cells.
    error_bound: Option<f64>,
    /// Duration of evaluation and writing, in seconds.
    pub seconds: f64,
    /// Number of left-handed hexahedra in the mesh.
    pub left_handed_cells: usize,
    /// Number of hexahedral cells next to wedges, tetrahedra and other polyhedra, with which they
    /// share no points of the file.
    unjoined_hexahedra: usize,
    /// Where the samples are, in words.
    #[serde(skip)]
    pub places: String,
    /// Report on the Jacobians, with `--quality`.
    pub quality: Option<Quality>,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.evaluate/1";
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
            unjoined_hexahedra: 0,
            places: String::new(),
            quality: None,
        }
    }

    pub(super) fn count(&mut self, limit: &Limit) {
        self.evaluated += limit.len();
        let undefined = limit.undefined_derivatives();
        self.undefined_derivatives += undefined.iter().filter(|&&u| u == 1).count();
    }

    /// Counts the hexahedral cells of some elements that share no points with cells beside them.
    pub(super) fn count_unjoined(
        &mut self,
        a: &Arguments,
        request: &GridRequest,
        solid: &Solid,
        elements: Range<usize>,
    ) {
        if a.output.is_some() && request.is_welded {
            self.unjoined_hexahedra += volume::unjoined_hexahedra(solid, elements);
        }
    }

    /// Says where cells that touch share no points.
    pub fn warn_of_unjoined(&self, console: &Console) {
        if let Some(notice) = volume::unjoined_notice(self.unjoined_hexahedra) {
            console.warn(format!("{notice}; --levels 1 joins them"));
        }
    }

    /// Says how exact Bézier cells are, and what was written.
    fn say_written(
        &self,
        a: &Arguments,
        format: Option<Format>,
        start: Instant,
        console: &Console,
    ) {
        if let (Some(bound), Some(exact)) = (self.error_bound, self.exact_cells) {
            console.status("Fitted", exactness([exact, self.cells], "Bézier cell", bound));
        }
        let Some(output) = &a.output else { return };
        let mut counts = counted(self.points, "point");
        if format != Some(Format::Csv) {
            counts += &format!(", {}", counted(self.cells, "cell"));
        }
        let name = a.pieces.map_or(output.display().to_string(), |part| part_of(output, part));
        console.wrote(name, counts, start);
    }

    /// Numbers of [`Report::numbers`].
    pub const NUMBERS: usize = 9;

    /// What adds up, for the report of all ranks.
    pub fn numbers(&self) -> Vec<f64> {
        let counts = [self.points, self.cells, self.pieces, self.evaluated];
        let more = [self.undefined_derivatives, self.left_handed_cells, self.unjoined_hexahedra];
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
            &mut self.unjoined_hexahedra,
        ];
        counts.into_iter().zip(numbers).for_each(|(sum, &count)| *sum += count as usize);
        if let &[.., exact, bound] = numbers
            && !exact.is_nan()
        {
            self.exact_cells = Some(self.exact_cells.unwrap_or(0) + exact as usize);
            self.error_bound = Some(self.error_bound.unwrap_or(0.0).max(bound));
        }
    }

    /// Says what was done since `start`, and reports it.
    pub fn conclude(
        mut self,
        a: &Arguments,
        format: Option<Format>,
        quality: Quality,
        start: Instant,
        console: &Console,
    ) -> Result<Outcome> {
        self.seconds = start.elapsed().as_secs_f64();
        let results = counted(self.evaluated, "point");
        console.status("Evaluated", format!("{results} in {}", since(start)));
        self.say_written(a, format, start, console);
        self.warn_of_unjoined(console);
        warn_of_undefined(a, self.undefined_derivatives, console);
        self.quality = a.quality.then_some(quality);
        self.finish(console)
    }

    /// Reports, and says how the program ends.
    pub fn finish(&self, console: &Console) -> Result<Outcome> {
        if console.json() || self.quality.is_some() {
            let text = |found| quality::text(found, self.left_handed_cells, &self.places);
            console.report(self, || self.quality.as_ref().map(text).unwrap_or_default())?;
        }
        Ok(match &self.quality {
            Some(quality) if !quality.non_positive.is_empty() => Outcome::PoorQuality,
            _ => Outcome::Done,
        })
    }
}
