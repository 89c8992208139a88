//! The `subsolid` program.

mod cli;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: cli::Allocator = cli::Allocator;

fn main() -> ExitCode {
    ExitCode::from(cli::main(std::env::args_os().collect()))
}
