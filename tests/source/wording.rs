//! The library speaks to readers of Rust, to Python and to the command line: its texts have options
//! and commands as `Term`s, which each spells its own way.

use super::{code, files};

/// What looks like the command line but is not: options of other programs, names of formats.
const OTHERS: [&str; 7] = [
    "--gpu-architecture",
    "--std",
    "--ptxas-options",
    "--fmad",
    "--input-format",
    "subsolid layers 1",
    "subsolid pieces 1",
];

#[test]
fn texts_of_the_library_name_no_options_or_commands_of_the_program() {
    let mut found = Vec::new();
    for (path, text) in files() {
        if path.starts_with("cli") {
            continue;
        }
        for (number, line) in code(&text) {
            let line = OTHERS.iter().fold(line.to_owned(), |line, other| line.replace(other, ""));
            let names = |mark: &str| {
                line.split(mark)
                    .skip(1)
                    .any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
            };
            if names("--") || names("subsolid ") {
                found.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "use option(), option_name() or Command:\n{}", found.join("\n"));
}
