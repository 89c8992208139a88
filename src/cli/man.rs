//! `subsolid man`

use std::io;

use clap::Args;
use clap_mangen::Man;
use subsolid::{Error, FileAccess, Result};

use super::parse::command;
use super::{Console, Outcome};

/// Print a manual page
///
/// The page of the program, or of one of its commands, as input of the program man.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid man > ~/.local/share/man/man1/subsolid.1
  subsolid man evaluate > ~/.local/share/man/man1/subsolid-evaluate.1")]
pub struct Arguments {
    /// The command
    command: Option<String>,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let mut whole = command();
    whole.build(); // options of all commands reach them
    let page = match &arguments.command {
        None => Man::new(whole),
        Some(name) => {
            let own = whole.find_subcommand(name).cloned().ok_or_else(|| {
                Error::request(format!("there is no command {name}"))
                    .with_help("subsolid --help lists the commands")
            })?;
            Man::new(own).title(format!("SUBSOLID-{}", name.to_uppercase()))
        }
    };
    let mut text = Vec::new();
    let rendered: io::Result<()> = page.manual("subsolid").render(&mut text);
    rendered.map_err(|e| Error::io("stdout", FileAccess::Write, e))?;
    console.print(&text)?;
    Ok(Outcome::Done)
}
