//! A GPU that is open.

use std::sync::Arc;

use super::driver::functions::Functions;
use super::driver::write_bandwidth;
use crate::backend::Precision;
use crate::error::Result;
use crate::plan::Strategy;

/// An NVIDIA GPU.
#[derive(Clone, Debug)]
pub struct Cuda {
    pub(super) functions: Arc<Functions>,
    pub(super) precision: Precision,
    pub(super) strategy: Strategy,
}

impl Cuda {
    /// The GPU `ordinal` (see [`devices`](super::devices)) at a precision.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) that says whether the driver, the device or
    /// the compiler is missing.
    pub fn new(ordinal: usize, precision: Precision) -> Result<Self> {
        let functions = Functions::of(ordinal)?;
        Ok(Self { functions, precision, strategy: Strategy::default() })
    }

    /// Opens the GPU `ordinal`, so that [`Cuda::new`] finds it open.
    ///
    /// # Errors
    /// As [`Cuda::new`].
    pub fn open(ordinal: usize) -> Result<()> {
        Functions::of(ordinal).map(drop)
    }

    /// This backend with other kernels for the whole elements of plans prepared from now on.
    #[must_use]
    pub fn with_strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Seconds of copying `bytes` to page-locked memory of the host, once a repeat: the
    /// least time of evaluations whose results go there.
    ///
    /// # Errors
    /// If the memory is not there.
    pub fn time_copying(&self, bytes: usize, repeats: usize) -> Result<Vec<f64>> {
        write_bandwidth::time_copying(&self.functions, bytes, repeats)
    }
}
