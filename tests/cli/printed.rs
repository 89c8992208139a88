//! What is printed for people and packages: the version, manual pages, completions.

use std::path::Path;

use crate::program::{done, refused};

#[test]
fn the_version_says_what_has_been_compiled_in() {
    let here = Path::new(".");
    let first = concat!("subsolid ", env!("CARGO_PKG_VERSION"));
    assert_eq!(done(here, "-V"), format!("{first}\n"));
    let text = done(here, "--version");
    let lines: Vec<&str> = text.lines().collect();
    let features = [("cuda", cfg!(feature = "cuda")), ("mpi", cfg!(feature = "mpi"))];
    assert_eq!(lines[0], first);
    assert!(lines[1].starts_with("features: cli"), "{text}");
    for (name, has) in features {
        assert_eq!(lines[1].contains(name), has, "{text}");
    }
    let backends = if cfg!(feature = "cuda") { "backends: cpu, cuda" } else { "backends: cpu" };
    assert_eq!(lines[2], backends);
    assert_eq!(
        lines[3],
        format!("commit: {}", option_env!("SUBSOLID_COMMIT").unwrap_or("unknown"))
    );
}

/// The long names of options in a help.
fn options(help: &str) -> Vec<&str> {
    let words = help.lines().filter(|line| line.trim_start().starts_with('-'));
    words
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
        .map(|word| word.split(['[', '=', ',']).next().unwrap())
        .collect()
}

/// Commands of the program's help.
fn commands(help: &str) -> Vec<&str> {
    let rest = help.split_once("Commands:\n").unwrap().1.lines();
    let lines = rest.take_while(|line| !line.is_empty() && !line.contains("Options:"));
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|name| *name != "help")
        .collect()
}

#[test]
fn manual_pages_have_all_commands_and_options() {
    let here = Path::new(".");
    let plain = |page: String| page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "");
    let help = done(here, "--help");
    let page = plain(done(here, "man"));
    assert!(page.contains(".TH subsolid 1"), "{page}");
    let names = commands(&help);
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("subsolid-{name}(1)")), "{name}: {page}");
        let own = plain(done(here, &format!("man {name}")));
        assert!(own.contains(&format!(".TH SUBSOLID-{} 1", name.to_uppercase())), "{own}");
        assert!(own.contains(&format!("subsolid {name}")) && own.contains("Examples:"), "{own}");
        let help = done(here, &format!("{name} --help"));
        for option in options(&help) {
            assert!(own.contains(option), "{name} {option}: {own}");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    refused(directory.path(), "man nothing", "there is no command");
}
