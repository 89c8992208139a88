//! `--mpi`: a job that many ranks do together.

use std::time::Instant;

use clap::ArgMatches;
use subsolid::backend::{Choice, Processor, devices};
use subsolid::cluster::{Group, Host, Ranks, Threads, block};
use subsolid::numbers::counted;
use subsolid::parts::{Blocks, Extent};
use subsolid::plan::Cost;
use subsolid::{Error, Result};

use super::console::since;
use super::engine::Engine;
use super::{Cli, Console, Outcome, REFUSED};

/// Elements that a rank has the setup of at a time: some hundred megabytes.
pub const BLOCK_ELEMENTS: usize = 1 << 18;

/// What rank 0 says; the exit code is that of all.
pub fn main(engine: Engine, matches: &ArgMatches, prints_file: bool) -> u8 {
    match engine {
        Engine::Mpi => mpi(matches, prints_file),
        Engine::Threads(count) => {
            let codes = Threads::run(count, |group| {
                let mut cli = super::read(matches);
                cli.threads = None;
                on_rank(group, cli, prints_file)
            });
            codes.into_iter().next().unwrap_or(REFUSED)
        }
    }
}

#[cfg(feature = "mpi")]
fn mpi(matches: &ArgMatches, prints_file: bool) -> u8 {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let cli = super::read(matches);
    let group = match subsolid::cluster::Mpi::start() {
        Ok(group) => group,
        Err(error) => {
            Console::new(cli.quiet, prints_file).error(&error);
            return REFUSED;
        }
    };
    let run = || {
        let ranks = Ranks::new(&group);
        let threads = match (Host::of(&ranks), cli.threads) {
            (Ok(host), None) => super::use_threads(host.threads),
            _ => Ok(()),
        };
        match threads {
            Ok(()) => on_rank(&group, cli, prints_file),
            Err(error) => ended(&ranks, Err(error), &Console::new(false, prints_file)),
        }
    };
    // the others would wait for ever for a rank that panics
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        subsolid::io::remove_unfinished();
        group.abort(REFUSED.into())
    })
}

#[cfg(not(feature = "mpi"))]
fn mpi(matches: &ArgMatches, prints_file: bool) -> u8 {
    let error = Error::request("--mpi: this program has been built without MPI")
        .with_help("rebuild it with MPI and libclang installed: cargo install --features mpi …");
    Console::new(super::read(matches).quiet, prints_file).error(&error);
    REFUSED
}

/// Runs one rank.
fn on_rank(group: &dyn Group, cli: Cli, prints_file: bool) -> u8 {
    let ranks = Ranks::new(group);
    let console = Console::new(cli.quiet, prints_file).of_rank(ranks.rank());
    let result = same_job(&ranks).and_then(|()| super::run(cli, Some(&ranks), &console));
    ended(&ranks, result, &console)
}

/// Ends all ranks alike.
fn ended(ranks: &Ranks<'_>, result: Result<Outcome>, console: &Console) -> u8 {
    let result = ranks.agree(result);
    if let (Err(error), true) = (&result, ranks.is_first()) {
        console.error(error);
    }
    super::exit_code(&result)
}

/// Refuses ranks of other programs or options.
fn same_job(ranks: &Ranks<'_>) -> Result<()> {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect();
    let own = format!("{} {}", env!("CARGO_PKG_VERSION"), arguments.join(" "));
    let all = ranks.all_gather(Ok(own.into_bytes()))?;
    match all.iter().position(|other| *other != all[0]) {
        None => Ok(()),
        Some(rank) => Err(Error::request(format!(
            "rank {rank} has a different version or different options than rank 0"
        ))
        .with_help("start the same program with the same options on all ranks")),
    }
}

/// Refuses `--mpi` for an option that has no use for it.
pub fn refuse_ranks(ranks: Option<&Ranks<'_>>, name: &str) -> Result<()> {
    ranks.map_or(Ok(()), |_| Err(refusal(name)))
}

/// What a subcommand or an option that has no use for `--mpi` says.
pub fn refusal(name: &str) -> Error {
    Error::request(format!("{name} does not support --mpi"))
        .with_help("leave --mpi out; evaluate, quadrature, refine and slice run on ranks")
}

/// The processor of this rank: of several GPUs of a machine every rank takes one in turn.
pub fn own_choice(choice: Choice, cost: &Cost, ranks: &Ranks<'_>) -> Result<Choice> {
    let host = Host::of(ranks)?;
    let own = |ordinals: &[usize]| {
        let own = ordinals.get(host.rank % ordinals.len().max(1));
        own.map_or(Choice::Auto, |&ordinal| Choice::Cuda(ordinal))
    };
    let all = || -> Result<Vec<usize>> { Ok(devices()?.iter().map(|d| d.ordinal).collect()) };
    Ok(match choice {
        Choice::Cpu | Choice::Cuda(_) => choice,
        Choice::Devices(list) => own(list.ordinals()),
        Choice::AllDevices => own(&all()?),
        Choice::Auto if cost.suits_cpu(rayon::current_num_threads()) => Choice::Auto,
        Choice::Auto => match all() {
            Ok(ordinals) if Processor::find_one(own(&ordinals)).is_ok() => own(&ordinals),
            _ => Choice::Auto,
        },
    })
}

/// Finds the extent of a refined mesh, of which each rank measures a run of the cells.
pub fn measure(blocks: &mut Blocks<'_>, ranks: &Ranks<'_>, console: &Console) -> Result<()> {
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
    console.status("Measured", format!("{cells} of {levels} in {}", since(start)));
    Ok(())
}

/// Numbers of all ranks, `[rank][number]`.
pub fn all_numbers(ranks: &Ranks<'_>, own: Result<Vec<f64>>) -> Result<Vec<Vec<f64>>> {
    let bytes = own.map(|own| own.iter().flat_map(|x| x.to_le_bytes()).collect());
    let numbers = |bytes: &Vec<u8>| match bytes.as_chunks() {
        (numbers, []) => Ok(numbers.iter().map(|&x| f64::from_le_bytes(x)).collect()),
        _ => Err(Error::broken_message()),
    };
    ranks.all_gather(bytes)?.iter().map(numbers).collect()
}

/// So many numbers of all ranks, `[rank][number]`.
pub fn all_rows<const N: usize>(ranks: &Ranks<'_>, own: [f64; N]) -> Result<Vec<[f64; N]>> {
    let all = all_numbers(ranks, Ok(own.to_vec()))?.into_iter();
    all.map(|numbers| numbers.try_into().map_err(|_| Error::broken_message())).collect()
}
