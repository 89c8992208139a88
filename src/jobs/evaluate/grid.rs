//! Grids of samples, piece by piece: one is evaluated while those before it are written.

use std::ops::Range;
use std::time::Instant;

use super::super::output::{part_of, warn_left_out};
use super::super::{Notes, since};
use super::check::SampleGrid;
use super::ranges::RangeEvaluator;
use super::report::EvaluateReport;
use super::request::{EvaluateRequest, LimitCells};
use super::single::{RANGES, Single, range_results, result_bytes};
use super::writer::Writer;
use crate::backend::{Backend, Limit};
use crate::bezier::CELL_RINGS;
use crate::error::{Result, option};
use crate::io::{Dataset, Format, PieceJob, PieceWriter, check_arrays_of};
use crate::limit::Solid;
use crate::memory::check_half;
use crate::mesh::SolidMesh;
use crate::numbers::counted;
use crate::plan::{Plan, Samples, Want};
use crate::slice::fingerprint;
use crate::volume::{self, Bezier, BezierInput, Quality, SharedPoints, Sharing};

/// Results in a piece of a `.pvtu`.
const PIECE_RESULTS: usize = 2_000_000;
/// Bytes that pieces at work take, at most, unless the number of points is given.
const PIECE_BYTES: usize = 2 << 30;
/// Points of Bézier cells in a piece.
const BEZIER_PIECE: usize = 64 * 8192;

/// Where the datasets of the pieces come from.
pub(super) enum DatasetSource<'a> {
    Evaluated {
        plan: &'a Plan<'a>,
        evaluator: RangeEvaluator<'a>,
        limit: Limit,
        between: Option<(RangeEvaluator<'a>, Limit)>,
    },
    Bezier(Bezier<'a>, BezierInput<'a>),
}

impl EvaluateRequest {
    /// Evaluates and writes; nothing if the part asked for is there already.
    pub(super) fn run_grid(
        &self,
        grid: &SampleGrid,
        (mesh, solid): (&SolidMesh, &Solid),
        backend: &dyn Backend,
        notes: &mut dyn Notes,
    ) -> Result<Option<EvaluateReport>> {
        let start = Instant::now();
        notes.begin("Planning");
        let is_in_parts = solid.is_outline() && self.parameters_alone(grid)?.is_some();
        let plan = |samples: &Samples, want| {
            if is_in_parts { solid.plan_outline(samples, want) } else { solid.plan(samples, want) }
        };
        let between = self.order_to_report(grid).map(volume::samples_between);
        let between = between.map(|samples| plan(&samples, Want::POSITION)).transpose()?;
        let plan = plan(&grid.samples, self.want(Some(grid.cells))?)?;
        let job = GridJob { request: self, grid, mesh, plan: &plan, between: between.as_ref() };
        job.check_arrays()?;
        let mut source = job.source(backend)?;
        let batches = counted(plan.batches().len(), "batch");
        notes.status("Planned", format!("{batches} in {}", since(start)));
        let Some((writer, pieces)) = job.open(&source, notes)? else { return Ok(None) };
        let elements: usize = pieces.iter().map(Range::len).sum();
        let count = counted(elements, "element");
        notes.status("Evaluating", format!("{count} on the {}", backend.name()));

        let start = Instant::now();
        let mut report = EvaluateReport::new(self, backend.name(), grid.samples.places());
        report.left_handed_cells = mesh.handedness().left_handed;
        report.count_unjoined(grid, solid, 0..solid.elements().len());
        let mut quality = Quality::default();
        let single = match &writer {
            Writer::Single(_, single) => Some(single.clone()),
            _ => None,
        };
        let is_single = single.is_some();
        let mut done = 0;
        let mut next = |range: Range<usize>| -> Result<Option<Dataset>> {
            done += range.len();
            let made = job.piece(&mut source, single.as_ref(), range, &mut quality, &mut report)?;
            if let (Some((_, left_out)), 1) = (&made, report.pieces) {
                warn_left_out(left_out, notes);
            }
            notes.progress(done, elements)?;
            Ok(made.map(|(dataset, _)| dataset))
        };
        writer.write(self.write_options(), |send| {
            let sent = |range| next(range).transpose().is_none_or(&mut *send);
            pieces.into_iter().all(sent);
        })?;
        if is_single {
            report.pieces = report.pieces.min(1);
        }
        Ok(Some(report.conclude(self, Some(grid), quality, start, notes)))
    }

