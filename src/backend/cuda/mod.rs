//! The CUDA backend: NVIDIA GPUs, in single or double precision.
//!
//! # Practice
//! The program runs without CUDA; the driver and NVRTC are loaded when a GPU is asked
//! for. Kernels (`kernels/*.cu`, part of the program) are compiled for the device at
//! hand, specialised to the number of samples, and kept in a cache on disk.
//!
//! A prepared plan lives on the device: nets, tables and work items. One evaluation is
//! one CUDA graph, launched again with moved control points.

mod device;

pub use device::{DeviceInfo, devices};

use device::Device;

use super::{Backend, Evaluator, Precision};
use crate::error::{Error, Result};
use crate::plan::Plan;

/// Which kernels evaluate whole elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Sum-factorised and table kernels: the fastest, bitwise repeatable.
    #[default]
    Auto,
    /// The published method, one thread a point (Besler et al. 2022).
    Thread,
    /// The published method, one warp a point.
    Warp,
    /// The published method's choice between the two, by class, cells and samples.
    Hybrid,
}

/// An NVIDIA GPU.
#[derive(Clone, Debug)]
pub struct Cuda {
    device: Device,
    precision: Precision,
    strategy: Strategy,
}

impl Cuda {
    /// The GPU `ordinal` (see [`devices`]) at a precision.
    ///
    /// # Errors
    /// [`Error::Request`] that says whether the driver, the device or the compiler is
    /// missing.
    pub fn new(ordinal: usize, precision: Precision) -> Result<Self> {
        Ok(Self { device: Device::open(ordinal)?, precision, strategy: Strategy::default() })
    }

    /// The same with other kernels.
    #[must_use]
    pub fn with_strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// What the GPU is.
    pub fn info(&self) -> &DeviceInfo {
        &self.device.info
    }
}

impl Backend for Cuda {
    fn name(&self) -> String {
        let bits = match self.precision {
            Precision::F32 => 32,
            Precision::F64 => 64,
        };
        format!("{} (cuda:{}), f{bits}", self.device.info.name, self.device.info.ordinal)
    }

    fn prepare<'p>(&self, _plan: &'p Plan<'_>) -> Result<Box<dyn Evaluator + 'p>> {
        let _ = self.strategy;
        Err(Error::request("evaluation on CUDA devices is not built yet"))
    }

    fn time_writing(&self, _bytes: usize, _repeats: usize) -> Result<Vec<f64>> {
        Err(Error::request("evaluation on CUDA devices is not built yet"))
    }
}
