//! A quadrature on ranks: each has the setup of some of its own cells at a time.
//!
//! # Data flow
//! blocks of the rank's cells → what they add to the report and how many points they have → all
//! ranks know the report, and which pieces of the file start where → blocks once more → points →
//! pieces. The last piece of a rank may end with points of the next cells.

use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::time::Instant;

use super::super::output::{announce, warn_left_out};
use super::super::ranks::{all_numbers, all_rows, measure, own_choice};
use super::super::shared_pieces::SharedPieces;
use super::super::{Notes, backend_for, since};
use super::request::{BYTES_A_POINT, QuadratureRequest};
use super::{PIECE_POINTS, QuadratureReport, volume};
use crate::backend::Backend;
use crate::cluster::{Ranks, block};
use crate::error::{Error, Result, option_name};
use crate::io::{Dataset, Format};
use crate::mesh::SolidMesh;
use crate::numbers::counted;
use crate::parts::{Block, Blocks};
use crate::plan::{Cost, Want};
use crate::quadrature::{
    LEFT_HANDED, Mapping, PieceCut, Quadrature, QuadratureScheme, Report, ReportShare, points,
};
use crate::scheme::VertexRule;
use crate::volume::{add_cell_data, name_cells};

/// Elements that a rank has the quadrature of at a time: some hundred megabytes.
const BLOCK_ELEMENTS: usize = 1 << 16;
/// Elements of other ranks that it takes at a time to end a piece.
const NEXT_ELEMENTS: usize = 1 << 12;

impl QuadratureRequest {
    /// Refuses what ranks do not share.
    ///
    /// # Errors
    /// [`Error::Request`] for a part of a job, a quadrature of the boundary and another output than
    /// pieces.
    pub fn check_of_ranks(&self) -> Result<()> {
        let refused = |what: &str| {
            let help = message!("leave it out, or leave ", option_name("mpi"), " out");
            Err(Error::request(message!(option_name(what), " is for one program")).with_help(help))
        };
        if self.boundary.is_some() {
            return refused("boundary");
        }
        if self.pieces.is_some() {
            return refused("pieces");
        }
        match self.format()? {
            None | Some(Format::Pvtu) => Ok(()),
            _ => Err(Error::request("ranks write a .pvtu")
                .with_help("end the name of the output in .pvtu")),
        }
    }

    /// [`QuadratureRequest::run`] on ranks, which all have the whole mesh; it is refined `levels`
    /// times.
    ///
    /// # Errors
    /// As [`QuadratureRequest::run`] and [`QuadratureRequest::check_of_ranks`]; the error of
    /// another rank.
    pub fn run_on_ranks(
        &self,
        (mesh, levels): (&SolidMesh, usize),
        ranks: &Ranks<'_>,
        has_remainders: bool,
        report: impl FnOnce(&QuadratureReport) -> Result<()>,
        notes: &mut dyn Notes,
    ) -> Result<QuadratureReport> {
        self.check()?;
        self.check_of_ranks()?;
        let mut blocks = Blocks::new(mesh, levels, VertexRule::default())?;
        measure(&mut blocks, ranks, notes)?;
        let own = blocks.elements(block(mesh.cells.len(), ranks.rank(), ranks.size()));
        let left_handed = all_left_handed(&blocks, &own, ranks)?;

        let start = Instant::now();
        // the times of regular cells
        let samples = own.len().saturating_mul(self.scheme.gauss.pow(3));
        let cost = Cost::quadrature(samples);
        let backend = backend_for(own_choice(self.backend, &cost, ranks)?, &cost, notes)?;
        let (scheme, want) = (self.scheme, self.want());
        let work = RankQuadrature { blocks, elements: own, scheme, want, backend, left_handed };
        let (counts, share) = work.report(ranks)?;
        let numbers = [counts.to_numbers().to_vec(), share.to_numbers(has_remainders)].concat();
        let all = all_numbers(ranks, Ok(numbers))?;
        let mut counts = Vec::with_capacity(all.len());
        let mut shares = Vec::with_capacity(all.len());
        for numbers in &all {
            let (own, share) = numbers.split_first_chunk().ok_or_else(Error::broken_message)?;
            counts.push(RankCounts::from_numbers(own));
            shares.push(ReportShare::from_numbers(share)?);
        }
        let found = Report::of_shares(&shares, left_handed);
        let samples = counted(found.samples, "quadrature point");
        notes.status("Evaluated", format!("{samples} in {}", since(start)));
        notes.status("Integrated", volume(&found));
        if found.left_handed {
            notes.warn(LEFT_HANDED.into());
        }
        let bytes = self.output.as_ref().map(|output| {
            let bytes = BYTES_A_POINT * found.samples as u64;
            announce(output, bytes, self.max_size, notes).map(|()| bytes)
        });
        let sum = |of: fn(&RankCounts) -> usize| counts.iter().map(of).sum::<usize>();
        let found = QuadratureReport {
            setting: self.setting(None, bytes.transpose()?),
            leaves: sum(|counts| counts.leaves),
            table_bytes: None,
            report: found,
            left_handed_cells: sum(|counts| counts.left_handed),
        };
        report(&found)?;
        if let Some(output) = &self.output {
            self.write_checked(output.display(), &found.report, notes, |notes| {
                work.write(self, output, ranks, &counts, notes)
            })?;
        }
        Ok(found)
    }
}

