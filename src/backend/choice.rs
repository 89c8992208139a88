//! Choosing a processor.

use std::str::FromStr;

use super::{Backend, Cpu, Cuda, DeviceInfo, Precision, Strategy, cuda};
use crate::error::{Error, Result};

/// Which processor to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first NVIDIA GPU that works, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The NVIDIA GPU of this number.
    Cuda(usize),
}

impl FromStr for Choice {
    type Err = Error;

    /// Reads `auto`, `cpu`, `cuda` or `cuda:N`.
    fn from_str(text: &str) -> Result<Self> {
        let device = |number: &str| number.parse().ok().map(Self::Cuda);
        let choice = match text {
            "auto" => Some(Self::Auto),
            "cpu" => Some(Self::Cpu),
            "cuda" => Some(Self::Cuda(0)),
            _ => text.strip_prefix("cuda:").and_then(device),
        };
        choice.ok_or_else(|| {
            // all in the message: a parser of arguments shows nothing else
            Error::request(format!("there is no backend {text:?}: give auto, cpu, cuda or cuda:N"))
        })
    }
}

/// All GPUs that this program can use.
///
/// # Errors
/// [`Error::Request`] if there is no driver or no device, with what to install.
pub fn devices() -> Result<Vec<DeviceInfo>> {
    cuda::devices()
}

/// The processor chosen. `strategy` concerns GPUs alone.
///
/// # Errors
/// [`Error::Request`] if a GPU is asked for that is not there or cannot compile its
/// kernels; [`Choice::Auto`] takes the CPU then.
pub fn choose(
    choice: Choice,
    precision: Precision,
    strategy: Strategy,
) -> Result<Box<dyn Backend>> {
    let gpu = |ordinal| Ok(Cuda::new(ordinal, precision)?.with_strategy(strategy));
    match choice {
        Choice::Cpu => Ok(Box::new(Cpu::new(precision))),
        Choice::Cuda(ordinal) => gpu(ordinal).map(|gpu| Box::new(gpu) as Box<dyn Backend>),
        Choice::Auto => {
            let count = devices().map_or(0, |devices| devices.len());
            match (0..count).find_map(|ordinal| gpu(ordinal).ok()) {
                Some(gpu) => Ok(Box::new(gpu)),
                None => Ok(Box::new(Cpu::new(precision))),
            }
        }
    }
}

/// The best processor of this machine at the reference precision.
pub fn auto() -> Box<dyn Backend> {
    choose(Choice::Auto, Precision::F64, Strategy::Auto)
        .unwrap_or_else(|_| Box::new(Cpu::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read() {
        for (text, choice) in [
            ("auto", Choice::Auto),
            ("cpu", Choice::Cpu),
            ("cuda", Choice::Cuda(0)),
            ("cuda:3", Choice::Cuda(3)),
        ] {
            assert_eq!(text.parse::<Choice>().unwrap(), choice);
        }
        for wrong in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "CPU"] {
            assert!(wrong.parse::<Choice>().is_err(), "{wrong}");
        }
    }
}
