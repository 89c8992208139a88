//! Command lines of benches that take files and numbers.

use std::path::PathBuf;

/// The paths on the command line; every `--name N` sets the number of that name.
pub fn read(numbers: &mut [(&str, &mut usize)]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench"); // cargo's
    while let Some(argument) = arguments.next() {
        match numbers.iter_mut().find(|(name, _)| argument.strip_prefix("--") == Some(*name)) {
            Some((_, number)) => {
                **number = arguments.next().and_then(|n| n.parse().ok()).expect("a number");
            }
            None => paths.push(argument.into()),
        }
    }
    paths
}
