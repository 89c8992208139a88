//! Which machine, when, and by which command.

use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::backend::{Backend, Cpu, DeviceInfo, Processor};

use subsolid::memory::physical_memory;
use subsolid::numbers::counted;

#[derive(Serialize, JsonSchema)]
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
    pub fn new(processor: &Processor) -> Result<Self> {
        let gpu = processor.gpu_backend()?;
        let gpu = gpu.and_then(|gpu| gpu.device().map(|device| device.info().clone()));
        let arguments: Vec<String> =
            std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
        let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() / 86400);
        Ok(Self {
            cpu_model: cpu_model(),
            cpu: Cpu::default().name(),
            memory: physical_memory(),
            gpu,
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            date: date(days),
            version: env!("CARGO_PKG_VERSION"),
            command: format!("subsolid {}", arguments.join(" ")),
        })
    }

    /// All of it in one line.
    pub fn describe(&self) -> String {
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

/// The date that is `days` after the first of January 1970.
fn date(mut days: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(59), "1970-03-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(11_322), "2000-12-31");
        assert_eq!(date(20_453), "2025-12-31");
    }
}
