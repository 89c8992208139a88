//! Ranks of one machine, which share its cores and GPUs.

use super::Ranks;
use crate::error::Result;

/// What a rank has of its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// Index of the rank on its machine, from 0 on: with several GPUs the rank takes
    /// the GPU of this number, modulo the number of GPUs.
    pub rank: usize,
    /// Ranks of the machine.
    pub size: usize,
    /// Threads for it: its share of the cores that it may run on.
    pub threads: usize,
}

impl Host {
    /// Asks all ranks where they are. Ranks that may run on the same cores share them evenly; where
    /// the engine has bound each to cores of its own, it has these.
    ///
    /// # Errors
    /// The error of the first rank that has one.
    pub fn of(ranks: &Ranks<'_>) -> Result<Self> {
        let own = serde_json::to_vec(&(name(), cores())).unwrap_or_default();
        let all = ranks.all_gather(Ok(own.clone()))?;
        let name = |bytes: &[u8]| -> Option<String> {
            serde_json::from_slice::<(String, Vec<usize>)>(bytes).ok().map(|(name, _)| name)
        };
        let here = |bytes: &&Vec<u8>| name(bytes) == name(&own);
        let sharing = all.iter().filter(|bytes| **bytes == own).count();
        let before = all[..ranks.rank()].iter().filter(here).count();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            rank: before,
            size: all.iter().filter(here).count(),
            threads: (cores / sharing.max(1)).max(1),
        })
    }
}

/// The machine's name.
#[cfg(unix)]
fn name() -> String {
    let mut name = [0_u8; 256];
    // SAFETY: the call writes at most the length given.
    let found = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) } == 0;
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    if found { String::from_utf8_lossy(&name[..end]).into_owned() } else { String::new() }
}

#[cfg(not(unix))]
fn name() -> String {
    String::new()
}

/// The cores that this program may run on; none if unknown.
#[cfg(target_os = "linux")]
fn cores() -> Vec<usize> {
    // SAFETY: a set of cores is plain bits; the call writes at most the length given.
    let (set, found) = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let found = libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) == 0;
        (set, found)
    };
    // SAFETY: all numbers lie in the set.
    let may = |&core: &usize| found && unsafe { libc::CPU_ISSET(core, &set) };
    (0..libc::CPU_SETSIZE as usize).filter(may).collect()
}

#[cfg(not(target_os = "linux"))]
fn cores() -> Vec<usize> {
    Vec::new()
}
