//! Checks that refuse what would not fit into the machine's memory before it is allocated.

use std::fmt::Display;
use std::path::Path;

use crate::error::{Error, Message, Result, option, option_name};

/// Bytes that every machine has.
const MIN_MACHINE_BYTES: u128 = 1 << 26;

/// Memory of the machine in bytes, where the system tells; less where the process is held to less,
/// as in a container, a job of a cluster (the limits of its control group on Linux) or by
/// `ulimit -v`.
pub fn physical_memory() -> Option<u64> {
    let table = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = kibibytes(&table, "MemTotal:")?;
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = group_limit(&own, Path::new("/sys/fs/cgroup"));
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let limits = [group, address_limit(&limits), Some(total)];
    limits.into_iter().flatten().min()
}

/// [`physical_memory`] less what this process has already.
pub fn free_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let free = |limit: u64, used: Option<u64>| limit.saturating_sub(used.unwrap_or(0));
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let addresses = address_limit(&limits).map(|limit| free(limit, kibibytes(&status, "VmSize:")));
    let memory = physical_memory().map(|limit| free(limit, kibibytes(&status, "VmRSS:")));
    [addresses, memory].into_iter().flatten().min()
}

/// The bytes in a line of `/proc`, of a number of kB.
fn kibibytes(table: &str, name: &str) -> Option<u64> {
    let number = table.lines().find_map(|line| line.strip_prefix(name))?;
    Some(1024 * number.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?)
}

/// The limit of the address space (`ulimit -v`) in `/proc/self/limits`, if there is one.
fn address_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The least limit of memory of the control groups that `/proc/self/cgroup` names, versions 1 and
/// 2, and of those above them. A container sees its own group as the root.
fn group_limit(groups: &str, root: &Path) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next()?, fields.next()?);
        let (root, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let own = root.join(group.trim_start_matches('/'));
        let above = own.ancestors().take_while(|above| above.starts_with(&root));
        // "max" where there is none
        let limit_of = |group: &Path| std::fs::read_to_string(group.join(file)).ok();
        above.filter_map(limit_of).filter_map(|text| text.trim().parse().ok()).min()
    });
    limits.min()
}

/// Bytes in decimal units, such as `1.5 GB`.
pub fn decimal_bytes(bytes: u128) -> String {
    match bytes as f64 {
        bytes if bytes >= 1e15 => format!("{:.1e} GB", bytes / 1e9),
        bytes if bytes >= 9.995e8 => format!("{:.1} GB", bytes / 1e9),
        bytes if bytes >= 5e4 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.1} kB", bytes / 1e3),
    }
}

/// The bytes of a limit in gigabytes, the value of the option `name`; the largest number for
/// infinity.
///
/// # Errors
/// [`Error::Request`] for a limit that is not positive.
pub fn bytes_of(name: &str, gigabytes: f64) -> Result<u64> {
    if gigabytes > 0.0 {
        return Ok((gigabytes * 1e9) as u64);
    }
    let value = option(name, gigabytes);
    Err(Error::request(message!(value, " is not a positive number of gigabytes"))
        .with_help("give gigabytes, for instance 4"))
}

/// Refuses what needs more than [`free_memory`]; `what`: "3 levels need", `help`: how to stay
/// within a number of bytes. Small needs are not checked, so that this costs nothing in small jobs.
///
/// # Errors
/// [`Error::Request`] with both amounts.
pub fn check(what: impl Display, need: u128, help: impl FnOnce(u128) -> Message) -> Result<()> {
    if need < MIN_MACHINE_BYTES {
        return Ok(());
    }
    check_limit(what, need, "what is free is", free_memory(), help)
}

/// Like [`check`], against half of all memory, too: the other half is kept for data held at the
/// same time.
///
/// # Errors
/// As [`check`].
pub fn check_half(
    what: impl Display,
    need: u128,
    help: impl FnOnce(u128) -> Message,
) -> Result<()> {
    let half = physical_memory().map(|bytes| bytes / 2);
    if half.is_some_and(|half| need > half.into()) {
        return check_limit(what, need, "half of this machine's memory is", half, help);
    }
    check(what, need, help)
}

/// What helps where a mesh does not fit.
pub(crate) fn coarser_or_shared() -> Message {
    message!("take a coarser mesh, or share it between programs (", option_name("mpi"), ")")
}

fn check_limit(
    what: impl Display,
    need: u128,
    has: &str,
    limit: Option<u64>,
    help: impl FnOnce(u128) -> Message,
) -> Result<()> {
    let Some(limit) = limit.map(u128::from).filter(|&limit| need > limit) else { return Ok(()) };
    let (need, most) = (decimal_bytes(need), decimal_bytes(limit));
    Err(Error::request(format!("{what} about {need} of memory, {has} {most}"))
        .with_help(help(limit)))
}