    /// Order of cells whose distance from the limit is reported: those for finite elements, and of an
    /// order that is asked for, in a file that is written by this program alone.
    pub(super) fn order_to_report(&self, grid: &SampleGrid) -> Option<usize> {
        let is_for_elements = matches!(grid.format, Some(Format::Exchange(_)));
        let is_asked = is_for_elements || self.order.is_some() && self.pieces.is_none();
        let is_lagrange = grid.cells == LimitCells::Lagrange;
        (is_lagrange && is_asked).then(|| self.nodes(grid.cells) - 1)
    }

    /// Results in a piece, at most: the same on all machines, so that parts of a job agree.
    pub(super) fn piece_results(&self, cells: LimitCells, mesh: &SolidMesh) -> Result<usize> {
        let most = if cells == LimitCells::Bezier { BEZIER_PIECE } else { PIECE_RESULTS };
        let result = result_bytes(self.want(Some(cells))?, mesh);
        let fitting = PIECE_BYTES / (RANGES * result);
        Ok(self.piece_points.unwrap_or(most.min(fitting.max(1))))
    }

    /// Everything that the bytes of pieces depend on, but for rounding on different processors.
    fn parameters(&self, cells: LimitCells, mesh: &SolidMesh) -> serde_json::Value {
        serde_json::json!({
            "program": concat!("subsolid ", env!("CARGO_PKG_VERSION")),
            "model_sha256": fingerprint(mesh),
            "cells": cells,
            "samples": self.places.samples,
            "gauss": self.places.gauss,
            "order": self.order,
            "rings": self.rings,
            "precision": format!("{:?}", self.processor.precision),
            "derivatives": self.quantities.derivatives,
            "attribute_derivatives": self.quantities.attribute_derivatives,
            "gradients": self.quantities.gradients,
            "jacobian": self.quantities.jacobian,
            "no_weld": self.separate_points,
            "piece_points": self.piece_points,
        })
    }
}

/// A grid of samples that is evaluated and written.
pub(super) struct GridJob<'a> {
    pub(super) request: &'a EvaluateRequest,
    pub(super) grid: &'a SampleGrid,
    pub(super) mesh: &'a SolidMesh,
    pub(super) plan: &'a Plan<'a>,
    /// Samples between the nodes of cells, where their distance from the limit is reported.
    pub(super) between: Option<&'a Plan<'a>>,
}

impl<'a> GridJob<'a> {
    /// Refuses, before any work, arrays of points that the format does not hold.
    fn check_arrays(&self) -> Result<()> {
        let &SampleGrid { cells: LimitCells::Points, format: Some(format), .. } = self.grid else {
            return Ok(());
        };
        let attributes = &self.mesh.attributes;
        let widths: Vec<usize> = attributes.iter().map(|a| a.width).collect();
        let points = Some(LimitCells::Points);
        let mut none = Limit::of(self.request.want(points)?, &widths);
        self.request.keep_shown(points, &mut none)?;
        let mut dataset = volume::points(self.plan, &none, attributes);
        volume::add_cell_data(&mut dataset, &self.mesh.cell_data);
        check_arrays_of(format, &dataset)
    }

