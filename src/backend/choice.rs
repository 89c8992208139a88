//! Choosing a processor.

use std::str::FromStr;
use std::thread::JoinHandle;

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

/// Opens the GPU that is asked for in the background, so that [`choose`] finds it open. Nothing
/// happens for other choices.
///
/// # Errors
/// [`Error::Request`] if the GPU is not there. What fails later is reported by [`choose`].
pub fn start(choice: Choice) -> Result<Starting> {
    let Choice::Cuda(ordinal) = choice else { return Ok(Starting(None)) };
    gpu::check(ordinal)?;
    Ok(Starting(Some(std::thread::spawn(move || gpu::start(ordinal)))))
}

/// A GPU that is being opened. Dropping it waits until it is open, since a program must not end
/// while its driver starts.
#[derive(Debug)]
#[must_use = "dropping it waits for the device"]
pub struct Starting(Option<JoinHandle<()>>);

impl Drop for Starting {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

/// GPUs by CUDA.
#[cfg(feature = "cuda")]
mod gpu {
    pub use crate::backend::cuda::{check_device as check, devices};

    use crate::backend::{Backend, Cuda, Precision, Strategy};
    use crate::error::Result;

    pub fn open(
        ordinal: usize,
        precision: Precision,
        strategy: Strategy,
    ) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Cuda::new(ordinal, precision)?.with_strategy(strategy)))
    }

    pub fn start(ordinal: usize) {
        let _ = Cuda::open(ordinal);
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

    pub fn check(_: usize) -> Result<()> {
        Err(no_support())
    }

    pub fn start(_: usize) {}

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
