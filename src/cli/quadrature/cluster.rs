//! A quadrature on ranks: each has the setup of some of its own cells at a time.
//!
//! # Data flow
//! blocks of the rank's part → what they add to the report and how many points they have → all
//! ranks know the report, and which pieces of the file start where → blocks once more → points →
//! pieces, of which one can hold the points of several ranks.

use std::path::Path;
use std::time::Instant;

use subsolid::backend::Backend;
use subsolid::cluster::Ranks;
use subsolid::io::{Dataset, Format};
use subsolid::numbers::counted;
use subsolid::parts::{Block, Blocks};
use subsolid::plan::{Cost, Want};
use subsolid::quadrature::{
    LEFT_HANDED, PhysicalQuadrature, PieceCut, Quadrature, QuadratureScheme, Report, ReportShare,
    points,
};
use subsolid::volume::{add_cell_data, name_cells};
use subsolid::{Error, Result, WriteOptions};

use super::{
    Arguments, PIECE_POINTS, PLACES, QuadratureRequest, QuadratureSummary, mapping, outcome,
    point_bytes, volume,
};
use crate::cli::cluster::{all_numbers, all_rows, own_choice};
use crate::cli::console::since;
use crate::cli::output::warn_left_out;
use crate::cli::rank_model::blocks;
use crate::cli::shared_pieces::SharedPieces;
use crate::cli::{Console, Outcome, quality};

/// Elements that a rank has the quadrature of at a time: some hundred megabytes.
const BLOCK_ELEMENTS: usize = 1 << 16;

pub fn run(
    a: &Arguments,
    ranks: &Ranks<'_>,
    format: Option<Format>,
    scheme: QuadratureScheme,
    want: Want,
    console: &Console,
) -> Result<Outcome> {
    a.check_of_ranks(format)?;
    let whole = || a.model.read(console);
    let model = a.model.load_on_ranks(ranks, true, console, whole)?;
    let count = model.element_count(a.levels)?;
    let own = model.own_elements(ranks, a.levels);
    let part = model.into_part(ranks, a.levels, own)?;
    a.model.check_cells_on_ranks(&part, ranks, console)?;
    let blocks = blocks(&part, count, ranks, console)?;
    let left_handed = all_left_handed(&blocks, ranks)?;

    let start = Instant::now();
    // those of regular cells
    let samples = blocks.elements().len().saturating_mul(a.gauss.pow(3));
    let choice = own_choice(a.backend, &Cost::quadrature(samples), ranks)?;
    let gpu = a.gpu(choice, samples, console)?;
    let work = RankQuadrature { blocks, scheme, want, gpu, left_handed };
    let (own, share) = work.report(ranks)?;
    let numbers = [own.to_numbers().to_vec(), share.to_numbers(console.json())].concat();
    let all = all_numbers(ranks, Ok(numbers))?;
    let mut counts = Vec::with_capacity(all.len());
    let mut shares = Vec::with_capacity(all.len());
    for numbers in &all {
        let (own, share) = numbers.split_first_chunk().ok_or_else(Error::broken_message)?;
        counts.push(RankCounts::from_numbers(own));
        shares.push(ReportShare::from_numbers(share)?);
    }
    let report = Report::of_shares(&shares, left_handed);
    let samples = counted(report.samples, "quadrature point");
    console.status("Evaluated", format!("{samples} in {}", since(start)));
    console.status("Integrated", volume(&report));
    if report.left_handed {
        console.warn(LEFT_HANDED);
    }
    let bytes = match &a.output {
        Some(output) => Some(a.announce(output, point_bytes(report.samples), console)?),
        None => None,
    };
    let sum = |of: fn(&RankCounts) -> usize| counts.iter().map(of).sum::<usize>();
    if console.json() || a.quality {
        let asked = QuadratureRequest::new(a, None, bytes);
        let leaves = sum(|counts| counts.leaves);
        let summary = QuadratureSummary { asked, leaves, table_bytes: None, report: &report };
        let left_handed = sum(|counts| counts.left_handed);
        console.report(&summary, || quality::text(&report.quality, left_handed, PLACES))?;
    }
    if let Some(output) = &a.output {
        a.write_checked(output.display(), &report, console, || {
            work.write(a, output, ranks, &counts, console)
        })?;
    }
    Ok(outcome(&report))
}

/// Whether all cells of the mesh are left-handed hexahedra. One that is not decides, which the
/// first block of most ranks has.
fn all_left_handed(blocks: &Blocks<'_>, ranks: &Ranks<'_>) -> Result<bool> {
    let first = blocks.runs(1).into_iter().take(1);
    let mut all = true;
    for run in first.chain(blocks.runs(BLOCK_ELEMENTS)) {
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

    /// The rank that writes a piece: the first one with a leaf in it.
    fn writer(&self, piece: usize) -> Option<usize> {
        self.pieces.iter().position(|ends| ends.is_some_and(|[_, last]| last >= piece))
    }
}

/// Blocks with a quadrature each.
struct RankQuadrature<'m> {
    blocks: Blocks<'m>,
    scheme: QuadratureScheme,
    want: Want,
    gpu: Option<Box<dyn Backend>>,
    left_handed: bool,
}

