//! Which machine, when, and by which command.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::backend::{Backend, Cpu, DeviceInfo, Processor};
use crate::error::Result;
use crate::memory::physical_memory;
use crate::numbers::counted;
use serde::Serialize;

/// A machine, and when it was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Machine {
    /// Name of the processor, if the system reports it.
    pub cpu_model: Option<String>,
    /// SIMD instructions and threads used.
    pub cpu: String,
    /// Size of the memory in bytes, if the system reports it.
    pub memory: Option<u64>,
    /// The GPU that was measured; null without a GPU.
    pub gpu: Option<DeviceInfo>,
    /// The operating system.
    pub system: String,
    /// Date of the measurement, `YYYY-MM-DD` in UTC.
    pub date: String,
    /// Version of this program.
    pub version: &'static str,
    /// The command line.
    pub command: String,
}

impl Machine {
    pub(super) fn new(processor: &Processor, command: &str) -> Result<Self> {
        let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() / 86400);
        Ok(Self {
            cpu_model: cpu_model(),
            cpu: Cpu::default().name(),
            memory: physical_memory(),
            gpu: processor.device_info()?,
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            date: date(days),
            version: env!("CARGO_PKG_VERSION"),
            command: command.into(),
        })
    }

    /// All of it in one line.
    pub(super) fn describe(&self) -> String {
        let mut parts = Vec::new();
        if let Some(gpu) = &self.gpu {
            let (major, minor) = gpu.compute_capability;
            let memory = gpu.memory as f64 / 1e9;
            parts.push(format!(
                "{} (compute capability {major}.{minor}, {} multiprocessors, {memory:.0} GB)",
                gpu.name, gpu.multiprocessors
            ));
        }
        let threads = rayon::current_num_threads();
        match &self.cpu_model {
            Some(model) => parts.push(format!("{model}, {}", counted(threads, "thread"))),
            None => parts.push(self.cpu.clone()),
        }
        if let Some(memory) = self.memory {
            parts.push(format!("{:.0} GB of memory", memory as f64 / 1e9));
        }
        parts.push(self.system.clone());
        parts.join("; ")
    }
}

fn cpu_model() -> Option<String> {
    let table = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = table.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(line.trim_start().strip_prefix(':')?.trim().into())
}

/// The date that is `days` after the first of January 1970: Howard Hinnant's *civil_from_days*, whose
/// years begin in March.
fn date(days: u64) -> String {
    let (era, day) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day + 2) / 153;
    let day = day - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}
