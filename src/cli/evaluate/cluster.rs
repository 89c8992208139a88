//! Grids of samples on ranks: each takes a run of the pieces of a `.pvtu`, or of the samples whose
//! quality is asked for. No rank holds the refined mesh, or the setup of others.

use std::ops::Range;
use std::time::Instant;

use indicatif::ProgressBar;
use subsolid::backend::Backend;
use subsolid::cluster::{Ranks, block};
use subsolid::io::{Format, WriteOptions};
use subsolid::jobs::shared_pieces::SharedPieces;
use subsolid::numbers::counted;
use subsolid::parts::Blocks;
use subsolid::plan::element_pieces;
use subsolid::scheme::VertexRule;
use subsolid::volume::{Quality, name_cells};
use subsolid::{Error, Result};

use super::run::{GridJob, Report, piece_results};
use super::{Arguments, Console, GridRequest, Outcome};
use crate::cli::cluster::{BLOCK_ELEMENTS, all_numbers, measure, own_choice};
use crate::cli::output::warn_left_out;
use crate::cli::pieces::covered;

pub fn run(
    mut a: Arguments,
    ranks: &Ranks<'_>,
    request: &GridRequest,
    console: &Console,
) -> Result<Outcome> {
    let format = request.format;
    a.check_of_ranks(format)?;
    let mesh = a.model.read(console)?;
    a.model.check_cells(&mesh, console)?;
    let mut blocks = Blocks::new(&mesh, a.levels, VertexRule::default())?;
    let count = blocks.count();
    let per_element = request.samples.per_element();
    let most = piece_results(&a, request.shape, &mesh)?;
    let pieces: Vec<_> = element_pieces(count, per_element, most).collect();
    let own = block(pieces.len(), ranks.rank(), ranks.size());
    let elements = covered(&pieces[own.clone()]).len();
    a.check_mesh(&mesh, a.levels, format, console)?;
    measure(&mut blocks, ranks, &mut console.notes())?;
    let shape = Some(request.shape);
    let cost = a.cost(request.results(elements), shape, &mesh)?;
    a.processor.backend = own_choice(a.processor.backend, &cost, ranks)?;
    let backend = a.backend(shape, &cost, console)?;
    let (name, size) = (backend.name(), counted(ranks.size(), "rank"));
    let all = counted(count, "element");
    console.status("Evaluating", format!("{all} on {size}; rank 0 on the {name}"));

    let start = Instant::now();
    let options = WriteOptions { compress: a.compress };
    let writer = match &a.output {
        Some(output) => Some(SharedPieces::create(output, options, ranks)?),
        None => None,
    };
    let mut work = RankWork {
        a: &a,
        ranks,
        blocks: &blocks,
        backend: &*backend,
        request,
        console,
        bar: console.bar(elements),
        writer,
        report: Report::new(&a, backend.name()),
        quality: Quality::default(),
    };
    let mut next = own.start;
    while next < own.end {
        let end = block_end(&pieces, next, own.end);
        work.evaluate_block(&pieces[next..end], next)?;
        next = end;
    }
    work.bar.finish_and_clear();
    // in the order of the elements, so that the first of equal extremes is that of one program
    let own = [work.report.numbers(), work.quality.to_numbers()].concat();
    let all = all_numbers(ranks, Ok(own))?;
    if let Some(writer) = work.writer {
        writer.finish(ranks)?;
    }
    let (mut report, quality) = sums(Report::new(&a, backend.name()), &all)?;
    report.places = request.samples.places();
    report.conclude(&a, format, quality, start, console)
}

/// The sums of what all ranks have found.
fn sums(mut report: Report, all: &[Vec<f64>]) -> Result<(Report, Quality)> {
    let mut quality = Quality::default();
    for numbers in all {
        let (own, rest) =
            numbers.split_at_checked(Report::NUMBERS).ok_or_else(Error::broken_message)?;
        report.add(own);
        quality.merge(&Quality::from_numbers(rest)?);
    }
    Ok((report, quality))
}

/// What a rank evaluates with, and what it has found so far.
struct RankWork<'a> {
    a: &'a Arguments,
    ranks: &'a Ranks<'a>,
    blocks: &'a Blocks<'a>,
    backend: &'a dyn Backend,
    request: &'a GridRequest,
    console: &'a Console,
    bar: ProgressBar,
    writer: Option<SharedPieces>,
    report: Report,
    quality: Quality,
}

impl RankWork<'_> {
    /// Evaluates and writes pieces that make a block, the first of which is number `first` of all.
    fn evaluate_block(&mut self, pieces: &[Range<usize>], first: usize) -> Result<()> {
        let (a, request) = (self.a, self.request);
        let block = self.blocks.block(covered(pieces))?;
        let solid = block.solid().map_err(|error| self.blocks.fault(error))?;
        let plan = solid.plan(&request.samples, a.want(Some(request.shape))?)?;
        let job = GridJob { a, request, mesh: &block.mesh, plan: &plan };
        let mut source = job.source(self.backend)?;
        let mut found = Quality::default();
        let report = &mut self.report;
        report.left_handed_cells += block.left_handed();
        report.count_unjoined(a, request, &solid, block.elements.clone());
        let at = |element: usize| element - pieces[0].start + block.elements.start;
        for (index, piece) in (first..).zip(pieces) {
            self.ranks.go_on()?;
            let range = at(piece.start)..at(piece.end);
            let made = job.piece(&mut source, None, range, &mut found, report)?;
            if let (Some((mut dataset, left_out)), Some(writer)) = (made, &mut self.writer) {
                if index == 0 {
                    warn_left_out(&left_out, self.console);
                }
                name_cells(&mut dataset, &block.cells);
                writer.push(index, &dataset)?;
            }
            self.bar.inc(piece.len() as u64);
        }
        self.quality.merge(&found.of_whole(&block.cells));
        Ok(())
    }
}

/// The end of the pieces that make a block with piece `first`.
fn block_end(pieces: &[Range<usize>], first: usize, end: usize) -> usize {
    let fits = |index: &usize| pieces[*index].end - pieces[first].start <= BLOCK_ELEMENTS;
    (first + 1..end).take_while(fits).last().map_or(first + 1, |last| last + 1)
}

impl Arguments {
    /// Refuses what ranks do not share.
    fn check_of_ranks(&self, format: Option<Format>) -> Result<()> {
        let refused = |what: &str, help: &str| Err(Error::request(what).with_help(help));
        if self.explain || self.pieces.is_some() {
            return refused(
                "--explain and --pieces are for one program",
                "leave them out, or leave --mpi out",
            );
        }
        if format.is_some_and(|format| format != Format::Pvtu) {
            return refused("ranks write a .pvtu", "end the name of the output in .pvtu");
        }
        Ok(())
    }
}
