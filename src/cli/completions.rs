//! `subsolid completions`

use clap::Args;
use clap_complete::{Shell, generate};
use subsolid::Result;

use super::parse::command;
use super::{Console, Outcome};

/// Print completions for a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid completions bash > ~/.local/share/bash-completion/completions/subsolid
  subsolid completions fish > ~/.config/fish/completions/subsolid.fish")]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut command(), "subsolid", &mut script);
    console.print(&script)?;
    Ok(Outcome::Done)
}