impl RankQuadrature<'_> {
    /// Calls a function with every block.
    fn each(
        &self,
        ranks: &Ranks<'_>,
        mut call: impl FnMut(&Block, &dyn PhysicalQuadrature<'_>) -> Result<()>,
    ) -> Result<()> {
        for run in self.blocks.runs(BLOCK_ELEMENTS) {
            ranks.go_on()?;
            let block = self.blocks.block(run)?;
            let solid = block.solid().map_err(|error| self.blocks.fault(error))?;
            Quadrature::check_memory(&solid, self.scheme, self.want)?;
            let quadrature = Quadrature::new(&solid, self.scheme, self.want)?;
            let side = Some(self.left_handed);
            call(&block, &*mapping(&quadrature, &block.mesh, self.gpu.as_deref(), side)?)?;
        }
        Ok(())
    }

    fn report(&self, ranks: &Ranks<'_>) -> Result<(RankCounts, ReportShare)> {
        let (mut counts, mut share) = (RankCounts::default(), ReportShare::default());
        self.each(ranks, |block, mapping| {
            let leaves = 0..mapping.quadrature().solid().leaves().len();
            counts.add(block, &mapping.quadrature().leaf_samples(leaves.clone()));
            share.append(ReportShare::new(mapping, leaves)?.of_whole(&block.cells));
            Ok(())
        })?;
        Ok((counts, share))
    }

    /// Writes the pieces that begin on this rank, with the points of the ranks that end them.
    fn write(
        &self,
        a: &Arguments,
        output: &Path,
        ranks: &Ranks<'_>,
        counts: &[RankCounts],
        console: &Console,
    ) -> Result<()> {
        let places = Places::new(counts, a.piece_points.unwrap_or(PIECE_POINTS));
        let mut pieces = RankPieces {
            writer: SharedPieces::create(output, WriteOptions { compress: a.compress }, ranks)?,
            places: &places,
            rank: ranks.rank(),
            open: None,
            begun: Vec::new(),
        };
        let mut before = places.before[ranks.rank()];
        let mut has_warned = false;
        self.each(ranks, |block, mapping| {
            for (piece, leaves) in mapping.quadrature().runs(places.cut, before) {
                let mut dataset = points(mapping, leaves)?;
                let left_out = add_cell_data(&mut dataset, &block.mesh.cell_data);
                if !has_warned {
                    warn_left_out(&left_out, console);
                    has_warned = true;
                }
                name_cells(&mut dataset, &block.cells);
                pieces.add(piece, dataset)?;
            }
            before += mapping.quadrature().sample_count();
            Ok(())
        })?;
        pieces.finish(ranks)
    }
}

/// Pieces of the file that blocks fill one after another.
struct RankPieces<'p> {
    writer: SharedPieces,
    places: &'p Places,
    rank: usize,
    // the piece of the last points, with all of this rank
    open: Option<(usize, Dataset)>,
    // points of a piece that another rank writes, and that rank
    begun: Vec<(usize, Vec<u8>)>,
}

impl RankPieces<'_> {
    fn add(&mut self, piece: usize, points: Dataset) -> Result<()> {
        match &mut self.open {
            Some((open, all)) if *open == piece => all.append_points(&points.point_bytes()),
            _ => {
                self.close()?;
                self.open = Some((piece, points));
                Ok(())
            }
        }
    }

    /// Writes the last piece, or leaves it to its writer.
    fn close(&mut self) -> Result<()> {
        match self.open.take() {
            Some((piece, all)) => match self.places.writer(piece) {
                Some(writer) if writer != self.rank => {
                    self.begun.push((writer, all.point_bytes()));
                    Ok(())
                }
                _ => self.writer.push(piece, &all),
            },
            None => Ok(()),
        }
    }

    /// Joins the pieces of several ranks.
    fn finish(mut self, ranks: &Ranks<'_>) -> Result<()> {
        let writer = self.open.as_ref().and_then(|(piece, _)| self.places.writer(*piece));
        if writer != Some(self.rank) {
            self.close()?;
        }
        let mut to = vec![Vec::new(); ranks.size()];
        self.begun.drain(..).for_each(|(writer, bytes)| to[writer] = bytes);
        for bytes in ranks.all_to_all(Ok(to))? {
            if let (Some((_, all)), false) = (&mut self.open, bytes.is_empty()) {
                all.append_points(&bytes)?;
            }
        }
        self.close()?;
        self.writer.finish(ranks)
    }
}

impl Arguments {
    /// Refuses what ranks do not share.
    fn check_of_ranks(&self, format: Option<Format>) -> Result<()> {
        if self.pieces.is_some() {
            return Err(Error::request("--pieces is for one program")
                .with_help("leave it out, or leave --mpi out"));
        }
        if format.is_some_and(|format| format != Format::Pvtu) {
            return Err(Error::request("ranks write a .pvtu")
                .with_help("end the name of the output in .pvtu"));
        }
        Ok(())
    }
}
