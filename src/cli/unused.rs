//! Options that a request has no use for.

use subsolid::{Error, Result};

/// Refuses the first of the options that are given; `message` and `help`: of an option.
fn refuse_given(
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
    let help = |option: &str| {
        format!("leave {option} out, or give a solid: the model has faces, but no volume cells")
    };
    refuse_given(options, |option| format!("{option} is for solids"), help)
}
