//! Limits on the size of outputs, checked before anything is allocated.

use std::path::Path;

use subsolid::memory::decimal_bytes;
use subsolid::{Error, Result};

use super::Console;

/// Says beforehand how much will be written.
pub fn say_size(output: &Path, bytes: u64, console: &Console) {
    let size = decimal_bytes(bytes.into());
    console.status("Planned", format!("{}: about {size} before compression", output.display()));
}

/// Refuses an output of more than `most` GB, `--max-size`.
pub fn check_size(output: &Path, bytes: u64, most: f64) -> Result<()> {
    if bytes as f64 <= 1e9 * most {
        return Ok(());
    }
    let needed = (bytes as f64 / 1e8).ceil() / 10.0;
    Err(Error::request(format!(
        "{} would have {} before compression, more than --max-size {most}",
        output.display(),
        decimal_bytes(bytes.into())
    ))
    .with_help(format!("give --max-size {needed}, or ask for less")))
}
