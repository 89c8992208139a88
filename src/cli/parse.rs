//! The command line as clap reads it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, CommandFactory, FromArgMatches};
use subsolid::io::atomic::is_standard_output;

use super::{Cli, OF_RANKS, OF_TEXT};

/// The options that name files to write, by their ids.
const OUTPUTS: [&str; 7] = ["output", "report", "layered_svg", "cli", "vtp", "zip", "sl1"];

/// The command line. Options of all subcommands are listed where they act.
pub fn command() -> clap::Command {
    let whole = Cli::command();
    let hidden: Vec<(String, Arg)> = whole
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(|argument| (argument.get_id().as_str().to_owned(), argument.clone().hide(true)))
        .collect();
    whole.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        let acts = |option: &str| match option {
            "mpi" => OF_RANKS.contains(&&*name),
            _ => !OF_TEXT.contains(&&*name),
        };
        // an option of its own replaces the global one
        let own = hidden.iter().filter(|(option, _)| !acts(option));
        command.args(own.map(|(_, argument)| argument))
    })
}

/// Reads the command line, and whether it sends a file to standard output; refuses wrong ones, and
/// those that send several there, with exit code 2.
pub fn parse(given: &[OsString]) -> (ArgMatches, bool) {
    // a number below zero is a value, if a wrong one, and no option; so is the output `-.csv`
    let take = |argument: Arg| {
        let takes_values = argument.get_action().takes_values();
        let is_output = takes_values && OUTPUTS.contains(&argument.get_id().as_str());
        let takes_hyphens = is_output || argument.is_allow_hyphen_values_set();
        argument.allow_negative_numbers(takes_values).allow_hyphen_values(takes_hyphens)
    };
    let mut command = command().mut_args(take).mut_subcommands(|command| command.mut_args(take));
    let matches = command.try_get_matches_from_mut(given).unwrap_or_else(|mut error| {
        let of_subcommands = command.get_subcommands().flat_map(clap::Command::get_arguments);
        if let Some(tip) = missing_equals(&error, given, of_subcommands) {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        error.exit()
    });
    let own = matches.subcommand().map(|(_, own)| own);
    let output = |id: &&str| {
        let path = own.and_then(|own| own.try_get_one::<PathBuf>(id).ok().flatten());
        path.is_some_and(is_standard_output)
    };
    let printed: Vec<&str> = OUTPUTS.into_iter().filter(output).collect();
    if let [first, second, ..] = printed[..] {
        let [first, second] = [first, second].map(|id| id.replace('_', "-"));
        let why = format!("--{first} and --{second} cannot both go to standard output");
        command.error(ErrorKind::ArgumentConflict, why).exit();
    }
    (matches, !printed.is_empty())
}

/// How to write the value of an option that takes it after an equals sign alone.
fn missing_equals<'a>(
    error: &clap::Error,
    given: &[OsString],
    mut options: impl Iterator<Item = &'a Arg>,
) -> Option<String> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let of_option = options.by_ref().filter(|option| option.is_require_equals_set());
    let names: Vec<String> =
        of_option.filter_map(|option| Some(format!("--{}", option.get_long()?))).collect();
    let mut pairs =
        given.windows(2).filter_map(|pair| Some((pair[0].to_str()?, pair[1].to_str()?)));
    // what follows the option may have been taken for the model
    let (name, value) = pairs.find(|&(name, value)| {
        let is_value = value == unknown || !value.starts_with('-') && !Path::new(value).exists();
        names.iter().any(|known| known == name) && is_value
    })?;
    Some(format!("write {name}={value}"))
}

pub fn read(matches: &ArgMatches) -> Cli {
    Cli::from_arg_matches(matches).unwrap_or_else(|error| error.exit())
}
