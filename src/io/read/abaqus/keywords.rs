//! Keyword lines of Abaqus decks and their options.

use crate::io::read::lines::Text;

/// A keyword line (without its star), with the lines of options that a comma at its end announces.
pub(super) fn whole_keyword(text: &mut Text, line: &[u8]) -> String {
    let mut whole = line.to_vec();
    while whole.ends_with(b",") {
        let mut ahead = *text;
        let Some(next) = ahead.next_line() else { break };
        // rows of numbers follow a comma that announces nothing
        if !next.first().is_some_and(u8::is_ascii_alphabetic) {
            break;
        }
        whole.extend_from_slice(next);
        *text = ahead;
    }
    String::from_utf8_lossy(&whole).chars().filter(|c| !c.is_control()).collect()
}

/// The value of an option among the fields of a keyword line.
pub(super) fn option<'a>(fields: &[&'a str], wanted: &str) -> Option<&'a str> {
    fields.iter().skip(1).find_map(|field| {
        let (name, value) = field.split_once('=')?;
        let is_it = name.trim().eq_ignore_ascii_case(wanted);
        is_it.then(|| value.trim().trim_matches('"'))
    })
}

/// The fields of a line, apart by commas that are not within quotes.
pub(super) fn fields(line: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let is_end = |c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    };
    line.split(is_end).map(str::trim).collect()
}

/// A keyword in capitals and with single blanks: blanks in it mean nothing to Abaqus.
pub(super) fn keyword(field: &str) -> String {
    let words: String = field.split_whitespace().collect::<String>().to_ascii_uppercase();
    match words.strip_prefix("END") {
        Some(what @ ("PART" | "INSTANCE" | "ASSEMBLY")) => format!("END {what}"),
        _ => field.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_uppercase(),
    }
}