/// Whether all cells of the mesh are left-handed hexahedra. One that is not decides, which the
/// first block of most ranks has.
fn all_left_handed(blocks: &Blocks<'_>, own: &Range<usize>, ranks: &Ranks<'_>) -> Result<bool> {
    let first = blocks.runs(own.clone(), 1).into_iter().take(1);
    let mut all = true;
    for run in first.chain(blocks.runs(own.clone(), BLOCK_ELEMENTS)) {
        ranks.go_on()?;
        let block = blocks.block(run)?;
        all = block.left_handed() == block.owned.len();
        if !all {
            break;
        }
    }
    let found = all_rows(ranks, [f64::from(u8::from(all))])?;
    Ok(found.iter().all(|[all]| *all == 1.0))
}

/// What a rank has.
#[derive(Clone, Copy, Default)]
struct RankCounts {
    leaves: usize,
    left_handed: usize,
    samples: usize,
    /// Samples of the last leaf, and of the one that has most.
    last: usize,
    largest: usize,
}

impl RankCounts {
    const NUMBERS: usize = 5;

    fn add(&mut self, block: &Block, samples: &[usize]) {
        self.leaves += samples.len();
        self.left_handed += block.left_handed();
        self.samples += samples.iter().sum::<usize>();
        self.last = samples.last().copied().unwrap_or(self.last);
        self.largest = samples.iter().copied().fold(self.largest, usize::max);
    }

    fn to_numbers(self) -> [f64; Self::NUMBERS] {
        let Self { leaves, left_handed, samples, last, largest } = self;
        [leaves, left_handed, samples, last, largest].map(|count| count as f64)
    }

    fn from_numbers(numbers: &[f64; Self::NUMBERS]) -> Self {
        let [leaves, left_handed, samples, last, largest] = numbers.map(|count| count as usize);
        Self { leaves, left_handed, samples, last, largest }
    }
}

/// Which pieces of the file the leaves of a rank are in.
struct Places {
    cut: PieceCut,
    // [rank]: points before its own, and the pieces of its first and last leaf; none without leaves
    before: Vec<usize>,
    pieces: Vec<Option<[usize; 2]>>,
}

impl Places {
    fn new(counts: &[RankCounts], most: usize) -> Self {
        let largest = counts.iter().map(|counts| counts.largest).max().unwrap_or_default();
        let cut = PieceCut::new(most, largest);
        let mut sum = 0;
        let (mut before, mut pieces) = (Vec::new(), Vec::new());
        for own in counts {
            let ends = [sum, sum + own.samples - own.last].map(|point| cut.piece(point));
            before.push(sum);
            pieces.push((own.leaves > 0).then_some(ends));
            sum += own.samples;
        }
        Self { cut, before, pieces }
    }

