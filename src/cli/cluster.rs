//! `--mpi`: a job that many ranks do together.

use clap::ArgMatches;
use subsolid::cluster::{Group, Ranks, Threads};
pub use subsolid::jobs::ranks::all_rows;
use subsolid::{Error, Result};

use super::engine::Engine;
use super::{Cli, Console, Outcome, REFUSED};

/// What rank 0 says; all have one exit code.
pub fn main(engine: Engine, matches: &ArgMatches, prints_file: bool) -> u8 {
    match engine {
        Engine::Mpi => mpi(matches, prints_file),
        Engine::Threads(count) => {
            let codes = Threads::run(count, |group| {
                let mut cli = super::parse::read(matches);
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

    use subsolid::cluster::Host;

    let cli = super::parse::read(matches);
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
    Console::new(super::parse::read(matches).quiet, prints_file).error(&error);
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
