//! The processors that are asked for.

use std::str::FromStr;

use crate::error::{Error, Result};

/// The processor that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Choice {
    /// The first NVIDIA GPU that works, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The NVIDIA GPU of this number.
    Cuda(usize),
    /// Several NVIDIA GPUs, which share the elements of an evaluation; see [`MultiDevice`](super::MultiDevice).
    Devices(DeviceList),
    /// All NVIDIA GPUs of this machine.
    AllDevices,
}

impl Choice {
    /// Whether the CPU may take the job.
    pub fn allows_cpu(self) -> bool {
        matches!(self, Self::Auto | Self::Cpu)
    }

    /// Whether several GPUs may be asked for.
    pub(super) fn is_several(self) -> bool {
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

impl std::fmt::Display for Choice {
    /// As it is read.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
            Self::Devices(list) => {
                let numbers: Vec<String> = list.ordinals().iter().map(usize::to_string).collect();
                write!(f, "cuda:{}", numbers.join(","))
            }
            Self::AllDevices => f.write_str("cuda:all"),
        }
    }
}

impl From<Choice> for String {
    fn from(choice: Choice) -> Self {
        choice.to_string()
    }
}

impl TryFrom<String> for Choice {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
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
