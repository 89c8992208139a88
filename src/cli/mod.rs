//! The command line: each subcommand parses, calls the library and reports.
//!
//! Exit codes: 0 done; 1 done, but `--quality` (or `quadrature`) found samples whose Jacobian is
//! not positive, or `untangle` left folded cells; 2 refused, with one message that says what is
//! wrong and how to fix it.

mod assemble;
mod bench;
mod boundary;
mod cluster;
mod compare;
mod completions;
mod conform;
mod console;
mod denoise;
mod devices;
mod distance;
mod engine;
mod evaluate;
mod exhausted;
mod extend;
mod extract;
mod fit;
mod gltf;
mod info;
mod inputs;
mod interrupt;
mod json;
mod list;
mod locate;
mod man;
mod merge;
mod mesh_output;
mod model;
mod names;
mod output;
mod parse;
mod pieces;
mod plate;
mod quadrature;
mod quality;
mod query;
mod refine;
mod schema;
mod shape;
mod slice;
mod smooth;
mod solve;
mod surface;
mod surface_model;
mod untangle;
mod unused;
mod version;
mod view;
mod wording;

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand};
use subsolid::backend::check_threads;
use subsolid::cluster::Ranks;
use subsolid::{Error, Result};

use console::Console;
use engine::Engine;
pub use exhausted::Allocator;

const EXAMPLES: &str = "\
Examples:
  subsolid shape fan -o fan.vtu
  subsolid info fan.vtu
  subsolid evaluate fan.vtu --samples 8 -o limit.vtu

Exit codes: 0 done; 1 done, but --quality (or quadrature) found samples whose
Jacobian is not positive, or untangle left folded cells; 2 refused, with the
reason on stderr.";

/// Exact limit evaluation of Catmull-Clark solids.
///
/// Reads hexahedral (and wedge, tetrahedral, polyhedral) control meshes and
/// evaluates their limit volume exactly, at any parameters.
#[derive(Parser)]
#[command(name = "subsolid", version, long_version = version::long(), after_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    /// Print no progress, status or warnings, only errors; reports still go to standard output
    #[arg(long, short, global = true, display_order = 990)]
    quiet: bool,
    /// Number of threads, 1 to 32 for each core [default: all available]
    #[arg(long, value_name = "N", global = true, display_order = 991)]
    threads: Option<usize>,
    /// Run as one of the MPI ranks that share the job: evaluate, refine and quadrature to .pvtu,
    /// slice to --png, --bmp and --svg, and the report of --quality. Needs a program built with the
    /// feature mpi
    #[arg(long, global = true, display_order = 992)]
    mpi: bool,
    /// Run as N ranks that are threads, for tests
    #[arg(long, value_name = "N", global = true, hide = true, conflicts_with = "mpi",
          value_parser = clap::value_parser!(u8).range(1..))]
    thread_ranks: Option<u8>,
    #[command(subcommand)]
    command: ProgramCommand,
}

#[derive(Subcommand)]
enum ProgramCommand {
    Info(ReportArguments<info::Arguments>),
    Fit(ReportArguments<fit::Arguments>),
    Refine(ReportArguments<refine::Arguments>),
    Evaluate(ReportArguments<evaluate::Arguments>),
    Merge(ReportArguments<merge::Arguments>),
    Extend(ReportArguments<extend::Arguments>),
    Extract(ReportArguments<extract::Arguments>),
    Slice(ReportArguments<slice::Arguments>),
    Quadrature(ReportArguments<quadrature::Arguments>),
    Assemble(ReportArguments<assemble::Arguments>),
    Solve(ReportArguments<solve::Arguments>),
    Locate(ReportArguments<locate::Arguments>),
    Query(ReportArguments<query::Arguments>),
    Distance(ReportArguments<distance::Arguments>),
    Smooth(ReportArguments<smooth::Arguments>),
    Denoise(ReportArguments<denoise::Arguments>),
    Untangle(ReportArguments<untangle::Arguments>),
    Conform(ReportArguments<conform::Arguments>),
    Compare(ReportArguments<compare::Arguments>),
    Bench(bench::Arguments),
    Devices(ReportArguments<devices::Arguments>),
    Surface(ReportArguments<surface::Arguments>),
    Boundary(ReportArguments<boundary::Arguments>),
    View(ReportArguments<view::Arguments>),
    Shape(ReportArguments<shape::Arguments>),
    Completions(completions::Arguments),
    Man(man::Arguments),
    Schema(schema::Arguments),
}

