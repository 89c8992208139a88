//! Choosing a processor.

use std::str::FromStr;

use super::{Backend, Cpu, DeviceInfo, Precision, Strategy};
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
    gpu::devices()
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
    let gpu = |ordinal| gpu::open(ordinal, precision, strategy);
    match choice {
        Choice::Cpu => Ok(Box::new(Cpu::new(precision))),
        Choice::Cuda(ordinal) => gpu(ordinal),
        Choice::Auto => {
            let count = devices().map_or(0, |devices| devices.len());
            match (0..count).find_map(|ordinal| gpu(ordinal).ok()) {
                Some(gpu) => Ok(gpu),
                None => Ok(Box::new(Cpu::new(precision))),
            }
        }
    }
}

/// GPUs by CUDA.
#[cfg(feature = "cuda")]
mod gpu {
    pub use crate::backend::cuda::devices;

    use crate::backend::{Backend, Cuda, Precision, Strategy};
    use crate::error::Result;

    pub fn open(
        ordinal: usize,
        precision: Precision,
        strategy: Strategy,
    ) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Cuda::new(ordinal, precision)?.with_strategy(strategy)))
    }
}

/// No GPUs.
#[cfg(not(feature = "cuda"))]
mod gpu {
    use crate::backend::{Backend, DeviceInfo, Precision, Strategy};
    use crate::error::{Error, Result};

    pub fn devices() -> Result<Vec<DeviceInfo>> {
        Err(no_support())
    }

    pub fn open(_: usize, _: Precision, _: Strategy) -> Result<Box<dyn Backend>> {
        Err(no_support())
    }

    fn no_support() -> Error {
        Error::request("no CUDA device: this program was built without CUDA")
            .with_help("build it with the cargo feature `cuda`, or give --backend cpu")
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
