//! Results that stay on the device, for the next step there.

use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::device::failed;
use super::memory::start_copy;
use crate::backend::Precision;
use crate::error::Result;
use crate::numbers::Real;
use crate::plan::Wanted;

/// An array on the device, `[row][width]`.
#[derive(Clone, Copy, Debug)]
pub struct DeviceArray {
    /// Address on the device of the first number.
    pub address: u64,
    /// Number of rows: a result each, or an element each.
    pub len: usize,
    /// Numbers a row.
    pub width: usize,
}

/// Limit points on the device, in the order of [`Limit`](crate::Limit). They hold until the
/// evaluator is used again.
pub struct DevicePoints<'e> {
    pub(super) stream: &'e Arc<CudaStream>,
    pub(super) precision: Precision,
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
    /// Quantities wanted that follow from derivatives, a row a result or an element.
    pub quantities: Vec<(Wanted, DeviceArray)>,
}

impl DevicePoints<'_> {
    /// Precision of the numbers in all arrays.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Waits until all results are there.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) with the driver's words if a kernel failed.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(failed("the evaluation failed"))
    }

    /// The stream on which the results are made, as the driver's handle: work put on it
    /// finds them there.
    pub fn stream(&self) -> *mut std::ffi::c_void {
        self.stream.cu_stream().cast()
    }

    /// Brings an array to the host, in double precision.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) with the driver's words if a kernel failed.
    pub fn read(&self, array: &DeviceArray) -> Result<Vec<f64>> {
        match self.precision {
            Precision::F32 => self.read_in::<f32>(array),
            Precision::F64 => self.read_in::<f64>(array),
        }
    }

    fn read_in<T: Real>(&self, array: &DeviceArray) -> Result<Vec<f64>> {
        let mut values = vec![T::default(); array.len * array.width];
        // SAFETY: the device has so many numbers there; they are waited for below.
        unsafe { start_copy(array.address, bytemuck::cast_slice_mut(&mut values), self.stream) }?;
        self.synchronize()?;
        Ok(values.into_iter().map(T::to_f64).collect())
    }
}
