//! Grids of samples on ranks: each takes a run of the pieces of a `.pvtu`, or of the samples whose
//! quality is asked for. No rank holds the refined mesh, or the setup of others.

use std::ops::Range;
use std::time::Instant;

use super::super::Notes;
use super::super::output::{covered, warn_left_out};
use super::super::ranks::{BLOCK_ELEMENTS, all_numbers, measure, own_choice};
use super::super::shared_pieces::SharedPieces;
use super::check::SampleGrid;
use super::grid::GridJob;
use super::report::EvaluateReport;
use super::request::EvaluateRequest;
use crate::backend::Backend;
use crate::cluster::{Ranks, block};
use crate::error::{Error, Result};
use crate::mesh::SolidMesh;
use crate::numbers::counted;
use crate::parts::Blocks;
use crate::plan::element_pieces;
use crate::scheme::VertexRule;
use crate::volume::{Quality, name_cells};

impl EvaluateRequest {
    /// [`EvaluateRequest::check_mesh`] and [`EvaluateRequest::run`] on ranks, which all have the
    /// whole mesh; it is refined `levels` times.
    ///
    /// # Errors
    /// As [`EvaluateRequest::check_mesh`], [`EvaluateRequest::run`],
    /// [`EvaluateRequest::check_of_ranks`] and other ranks.
    pub fn run_on_ranks(
        &self,
        (mesh, levels): (&SolidMesh, usize),
        ranks: &Ranks<'_>,
        notes: &mut dyn Notes,
    ) -> Result<EvaluateReport> {
        let grid = self.grid_of_ranks()?;
        let mut blocks = Blocks::new(mesh, levels, VertexRule::default())?;
        let count = blocks.count();
        let most = self.piece_results(grid.cells, mesh)?;
        let pieces: Vec<_> = element_pieces(count, grid.samples.per_element(), most).collect();
        let own = block(pieces.len(), ranks.rank(), ranks.size());
        let elements = covered(&pieces[own.clone()]).len();
        self.check_mesh(mesh, levels, notes)?;
        measure(&mut blocks, ranks, notes)?;
        let mut request = self.clone();
        let cost = self.cost(Some(&grid), (mesh, elements))?;
        request.processor.backend = own_choice(self.processor.backend, &cost, ranks)?;
        let backend = request.backend(Some(&grid), (mesh, elements), notes)?;
        let (name, size) = (backend.name(), counted(ranks.size(), "rank"));
        let all = counted(count, "element");
        notes.status("Evaluating", format!("{all} on {size}; rank 0 on the {name}"));

        let sampled = self.sampled(&grid, mesh)?;
        let block_elements =
            if sampled.is_some() { REFINED_BLOCK_ELEMENTS } else { BLOCK_ELEMENTS };
        let start = Instant::now();
        let options = self.write_options();
        let create = |output| SharedPieces::create(output, options, ranks);
        let writer = self.output.as_deref().map(create).transpose()?;
        let report = EvaluateReport::new(self, backend.name(), grid.samples.places());
        let mut work = RankWork {
            request: self,
            grid: &grid,
            ranks,
            blocks: &blocks,
            sampled: sampled.as_deref(),
            backend: &*backend,
            writer,
            notes,
            elements,
            evaluated: 0,
            report: report.clone(),
            quality: Quality::default(),
        };
        let mut next = own.start;
        while next < own.end {
            let end = block_end(&pieces, next..own.end, block_elements);
            work.evaluate_block(&pieces[next..end], next)?;
            next = end;
        }
        // in the order of the elements, so that the first of equal extremes is that of one program
        let own = [work.report.numbers(), work.quality.to_numbers()].concat();
        let all = all_numbers(ranks, Ok(own))?;
        if let Some(writer) = work.writer {
            writer.finish(ranks)?;
        }
        let (report, quality) = sums(report, &all)?;
        Ok(report.conclude(self, Some(&grid), quality, start, work.notes))
    }
}

/// The sums of what all ranks have found.
fn sums(mut report: EvaluateReport, all: &[Vec<f64>]) -> Result<(EvaluateReport, Quality)> {
    let mut quality = Quality::default();
    for numbers in all {
        let (own, rest) =
            numbers.split_at_checked(EvaluateReport::NUMBERS).ok_or_else(Error::broken_message)?;
        report.add(own);
        quality.merge(&Quality::from_numbers(rest)?);
    }
    Ok((report, quality))
}

/// Elements that a rank has the setup of at a time where they are refined far toward vertices.
const REFINED_BLOCK_ELEMENTS: usize = 1 << 16;

/// What a rank evaluates with, and what it has found so far.
struct RankWork<'a> {
    request: &'a EvaluateRequest,
    grid: &'a SampleGrid,
    ranks: &'a Ranks<'a>,
    blocks: &'a Blocks<'a>,
    // parameters that blocks are analyzed for, if not for all
    sampled: Option<&'a [f64]>,
    backend: &'a dyn Backend,
    writer: Option<SharedPieces>,
    notes: &'a mut dyn Notes,
    // of this rank: all, and those that are done
    elements: usize,
    evaluated: usize,
    report: EvaluateReport,
    quality: Quality,
}

impl RankWork<'_> {
    /// Evaluates and writes pieces that make a block, the first of which is number `first` of all.
    fn evaluate_block(&mut self, pieces: &[Range<usize>], first: usize) -> Result<()> {
        let (request, grid) = (self.request, self.grid);
        let block = self.blocks.block(covered(pieces))?;
        let solid = block.solid_for(self.sampled).map_err(|error| self.blocks.fault(error))?;
        let plan = solid.plan(&grid.samples, request.want(Some(grid.cells))?)?;
        let job = GridJob { request, grid, mesh: &block.mesh, plan: &plan, between: None };
        let mut source = job.source(self.backend)?;
        let mut found = Quality::default();
        let report = &mut self.report;
        report.left_handed_cells += block.left_handed();
        report.count_unjoined(grid, &solid, block.elements.clone());
        let at = |element: usize| element - pieces[0].start + block.elements.start;
        for (index, piece) in (first..).zip(pieces) {
            self.ranks.go_on()?;
            let range = at(piece.start)..at(piece.end);
            let made = job.piece(&mut source, None, range, &mut found, report)?;
            if let (Some((mut dataset, left_out)), Some(writer)) = (made, &mut self.writer) {
                if index == 0 {
                    warn_left_out(&left_out, self.notes);
                }
                name_cells(&mut dataset, &block.cells);
                writer.push(index, &dataset)?;
            }
            self.evaluated += piece.len();
            self.notes.progress(self.evaluated, self.elements)?;
        }
        self.quality.merge(&found.of_whole(&block.cells));
        Ok(())
    }
}

/// The end of those of a rank's own pieces that make a block, of at most so many elements, with the
/// first of them.
fn block_end(pieces: &[Range<usize>], own: Range<usize>, most: usize) -> usize {
    let first = own.start;
    let fits = |index: &usize| pieces[*index].end - pieces[first].start <= most;
    (first + 1..own.end).take_while(fits).last().map_or(first + 1, |last| last + 1)
}
