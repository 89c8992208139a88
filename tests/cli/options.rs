//! The guide's table of options, made from what the program says of them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::program::done;

const PAGE: &str = "src/guide/options.md";
const START: &str = "| option | meaning | commands |\n|---|---|---|\n";

/// Commands that print a text alone.
const PRINTS: [&str; 4] = ["completions", "help", "man", "schema"];

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
             `SUBSOLID_RECORD=1 cargo test --test cli options` writes it"
        );
    }
}

/// One row for each option and meaning, by names, with the commands that have it.
fn table() -> String {
    let root = done(Path::new("."), "--help");
    let names: Vec<&str> = section(&root, "Commands:")
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !["", "help"].contains(name))
        .collect();
    let mut rows: BTreeMap<[String; 2], Vec<&str>> = BTreeMap::new();
    for &name in &names {
        let help = done(Path::new("."), &format!("{name} --help"));
        for (option, text) in options(&help) {
            let (long, option) = option_name(option);
            if long != "help" {
                let key = [
                    long.to_owned(),
                    format!("| {option} | {} |", OptionHelp::of(&text).meaning()),
                ];
                rows.entry(key).or_default().push(name);
            }
        }
    }
    let count = names.iter().filter(|name| !PRINTS.contains(name)).count();
    let line = |([_, row], commands): (&[String; 2], &Vec<&str>)| {
        let of_all = commands.len() == count && commands.iter().all(|name| !PRINTS.contains(name));
        let commands = if of_all { "all".into() } else { commands.join(", ") };
        format!("{row} {commands} |\n")
    };
    rows.iter().map(line).collect()
}

/// The lines below a heading.
fn section<'h>(help: &'h str, heading: &str) -> impl Iterator<Item = &'h str> {
    let below = help.lines().skip_while(move |line| *line != heading).skip(1);
    below.take_while(|line| line.is_empty() || line.starts_with(' '))
}

/// Options as they are written, `-o, --output <FILE>`, and the lines of their texts.
pub fn options(help: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in section(help, "Options:") {
        let text = line.trim_start();
        if line.len() - text.len() <= 6 && text.starts_with('-') {
            let (option, text) = text.split_once("  ").unwrap_or((text, ""));
            found.push((option, text.into()));
        } else if let Some((_, lines)) = found.last_mut() {
            *lines += &format!("\n{}", text.trim_end());
        }
    }
    found
}

/// The name alone, and as the page has it: `-o`, `--output FILE`.
pub fn option_name(option: &str) -> (&str, String) {
    let (short, long) = option.split_once(", ").unwrap_or(("", option));
    let end = long.find(['[', '=', ' ']).unwrap_or(long.len());
    let takes_equals = long[end..].trim_start_matches('[').starts_with('=');
    let equals = if takes_equals { "=" } else { " " };
    let values = long.split('<').skip(1).filter_map(|value| value.rsplit_once('>'));
    let values: Vec<&str> = values.map(|(value, _)| value).collect();
    let name = format!("`{}`", format!("{}{equals}{}", &long[..end], values.join(" ")).trim_end());
    let name = if short.is_empty() { name } else { format!("`{short}`, {name}") };
    (long[..end].trim_start_matches('-'), name)
}

/// What a help says of an option.
#[derive(Default)]
pub struct OptionHelp<'h> {
    words: Vec<&'h str>,
    /// The values that it may have, where they are listed.
    pub values: Vec<&'h str>,
    default: Option<&'h str>,
}

impl<'h> OptionHelp<'h> {
    pub fn of(lines: &'h str) -> Self {
        let paragraphs: Vec<&str> =
            lines.split("\n\n").map(str::trim).filter(|text| !text.is_empty()).collect();
        let mut found = Self::default();
        for (k, &paragraph) in paragraphs.iter().enumerate() {
            if let Some(list) = paragraph.strip_prefix("Possible values:") {
                let names = list.lines().filter_map(|line| line.strip_prefix("- "));
                found.values.extend(names.filter_map(|line| line.split(':').next()));
                continue;
            }
            let mut rest = paragraph;
            for alias in ["[alias: ", "[aliases: "] {
                rest = without(rest, alias).map_or(rest, |(text, _)| text.trim_end());
            }
            let list = without(rest, "[possible values: ");
            if let Some((text, names)) = list {
                let names = names.split_whitespace().map(|name| name.trim_end_matches(','));
                found.values.extend(names);
                rest = text.trim_end();
            }
            // of the option itself, not of its text
            let own = k > 0 || list.is_some() && paragraphs.len() == 1;
            if let Some((text, value)) = without(rest, "[default: ").filter(|_| own) {
                found.default = Some(value);
                rest = text;
            }
            found.words.extend(rest.split_whitespace());
        }
        found
    }

    /// As the page has it: values before the default, and without what they mean.
    fn meaning(&self) -> String {
        let mut text = self.words.join(" ");
        if !self.values.is_empty() {
            text += &format!(": {}", self.values.join(", "));
        }
        if let Some(default) = self.default {
            text += &format!(" [default: {default}]");
        }
        // code stays as it is
        let escaped = |(k, part): (usize, &str)| match k % 2 {
            0 => escaped(part),
            _ => part.to_owned(),
        };
        text.split('`').enumerate().map(escaped).collect::<Vec<_>>().join("`")
    }
}

/// What stands before the bracket that the text ends with, if it begins so, and in it.
fn without<'t>(text: &'t str, start: &str) -> Option<(&'t str, &'t str)> {
    let (before, bracket) = text.strip_suffix(']')?.rsplit_once(start)?;
    (!bracket.contains(']')).then_some((before, bracket))
}

fn escaped(text: &str) -> String {
    let special = |c: char| "|[]<>*_".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}
