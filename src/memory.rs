//! What would fill the machine's memory is refused before it is asked for.

use std::fmt::Display;

use crate::error::{Error, Result};

/// Physical memory of the machine in bytes, where the system tells.
pub fn physical_memory() -> Option<u64> {
    let table = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = table.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Bytes in decimal units, such as `1.5 GB`.
pub fn gigabytes(bytes: u128) -> String {
    match bytes as f64 {
        bytes if bytes >= 1e15 => format!("{:.1e} GB", bytes / 1e9),
        bytes if bytes >= 5e7 => format!("{:.1} GB", bytes / 1e9),
        bytes => format!("{:.1} MB", bytes / 1e6),
    }
}

/// Refuses what needs more than all of the machine's memory; `what`: "3 levels need", `help`: how to
/// stay within so many bytes.
///
/// # Errors
/// [`Error::Request`] with both amounts.
pub fn check(what: impl Display, need: u128, help: impl FnOnce(u128) -> String) -> Result<()> {
    let Some(memory) = physical_memory().map(u128::from).filter(|&memory| need > memory) else {
        return Ok(());
    };
    let (need, has) = (gigabytes(need), gigabytes(memory));
    Err(Error::request(format!("{what} about {need} of memory, this machine has {has}"))
        .with_help(help(memory)))
}

/// The same of what stands beside other data, for which half of the memory is kept.
///
/// # Errors
/// Those of [`check`].
pub fn check_half(what: impl Display, need: u128, help: impl FnOnce(u128) -> String) -> Result<()> {
    let Some(half) = physical_memory().map(|bytes| u128::from(bytes / 2)) else { return Ok(()) };
    if need <= half {
        return Ok(());
    }
    let (need, has) = (gigabytes(need), gigabytes(half));
    Err(Error::request(format!(
        "{what} about {need} of memory, half of what this machine has is {has}"
    ))
    .with_help(help(half)))
}

#[cfg(test)]
mod tests {
    use super::{check, check_half, physical_memory};

    #[test]
    fn more_than_there_is_is_refused() {
        let Some(memory) = physical_memory().map(u128::from) else { return };
        let help = |limit| format!("at most {limit}");
        assert!(check("it needs", memory, help).is_ok());
        let error = check("it needs", u128::MAX, help).unwrap_err();
        assert!(error.to_string().starts_with("it needs about 3.4e29 GB of memory, this machine"));
        assert_eq!(error.help(), Some(&*help(memory)));
        assert!(check_half("it needs", memory / 2, help).is_ok());
        assert!(check_half("it needs", memory / 2 + 2, help).is_err());
    }
}
