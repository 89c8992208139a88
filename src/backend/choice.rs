//! Choosing a processor.

use std::str::FromStr;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::{Backend, Cpu, DeviceInfo, Precision, Several, SharedBackend, Strategy};
use crate::error::{Error, Result, option};
use crate::message;

/// The processor that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first NVIDIA GPU that works, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The NVIDIA GPU of this number.
    Cuda(usize),
    /// Several NVIDIA GPUs, which share the elements of an evaluation; see [`Several`].
    Devices(DeviceList),
    /// All NVIDIA GPUs of this machine.
    AllDevices,
}

impl Choice {
    /// Whether a GPU is asked for by name.
    pub fn is_gpu(self) -> bool {
        !matches!(self, Self::Auto | Self::Cpu)
    }

    /// Whether several GPUs may be asked for.
    pub fn is_several(self) -> bool {
        matches!(self, Self::Devices(_) | Self::AllDevices)
    }
}

/// Maximum number of devices of a [`DeviceList`].
const MAX_DEVICES: usize = 16;

/// Numbers of devices, at most 16, in the order of their shares; one may be there more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceList {
    ordinals: [usize; MAX_DEVICES],
    count: usize,
}

impl DeviceList {
    /// A list of these device numbers, if there are 1 to 16.
    pub fn new(devices: &[usize]) -> Option<Self> {
        let mut ordinals = [0; MAX_DEVICES];
        ordinals.get_mut(..devices.len())?.copy_from_slice(devices);
        (!devices.is_empty()).then_some(Self { ordinals, count: devices.len() })
    }

    /// The CUDA device numbers of the list.
    pub fn ordinals(&self) -> &[usize] {
        &self.ordinals[..self.count]
    }
}

impl FromStr for Choice {
    type Err = Error;

    /// Reads `auto`, `cpu`, `cuda`, `cuda:N`, `cuda:N,M` and so on, or `cuda:all`.
    fn from_str(text: &str) -> Result<Self> {
        let device = |numbers: &str| {
            let numbers: Option<Vec<usize>> = numbers.split(',').map(|n| n.parse().ok()).collect();
            match numbers.as_deref() {
                Some([one]) => Some(Self::Cuda(*one)),
                Some(several) => DeviceList::new(several).map(Self::Devices),
                None => None,
            }
        };
        let choice = match text {
            "auto" => Some(Self::Auto),
            "cpu" => Some(Self::Cpu),
            "cuda" => Some(Self::Cuda(0)),
            "cuda:all" => Some(Self::AllDevices),
            _ => text.strip_prefix("cuda:").and_then(device),
        };
        choice.ok_or_else(|| {
            // all in the message: a parser of arguments shows nothing else
            Error::request(format!(
                "unknown backend {text:?}: give auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all"
            ))
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
    let shared = |ordinal: usize| gpu::open(ordinal, precision, strategy);
    let gpu = |ordinal| shared(ordinal).map(|gpu| Box::new(gpu) as Box<dyn Backend>);
    match choice {
        Choice::Devices(_) | Choice::AllDevices => match &ordinals(choice)?[..] {
            &[one] => gpu(one),
            several => {
                let open = |&ordinal: &usize| Ok(Arc::new(shared(ordinal)?) as SharedBackend);
                let members: Result<Vec<_>> = several.iter().map(open).collect();
                Ok(Box::new(Several::new(members?, precision)?))
            }
        },
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
    let mut ordinals = ordinals(choice)?;
    ordinals.sort_unstable();
    ordinals.dedup();
    ordinals.iter().try_for_each(|&ordinal| gpu::check(ordinal))?;
    let start = |ordinal| std::thread::spawn(move || gpu::start(ordinal));
    Ok(Starting(ordinals.into_iter().map(start).collect()))
}

/// The devices that a choice names.
fn ordinals(choice: Choice) -> Result<Vec<usize>> {
    Ok(match choice {
        Choice::Auto | Choice::Cpu => Vec::new(),
        Choice::Cuda(ordinal) => vec![ordinal],
        Choice::Devices(list) => list.ordinals().to_vec(),
        Choice::AllDevices => {
            let all: Vec<usize> = devices()?.into_iter().map(|device| device.ordinal).collect();
            if all.is_empty() {
                return Err(Error::request("no CUDA device: the driver shows none").with_help(
                    message!("check CUDA_VISIBLE_DEVICES, or give ", option("backend", "cpu")),
                ));
            }
            all
        }
    })
}

/// GPUs that are being opened. Dropping it waits until they are open, since a program must not end
/// while its driver starts.
#[derive(Debug)]
#[must_use = "dropping it waits for the device"]
pub struct Starting(Vec<JoinHandle<()>>);

impl Drop for Starting {
    fn drop(&mut self) {
        for thread in self.0.drain(..) {
            let _ = thread.join();
        }
    }
}

/// GPUs by CUDA.
#[cfg(feature = "cuda")]
mod gpu {
    pub use crate::backend::cuda::{check_device as check, devices};

    use crate::backend::{Cuda, Precision, Strategy};
    use crate::error::Result;

    pub fn open(ordinal: usize, precision: Precision, strategy: Strategy) -> Result<Cuda> {
        Ok(Cuda::new(ordinal, precision)?.with_strategy(strategy))
    }

    pub fn start(ordinal: usize) {
        let _ = Cuda::open(ordinal);
    }
}

/// No GPUs.
#[cfg(not(feature = "cuda"))]
mod gpu {
    use crate::backend::{Cpu, DeviceInfo, Precision, Strategy};
    use crate::error::{Error, Result, option};
    use crate::message;

    pub fn devices() -> Result<Vec<DeviceInfo>> {
        Err(no_support())
    }

    // the CPU stands for the type of a GPU, and is never returned
    pub fn open(_: usize, _: Precision, _: Strategy) -> Result<Cpu> {
        Err(no_support())
    }

    pub fn check(_: usize) -> Result<()> {
        Err(no_support())
    }

    pub fn start(_: usize) {}

    fn no_support() -> Error {
        Error::request("no CUDA device: this program was built without CUDA").with_help(message!(
            "build it with the cargo feature `cuda`, or give ",
            option("backend", "cpu")
        ))
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
            ("cuda:0,1", Choice::Devices(DeviceList::new(&[0, 1]).unwrap())),
            ("cuda:0,0", Choice::Devices(DeviceList::new(&[0, 0]).unwrap())),
            ("cuda:all", Choice::AllDevices),
        ] {
            assert_eq!(text.parse::<Choice>().unwrap(), choice);
        }
        for wrong in
            ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "CPU", "cuda:0,", "cuda:0,x", "cuda:,"]
        {
            assert!(wrong.parse::<Choice>().is_err(), "{wrong}");
        }
        assert!(format!("cuda:{}", ["0"; 16].join(",")).parse::<Choice>().is_ok());
        assert!(format!("cuda:{}", ["0"; 17].join(",")).parse::<Choice>().is_err());
    }
}