    /// Opens the output; returns where results go and the pieces to evaluate, or nothing if the
    /// part asked for is there already.
    fn open(
        &self,
        source: &DatasetSource<'_>,
        notes: &mut dyn Notes,
    ) -> Result<Option<(Writer<'a>, Vec<Range<usize>>)>> {
        let &Self { request, grid: &SampleGrid { cells, format, .. }, mesh, plan, .. } = self;
        let (piece, options) = (request.piece_results(cells, mesh)?, request.write_options());
        Ok(Some(match (&request.output, request.pieces) {
            (Some(output), Some(part)) => {
                // no larger than a part's share
                let pieces = source.pieces(plan, piece.min(source.part_results(plan, part.of)));
                self.check_pieces(source, &pieces)?;
                let parameters = request.parameters(cells, mesh);
                let job = PieceJob::create(output, part, pieces.len(), parameters, options)?;
                let Some(job) = job else {
                    notes.status("Skipped", format!("{}: it exists", part_of(output, part)));
                    return Ok(None);
                };
                let own = pieces[job.pieces()].to_vec();
                (Writer::Job(job), own)
            }
            (Some(output), None) if format == Some(Format::Pvtu) => {
                let pieces = source.pieces(plan, piece);
                self.check_pieces(source, &pieces)?;
                (Writer::Pieces(PieceWriter::create(output, options)?), pieces)
            }
            (Some(output), None) => {
                let ranges = source.pieces(plan, range_results(plan, mesh).min(piece));
                let results = |range: &Range<usize>| source.results(plan, range);
                let single = Single::new(request, self.grid, (plan, mesh), results, &ranges)?;
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
        let result = RANGES * result_bytes(plan.want(), self.mesh);
        let what = format!("pieces of {} need", counted(largest, "point"));
        check_half(what, (largest * result) as u128, |limit| {
            let most = (limit / result as u128).max(1);
            message!("give ", option("piece_points", most), " or less")
        })
    }

    /// Prepares what the datasets come from.
    pub(super) fn source(&self, backend: &'a dyn Backend) -> Result<DatasetSource<'a>> {
        if self.grid.cells == LimitCells::Bezier {
            let rings = self.request.rings.unwrap_or(CELL_RINGS);
            let bezier = Bezier::new(self.plan.solid(), rings)?;
            let input = bezier.input(self.mesh.controls())?;
            return Ok(DatasetSource::Bezier(bezier, input));
        }
        let is_outline = self.plan.solid().is_outline();
        let parameters = if is_outline { self.request.parameters_alone(self.grid)? } else { None };
        let (mesh, parameters) = (self.mesh, parameters.as_deref());
        let of = |plan| RangeEvaluator::new(plan, mesh, parameters, backend);
        let (evaluator, limit) = (of(self.plan)?, Limit::default());
        let between = self.between.map(of).transpose()?;
        let between = between.map(|evaluator| (evaluator, Limit::default()));
        Ok(DatasetSource::Evaluated { plan: self.plan, evaluator, limit, between })
    }

    /// Evaluates the elements of a piece, of a single file or of one among others, and counts it;
    /// returns its dataset and the names of the cell arrays that it has no place for, or nothing if
    /// nothing is to be written.
    pub(super) fn piece(
        &self,
        source: &mut DatasetSource<'a>,
        single: Option<&Single>,
        range: Range<usize>,
        quality: &mut Quality,
        report: &mut EvaluateReport,
    ) -> Result<Option<(Dataset, Vec<&'a str>)>> {
        let &Self { request, mesh, .. } = self;
        let mut dataset = match source {
            DatasetSource::Evaluated { plan, evaluator, limit, between } => {
                evaluator.evaluate(range.clone(), limit)?;
                if let Some((evaluator, exact)) = between {
                    evaluator.evaluate(range, exact)?;
                    let order = request.nodes(self.grid.cells) - 1;
                    let distance = volume::lagrange_distance(order, limit, exact);
                    report.distance = Some(report.distance.unwrap_or(0.0).max(distance));
                }
                if request.quality {
                    quality.add(plan, limit);
                }
                request.keep_shown(Some(self.grid.cells), limit)?;
                report.count(limit);
                if request.output.is_none() {
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
            None if self.grid.is_welded => Sharing::Welded,
            None => Sharing::None,
        };
        match self.grid.cells {
            LimitCells::Lagrange => volume::lagrange(plan, limit, attributes, sharing),
            LimitCells::Hexahedra => volume::hexahedra(plan, limit, attributes, sharing),
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

    /// Results of some elements.
    fn results(&self, plan: &Plan<'_>, elements: &Range<usize>) -> usize {
        match self {
            Self::Bezier(bezier, _) => 64 * bezier.cells_of(elements.clone()),
            Self::Evaluated { .. } => plan.result_count(elements),
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
