//! Grids of samples on ranks: each takes a run of the pieces of a `.pvtu`, or of the samples whose
//! quality is asked for. No rank holds the mesh, or the refined one, or the setup of others.

use std::ops::Range;
use std::time::Instant;

use indicatif::ProgressBar;
use subsolid::backend::{Backend, Precision};
use subsolid::cluster::{Ranks, block};
use subsolid::io::{Format, WriteOptions};
use subsolid::mesh::{CellLengths, SolidMesh};
use subsolid::numbers::counted;
use subsolid::parts::Blocks;
use subsolid::plan::element_pieces;
use subsolid::volume::{Quality, name_cells};
use subsolid::{Error, Result};

use super::precision::{not_finite, warn_of_not_finite, warn_of_single};
use super::run::{GridJob, Report, piece_results};
use super::{Arguments, Console, GridRequest, Outcome};
use crate::cli::cluster::{all_numbers, all_rows, own_choice};
use crate::cli::output::{check_names, warn_left_out, warn_of_lost_data};
use crate::cli::pieces::covered;
use crate::cli::rank_model::{BLOCK_ELEMENTS, blocks};
use crate::cli::shared_pieces::SharedPieces;

pub fn run(
    mut a: Arguments,
    ranks: &Ranks<'_>,
    request: &GridRequest,
    console: &Console,
) -> Result<Outcome> {
    let format = request.format;
    a.check_of_ranks(format)?;
    let whole = || a.model.read(console);
    let model = a.model.load_on_ranks(ranks, true, console, whole)?;
    let count = model.element_count(a.levels)?;
    let per_element = request.samples.per_element();
    let most = piece_results(&a, request.shape, model.block())?;
    let pieces: Vec<_> = element_pieces(count, per_element, most).collect();
    let own = block(pieces.len(), ranks.rank(), ranks.size());
    let range = covered(&pieces[own.clone()]);
    let elements = range.len();
    let part = model.into_part(ranks, a.levels, range)?;
    a.model.check_cells_on_ranks(&part, ranks, console)?;
    a.check_part(part.mesh(), format, ranks, console)?;
    let blocks = blocks(&part, count, ranks, console)?;
    let shape = Some(request.shape);
    let cost = a.cost(request.results(elements), shape, part.mesh())?;
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

/// Lengths of the whole mesh: each part has the vertices that span it.
fn lengths_of_all(mesh: &SolidMesh, ranks: &Ranks<'_>) -> Result<CellLengths> {
    let own = CellLengths::new(mesh);
    let all = all_rows(ranks, [own.largest, own.smallest])?;
    let all = all.into_iter().map(|[largest, smallest]| CellLengths { largest, smallest });
    Ok(all.fold(own, CellLengths::of_both))
}

/// The end of the pieces that make a block with piece `first`.
fn block_end(pieces: &[Range<usize>], first: usize, end: usize) -> usize {
    let fits = |index: &usize| pieces[*index].end - pieces[first].start <= BLOCK_ELEMENTS;
    (first + 1..end).take_while(fits).last().map_or(first + 1, |last| last + 1)
}

impl Arguments {
    /// Refuses what the attributes do not allow, and warns where single precision is too little for
    /// the mesh that the parts of all ranks make.
    fn check_part(
        &self,
        mesh: &SolidMesh,
        format: Option<Format>,
        ranks: &Ranks<'_>,
        console: &Console,
    ) -> Result<()> {
        self.check_attributes(mesh)?;
        if let Some(format) = format {
            check_names(format, mesh)?;
        }
        if let Some(output) = &self.output {
            warn_of_lost_data(mesh, true, output, console);
        }
        if self.precision == Precision::F32 {
            warn_of_single(lengths_of_all(mesh, ranks)?, self.levels, console);
        }
        let parts = all_numbers(ranks, Ok(not_finite(mesh)))?;
        let of_all =
            |a: usize| parts.iter().filter_map(|part| part.get(a)).copied().fold(0.0, f64::max);
        let flags: Vec<f64> = (0..mesh.attributes.len()).map(of_all).collect();
        warn_of_not_finite(mesh, &flags, console);
        Ok(())
    }

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