// not global: `bench` has it as the former name of an output
#[derive(Args)]
struct ReportArguments<A: Args> {
    #[command(flatten)]
    arguments: A,
    /// Print the report as JSON; `subsolid schema` describes its keys
    #[arg(long, display_order = 989)]
    json: bool,
}

/// Subcommands that ranks share.
const OF_RANKS: [&str; 4] = ["evaluate", "quadrature", "refine", "slice"];
/// Subcommands that print a text and compute nothing.
const OF_TEXT: [&str; 3] = ["completions", "man", "schema"];

/// How a subcommand ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    PoorQuality,
}

/// The exit code of a refusal.
const REFUSED: u8 = 2;

/// Runs the program with the texts of its command line, its own name first; returns the exit code.
pub fn main(given: Vec<OsString>) -> u8 {
    interrupt::clean_up();
    let (matches, prints_file) = parse::parse(&given);
    let cli = parse::read(&matches);
    let engine = match cli.thread_ranks {
        _ if cli.mpi => Some(Engine::Mpi),
        count => count.map(|count| Engine::Threads(count.into())),
    };
    let console = Console::new(cli.quiet, prints_file);
    let name = matches.subcommand_name().unwrap_or_default();
    let result = match engine {
        Some(_) if !OF_RANKS.contains(&name) => Err(cluster::refusal(name)),
        Some(engine) => return cluster::main(engine, &matches, prints_file),
        None => run(cli, None, &console),
    };
    if let Err(error) = &result {
        console.error(error);
    }
    exit_code(&result)
}

fn exit_code(result: &Result<Outcome>) -> u8 {
    match result {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::PoorQuality) => 1,
        Err(_) => REFUSED,
    }
}

fn run(cli: Cli, ranks: Option<&Ranks<'_>>, console: &Console) -> Result<Outcome> {
    if let Some(threads) = cli.threads {
        use_threads(threads)?;
    }
    match cli.command {
        ProgramCommand::Info(c) => info::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Fit(c) => fit::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Refine(c) => refine::run(c.arguments, ranks, &console.reporting(c.json)),
        ProgramCommand::Evaluate(c) => {
            evaluate::run(c.arguments, ranks, &console.reporting(c.json))
        }
        ProgramCommand::Merge(c) => merge::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Extend(c) => extend::run(&c.arguments, &console.reporting(c.json)),
        ProgramCommand::Extract(c) => extract::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Slice(c) => slice::run(c.arguments, ranks, &console.reporting(c.json)),
        ProgramCommand::Quadrature(c) => {
            quadrature::run(c.arguments, ranks, &console.reporting(c.json))
        }
        ProgramCommand::Assemble(c) => assemble::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Solve(c) => solve::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Locate(c) => locate::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Query(c) => query::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Distance(c) => distance::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Smooth(c) => smooth::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Denoise(c) => denoise::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Untangle(c) => untangle::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Conform(c) => conform::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Compare(c) => compare::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Bench(arguments) => bench::run(arguments, console),
        ProgramCommand::Devices(c) => devices::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Surface(c) => surface::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Boundary(c) => boundary::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::View(c) => view::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Shape(c) => shape::run(c.arguments, &console.reporting(c.json)),
        ProgramCommand::Completions(arguments) => completions::run(arguments, console),
        ProgramCommand::Man(arguments) => man::run(arguments, console),
        ProgramCommand::Schema(arguments) => schema::run(arguments, console),
    }
}

fn use_threads(threads: usize) -> Result<()> {
    check_threads(threads)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global()
        .map_err(|e| Error::request(format!("--threads {threads}: {e}")).with_help("ask for fewer"))
}
