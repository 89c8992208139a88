//! Options that a request has no use for.

use subsolid::{Error, Result};

/// Refuses the first of the options that are given; `message` and `help`: of an option.
pub fn refuse_given(
    options: &[(bool, &str)],
    message: impl Fn(&str) -> String,
    help: impl Fn(&str) -> String,
) -> Result<()> {
    match options.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, option)) => Err(Error::request(message(option)).with_help(help(option))),
    }
}

/// Refuses options of solids that are given.
pub fn refuse_for_solids(options: &[(bool, &str)]) -> Result<()> {
    refuse_given(options, |option| format!("{option} is for solids"), leave_out)
}

/// Help for an option that has no effect: leave it out.
pub fn leave_out(option: &str) -> String {
    format!("leave {option} out")
}