    /// The pieces that a rank writes: those whose first leaf it has.
    fn of_rank(&self, rank: usize) -> Range<usize> {
        let Some([first, last]) = self.pieces[rank] else { return 0..0 };
        let is_begun = self.pieces[..rank].iter().flatten().any(|&[_, last]| last == first);
        first + usize::from(is_begun)..last + 1
    }
}

/// Blocks with a quadrature each.
struct RankQuadrature<'m> {
    blocks: Blocks<'m>,
    // of this rank
    elements: Range<usize>,
    scheme: QuadratureScheme,
    want: Want,
    backend: Box<dyn Backend>,
    left_handed: bool,
}

impl RankQuadrature<'_> {
    /// Calls a function with the blocks of some runs, until it breaks.
    fn each(
        &self,
        ranks: &Ranks<'_>,
        runs: impl IntoIterator<Item = Range<usize>>,
        mut call: impl FnMut(&Block, &Mapping<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        for run in runs {
            ranks.go_on()?;
            let block = self.blocks.block(run)?;
            let solid = block.solid().map_err(|error| self.blocks.fault(error))?;
            Quadrature::check_memory(&solid, self.scheme, self.want)?;
            let quadrature = Quadrature::new(&solid, self.scheme, self.want)?;
            let side = Some(self.left_handed);
            let controls = block.mesh.controls();
            let mapping = Mapping::on(&*self.backend, &quadrature, controls, side)?;
            if call(&block, &mapping)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn report(&self, ranks: &Ranks<'_>) -> Result<(RankCounts, ReportShare)> {
        let (mut counts, mut share) = (RankCounts::default(), ReportShare::default());
        let runs = self.blocks.runs(self.elements.clone(), BLOCK_ELEMENTS);
        self.each(ranks, runs, |block, mapping| {
            let leaves = 0..mapping.quadrature().solid().leaves().len();
            counts.add(block, &mapping.quadrature().leaf_samples(leaves.clone()));
            share.append(ReportShare::new(mapping, leaves)?.of_whole(&block.cells));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((counts, share))
    }

    /// Writes the pieces that begin on this rank, with the points of the next cells that end them.
    fn write(
        &self,
        request: &QuadratureRequest,
        output: &Path,
        ranks: &Ranks<'_>,
        counts: &[RankCounts],
        notes: &mut dyn Notes,
    ) -> Result<()> {
        let places = Places::new(counts, request.piece_points.unwrap_or(PIECE_POINTS));
        let mut writer = SharedPieces::create(output, request.write_options(), ranks)?;
        let (own, mut before) = (places.of_rank(ranks.rank()), places.before[ranks.rank()]);
        let next = self.elements.end..self.blocks.count();
        let runs = self.blocks.runs(self.elements.clone(), BLOCK_ELEMENTS).into_iter();
        let runs = runs.chain(self.blocks.runs(next, NEXT_ELEMENTS));
        // the piece of the last points
        let mut open: Option<(usize, Dataset)> = None;
        self.each(ranks, runs.filter(|_| !own.is_empty()), |block, mapping| {
            let runs = mapping.quadrature().runs(places.cut, before);
            for (piece, leaves) in runs.into_iter().filter(|(piece, _)| own.contains(piece)) {
                let mut dataset = points(mapping, leaves)?;
                let left_out = add_cell_data(&mut dataset, &block.mesh.cell_data);
                if open.is_none() {
                    warn_left_out(&left_out, notes);
                }
                name_cells(&mut dataset, &block.cells);
                match &mut open {
                    Some((number, all)) if *number == piece => all.append_points(dataset)?,
                    _ => {
                        if let Some((number, all)) = open.replace((piece, dataset)) {
                            writer.push(number, &all)?;
                        }
                    }
                }
            }
            before += mapping.quadrature().sample_count();
            Ok(if places.cut.piece(before) < own.end {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        if let Some((number, all)) = open {
            writer.push(number, &all)?;
        }
        writer.finish(ranks)
    }
}
