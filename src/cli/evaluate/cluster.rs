//! Grids of samples on ranks: each takes a run of the pieces of a `.pvtu`, or of the samples whose
//! quality is asked for. No rank holds the mesh, or the refined one, or the set-up of others.

use std::ops::Range;
use std::time::Instant;

use subsolid::backend::Precision;
use subsolid::cluster::Ranks;
use subsolid::io::{Format, WriteOptions};
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::plan::{Samples, element_pieces};
use subsolid::volume::{Quality, name_cells};
use subsolid::{Error, Result};

use super::precision::{lengths, warn_of_single};
use super::run::{BEZIER_ELEMENTS, PIECE, Report, Source, warn_of_undefined};
use super::{Arguments, CellShape, Console, Outcome, Request};
use crate::cli::cluster::{all_numbers, all_rows, own_choice};
use crate::cli::console::since;
use crate::cli::model::{check_names, warn_left_out};
use crate::cli::pieces::{covered, share};
use crate::cli::rank_model::{BLOCK, blocks};
use crate::cli::shared_pieces::SharedPieces;

pub fn run(
    mut a: Arguments,
    ranks: &Ranks<'_>,
    (samples, shape): (Samples, CellShape),
    format: Option<Format>,
    console: &Console,
) -> Result<Outcome> {
    a.check_of_ranks(format)?;
    let whole = || a.model.read(console);
    let model = a.model.load_on_ranks(ranks, true, console, whole)?;
    let per_element = samples.per_element();
    let most = match shape {
        CellShape::Bezier => BEZIER_ELEMENTS * per_element,
        _ => a.piece_points.unwrap_or(PIECE),
    };
    let count = model.element_count(a.levels)?;
    let pieces: Vec<_> = element_pieces(count, per_element, most).collect();
    let own = share(&(0..pieces.len()), (ranks.rank() + 1, ranks.size()));
    let range = covered(&pieces[own.clone()]);
    let elements = range.len();
    let part = model.into_part(ranks, a.levels, range)?;
    a.model.check_cells_on_ranks(&part, ranks, console)?;
    let mesh = part.mesh();
    a.check_attributes(mesh)?;
    if let Some(format) = format {
        check_names(format, mesh)?;
    }
    if a.precision == Precision::F32 {
        warn_of_single(lengths_of_all(mesh, ranks)?, a.levels, console);
    }
    let blocks = blocks(&part, count, ranks, console)?;
    let request = Request::Grid(samples, shape);
    let cost = a.cost(&request, mesh, elements)?;
    a.processor.backend = own_choice(a.processor.backend, &cost, ranks)?;
    let backend = a.backend(&request, &cost, console)?;
    let Request::Grid(samples, _) = request else { return Ok(Outcome::Done) };
    let (name, size) = (backend.name(), counted(ranks.size(), "rank"));
    console.status("Evaluating", format!("{count} elements on {size}, the first's on the {name}"));

    let start = Instant::now();
    let options = WriteOptions { compress: a.compress };
    let mut writer = match &a.output {
        Some(output) => Some(SharedPieces::create(output, options, ranks)?),
        None => None,
    };
    let mut report = Report::new(&a, backend.name());
    let mut quality = Quality::default();
    let bar = console.bar(elements);
    let mut next = own.start;
    while next < own.end {
        let end = block_end(&pieces, next, own.end);
        let block = blocks.block(pieces[next].start..pieces[end - 1].end)?;
        let solid = block.solid().map_err(|error| blocks.fault(error))?;
        let plan = solid.plan(&samples, a.want(Some(shape))?)?;
        let mut source = Source::new(&a, shape, &*backend, &plan)?;
        let mut found = Quality::default();
        report.left_handed_cells += block.left_handed();
        report.count_unjoined(&a, shape, &solid, block.elements.clone());
        let first = pieces[next].start;
        for (index, piece) in (next..).zip(&pieces[next..end]) {
            ranks.go_on()?;
            let at = |element: usize| element - first + block.elements.start;
            let range = at(piece.start)..at(piece.end);
            let made =
                source.piece(&a, (shape, None), &block.mesh, range, &mut found, &mut report)?;
            if let (Some((mut dataset, left_out)), Some(writer)) = (made, &mut writer) {
                if index == 0 {
                    warn_left_out(&left_out, console);
                }
                name_cells(&mut dataset, &block.cells);
                writer.push(index, &dataset)?;
            }
            bar.inc(piece.len() as u64);
        }
        quality.merge(&found.of_whole(&block.cells));
        next = end;
    }
    bar.finish_and_clear();
    // in the order of the elements, so that the first of equal extremes is that of one program
    let own = [report.numbers(), quality.to_numbers()].concat();
    let mut all = all_numbers(ranks, Ok(own))?.into_iter();
    if let Some(writer) = writer {
        writer.finish(ranks)?;
    }
    let mut quality = Quality::default();
    let mut report = Report::new(&a, backend.name());
    all.try_for_each(|numbers| -> Result<()> {
        let (own, rest) =
            numbers.split_at_checked(Report::NUMBERS).ok_or_else(Error::broken_message)?;
        report.add(own);
        quality.merge(&Quality::from_numbers(rest)?);
        Ok(())
    })?;
    report.seconds = start.elapsed().as_secs_f64();
    let results = counted(report.results(), "point");
    console.status("Evaluated", format!("{results} in {}", since(start)));
    report.say_written(&a, format, console);
    report.warn_of_unjoined(console);
    warn_of_undefined(&a, report.undefined_derivatives, console);
    report.quality = a.quality.then_some(quality);
    report.finish(console)
}

/// [`lengths`] of the whole mesh: each part has the vertices that span it.
fn lengths_of_all(mesh: &SolidMesh, ranks: &Ranks<'_>) -> Result<[f64; 2]> {
    let all = all_rows(ranks, lengths(mesh))?;
    let of = |i: usize| all.iter().map(move |lengths| lengths[i]);
    Ok([of(0).fold(0.0, f64::max), of(1).fold(f64::INFINITY, f64::min)])
}

/// The end of the pieces that make a block with piece `first`.
fn block_end(pieces: &[Range<usize>], first: usize, end: usize) -> usize {
    let fits = |index: &usize| pieces[*index].end - pieces[first].start <= BLOCK;
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
