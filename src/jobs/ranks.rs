//! What jobs of many ranks share: their processors, the extent of a mesh, and numbers of all.

use std::time::Instant;

use super::{Notes, since};
use crate::backend::{Choice, Processor};
use crate::cluster::{Host, Ranks, block};
use crate::error::{Error, Result};
use crate::numbers::counted;
use crate::parts::{Blocks, Extent};
use crate::plan::Cost;

/// Elements that a rank has the setup of at a time: some hundred megabytes.
pub const BLOCK_ELEMENTS: usize = 1 << 18;

/// The processor of this rank: of several GPUs of a machine every rank takes one in turn.
///
/// # Errors
/// If no GPU is found where one is asked for; the error of another rank of the machine.
pub fn own_choice(choice: Choice, cost: &Cost, ranks: &Ranks<'_>) -> Result<Choice> {
    Processor::share(choice, Host::of(ranks)?.rank, cost)
}

/// Finds the extent of a refined mesh, of which each rank measures a run of the cells.
///
/// # Errors
/// As refining the cells; the error of another rank.
pub fn measure(blocks: &mut Blocks<'_>, ranks: &Ranks<'_>, notes: &mut dyn Notes) -> Result<()> {
    let levels = blocks.levels();
    if levels == 0 {
        return Ok(());
    }
    let start = Instant::now();
    let own = block(blocks.cell_count(), ranks.rank(), ranks.size());
    let step = (BLOCK_ELEMENTS >> (3 * levels.min(6))).max(1);
    let mut extent = Extent::default();
    for first in own.clone().step_by(step) {
        ranks.go_on()?;
        extent = extent.joined(&blocks.extent(first..(first + step).min(own.end))?);
    }
    let all = all_numbers(ranks, Ok(extent.to_numbers()))?;
    let join = |extent: Extent, own: &Vec<f64>| -> Result<Extent> {
        Ok(extent.joined(&Extent::from_numbers(own)?))
    };
    let extent = all.iter().try_fold(Extent::default(), join)?;
    blocks.set_extent(extent);
    let (cells, levels) = (counted(blocks.count(), "cell"), counted(levels, "level"));
    notes.status("Measured", format!("{cells} of {levels} in {}", since(start)));
    Ok(())
}

/// Numbers of all ranks, `[rank][number]`.
///
/// # Errors
/// As [`Ranks::all_gather`]; [`Error::broken_message`].
pub fn all_numbers(ranks: &Ranks<'_>, own: Result<Vec<f64>>) -> Result<Vec<Vec<f64>>> {
    let bytes = own.map(|own| own.iter().flat_map(|x| x.to_le_bytes()).collect());
    let numbers = |bytes: &Vec<u8>| match bytes.as_chunks() {
        (numbers, []) => Ok(numbers.iter().map(|&x| f64::from_le_bytes(x)).collect()),
        _ => Err(Error::broken_message()),
    };
    ranks.all_gather(bytes)?.iter().map(numbers).collect()
}

/// So many numbers of all ranks, `[rank][number]`.
///
/// # Errors
/// As [`all_numbers`].
pub fn all_rows<const N: usize>(ranks: &Ranks<'_>, own: [f64; N]) -> Result<Vec<[f64; N]>> {
    let all = all_numbers(ranks, Ok(own.to_vec()))?.into_iter();
    all.map(|numbers| numbers.try_into().map_err(|_| Error::broken_message())).collect()
}
