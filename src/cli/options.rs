//! The guide's table of options, made from the definitions that the program parses by.

use std::collections::BTreeMap;
use std::path::Path;

use clap::{Arg, Command};

use super::parse::command;

const PAGE: &str = "src/guide/options.md";
const START: &str = "| option | meaning | commands |\n|---|---|---|\n";

/// The page has the options of all commands.
#[test]
fn the_guide_has_all_options() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(START).unwrap();
    let after = rest.find("\n\n").map_or("", |end| &rest[end + 1..]);
    let table = table();
    assert!(table.lines().count() > 100, "{table}");
    let wanted = format!("{before}{START}{table}{after}");
    if std::env::var_os("SUBSOLID_RECORD").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    } else {
        let new = wanted.lines().find(|line| !page.lines().any(|old| old == *line));
        assert!(
            page == wanted,
            "{PAGE} is not up to date (new: {new:?}); \
             `SUBSOLID_RECORD=1 cargo test --bin subsolid options` writes it"
        );
    }
}

/// One row for each option and meaning, by names, with the commands that have it.
fn table() -> String {
    let mut whole = command();
    whole.build();
    let mut rows: BTreeMap<[String; 2], Vec<&str>> = BTreeMap::new();
    for own in whole.get_subcommands().filter(|own| own.get_name() != "help") {
        for option in own.get_arguments().filter(|option| !option.is_hide_set()) {
            if let (Some(long), false) = (option.get_long(), option.get_id() == "help") {
                let key = [long.to_owned(), format!("| {} | {} |", name(option), meaning(option))];
                rows.entry(key).or_default().push(own.get_name());
            }
        }
    }
    let count = whole.get_subcommands().filter(|own| computes(own)).count();
    let line = |([_, row], commands): (&[String; 2], &Vec<&str>)| {
        let of_all = commands.len() == count && commands.iter().all(|name| !PRINTS.contains(name));
        let commands = if of_all { "all".into() } else { commands.join(", ") };
        format!("{row} {commands} |\n")
    };
    rows.iter().map(line).collect()
}

/// Commands that print a text alone.
const PRINTS: [&str; 4] = ["completions", "help", "man", "schema"];

fn computes(command: &Command) -> bool {
    !PRINTS.contains(&command.get_name())
}

/// `-o`, `--output FILE`
fn name(option: &Arg) -> String {
    let values = option.get_value_names().unwrap_or_default();
    let takes = option.get_action().takes_values();
    let values: Vec<&str> = values.iter().filter(|_| takes).map(AsRef::as_ref).collect();
    let long = option.get_long().unwrap_or_default();
    let equals = if option.is_require_equals_set() { "=" } else { " " };
    let long = format!("`{}`", format!("--{long}{equals}{}", values.join(" ")).trim_end());
    match option.get_short() {
        Some(short) => format!("`-{short}`, {long}"),
        None => long,
    }
}

/// The text of its help, with values and defaults.
fn meaning(option: &Arg) -> String {
    let text = option.get_long_help().or(option.get_help()).map(ToString::to_string);
    let mut text = text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let values = option.get_possible_values();
    let values: Vec<&str> =
        values.iter().filter(|v| !v.is_hide_set()).map(|v| v.get_name()).collect();
    if option.get_action().takes_values() && !values.is_empty() {
        text += &format!(": {}", values.join(", "));
    }
    let defaults = option.get_default_values();
    if option.get_action().takes_values() && !defaults.is_empty() {
        let defaults: Vec<_> = defaults.iter().map(|value| value.to_string_lossy()).collect();
        text += &format!(" [default: {}]", defaults.join(","));
    }
    // code stays as it is
    let escaped = |(k, part): (usize, &str)| match k % 2 {
        0 => escaped(part),
        _ => part.to_owned(),
    };
    text.split('`').enumerate().map(escaped).collect::<Vec<_>>().join("`")
}

fn escaped(text: &str) -> String {
    let special = |c: char| "|[]<>*_".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}
