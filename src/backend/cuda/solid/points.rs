//! Results that stay on the device, for the next step there.

use std::ops::Range;

use crate::backend::Precision;
use crate::backend::cuda::driver::device_arrays::{DeviceArray, DeviceMemory};
use crate::error::Result;
use crate::plan::WantedQuantity;

/// Limit points on the device, in the order of [`Limit`](crate::Limit). They hold as long as this
/// value, or a clone of its memory, does; the evaluator puts later results elsewhere.
pub struct DevicePoints {
    /// What the arrays lie in.
    pub memory: DeviceMemory,
    /// Elements evaluated.
    pub elements: Range<usize>,
    /// Positions.
    pub positions: DeviceArray,
    /// Derivatives wanted.
    pub derivatives: Vec<DeviceArray>,
    /// Attributes.
    pub attributes: Vec<DeviceArray>,
    /// Derivatives of each attribute wanted.
    pub attribute_derivatives: Vec<Vec<DeviceArray>>,
    /// Quantities wanted that follow from derivatives, a row per result or an element.
    pub quantities: Vec<(WantedQuantity, DeviceArray)>,
}

impl DevicePoints {
    /// Precision of the numbers in all arrays.
    pub fn precision(&self) -> Precision {
        self.positions.precision()
    }

    /// The stream on which the results are made, as the driver's handle: work put on it
    /// finds them there.
    pub fn stream(&self) -> *mut std::ffi::c_void {
        self.memory.stream()
    }

    /// Brings an array to the host, in double precision.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for an array of other points; with the driver's
    /// words if a kernel failed.
    pub fn read(&self, array: &DeviceArray) -> Result<Vec<f64>> {
        self.memory.read(array)
    }
}
