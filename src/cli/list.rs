//! Lists of names in options.

use std::fmt::Display;
use std::str::FromStr;

/// Things with commas between them; `\,` is a comma of a name. An option that takes a list may be
/// given several times.
#[derive(Clone, Debug, PartialEq)]
pub struct List<T>(pub Vec<T>);

impl<T: FromStr<Err: Display>> FromStr for List<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let items =
            split(text).into_iter().map(|item| item.parse().map_err(|e: T::Err| e.to_string()));
        items.collect::<Result<_, _>>().map(Self)
    }
}

/// The parts of a text between commas.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut own) = (Vec::new(), String::new());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest.peek() == Some(&',') => own.extend(rest.next()),
            ',' => parts.push(std::mem::take(&mut own)),
            c => own.push(c),
        }
    }
    parts.push(own);
    parts
}
