//! `subsolid devices`

use std::fmt::Write;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::backend::{Backend, Cpu, DeviceInfo, devices};
use subsolid::{Error, Result};

use super::wording::words;
use super::{Console, Outcome};
use subsolid::memory::decimal_bytes;
use subsolid::numbers::counted;

/// List the processors that --backend can name
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid devices
  subsolid devices --json | jq '.devices[].name'")]
pub struct Arguments {}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Instructions and threads of the CPU.
    cpu: String,
    /// The GPUs that can be used.
    devices: Vec<DeviceInfo>,
    /// Why no GPU can be used.
    no_device: Option<String>,
    /// How to make a GPU usable.
    help: Option<String>,
}

pub fn run(_: Arguments, console: &Console) -> Result<Outcome> {
    let (devices, error) = match devices() {
        Ok(devices) => (devices, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let report = Report {
        cpu: Cpu::default().name(),
        devices,
        no_device: error.as_ref().map(|error| words(&error.message())),
        help: error.as_ref().and_then(Error::help).map(words),
    };
    console.report(&report, || text(&report))?;
    Ok(Outcome::Done)
}

fn text(report: &Report) -> String {
    let mut text = format!("{:<8} {}\n", "cpu", report.cpu);
    for device in &report.devices {
        let (major, minor) = device.compute_capability;
        let rate = device.bandwidth.map(|b| format!(" at {:.0} GB/s", b / 1e9)).unwrap_or_default();
        let _ = writeln!(
            text,
            "{:<8} {}: compute capability {major}.{minor}, {}, {} of memory{rate}",
            format!("cuda:{}", device.ordinal),
            device.name,
            counted(device.multiprocessors as usize, "multiprocessor"),
            decimal_bytes(device.memory.into()),
        );
    }
    match &report.no_device {
        Some(why) => text += &format!("{why}\n"),
        None if report.devices.is_empty() => text += "no CUDA device: the driver shows none\n",
        None => {}
    }
    if let Some(help) = &report.help {
        text += &format!("help: {help}\n");
    }
    text
}
