//! `--pieces I/N`: the part I of a job for several programs.

use std::ops::Range;
use std::path::Path;

use subsolid::io::JobPart;

/// I/N, with I from 1 to N.
pub fn part(text: &str) -> std::result::Result<JobPart, String> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let part = numbers.and_then(|(i, n)| JobPart::new(i, n).ok());
    part.ok_or_else(|| "give I/N, with I from 1 to N and N at most 9999".into())
}

/// How a part of an output is called.
pub fn part_of(output: &Path, part: JobPart) -> String {
    format!("part {part} of {}", output.display())
}

/// Most points or cells of a piece, at least 1.
pub fn piece_size(text: &str) -> std::result::Result<usize, String> {
    text.parse().ok().filter(|&points| points > 0).ok_or_else(|| "give a number above 0".into())
}

/// The elements of pieces that follow one another.
pub fn covered(pieces: &[Range<usize>]) -> Range<usize> {
    match (pieces.first(), pieces.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    }
}
