//! Results that stay on the device, for the next step there.

use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::device::failed;
use super::functions::{Functions, Shape};
use super::launch::{Argument, Launch};
use super::memory::Buffer;
use super::sources::{JACOBIAN, Variant};
use crate::backend::Precision;
use crate::error::{Error, Result};
use crate::numbers::Real;
use cudarc::driver::DeviceRepr;

/// An array on the device, `[result][width]`.
#[derive(Clone, Copy, Debug)]
pub struct DeviceArray {
    /// Address on the device of the first number.
    pub address: u64,
    /// Number of results.
    pub len: usize,
    /// Numbers a result.
    pub width: usize,
}

/// Limit points on the device, in the order of [`Limit`](crate::Limit). They hold until the
/// evaluator is used again.
pub struct DevicePoints<'e> {
    pub(super) functions: &'e Arc<Functions>,
    pub(super) stream: &'e Arc<CudaStream>,
    pub(super) precision: Precision,
    pub(super) samples: usize,
    pub(super) first: bool,
    /// Elements evaluated.
    pub elements: Range<usize>,
    /// Positions.
    pub positions: DeviceArray,
    /// Derivatives wanted.
    pub derivatives: Vec<DeviceArray>,
    /// Attributes.
    pub attributes: Vec<DeviceArray>,
}

/// Jacobian determinants d(x, y, z)/d(u, v, w), computed on the device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Determinants {
    /// Of every result; NaN where it does not exist.
    pub all: Vec<f64>,
    /// Least of each element; NaN where none exists.
    pub least: Vec<f64>,
}

impl DevicePoints<'_> {
    /// Precision of the numbers in all arrays.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Waits until all results are there.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel failed.
    pub fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(failed("the evaluation failed"))
    }

    /// The stream on which the results are made, as the driver's handle: work put on it
    /// finds them there.
    pub fn stream(&self) -> *mut std::ffi::c_void {
        self.stream.cu_stream().cast()
    }

    /// Jacobian determinants of tensor samples.
    ///
    /// # Errors
    /// [`Error::Request`] if the plan has no first derivatives or scattered samples.
    pub fn determinants(&self) -> Result<Determinants> {
        if !self.first || self.samples == 0 {
            return Err(Error::request("Jacobian determinants of a plan without them")
                .with_help("plan tensor samples with Want::FIRST"));
        }
        match self.precision {
            Precision::F32 => self.determinants_in::<f32>(),
            Precision::F64 => self.determinants_in::<f64>(),
        }
    }

    fn determinants_in<T: Real + DeviceRepr>(&self) -> Result<Determinants> {
        let all = Buffer::<T>::empty(self.stream, self.positions.len)?;
        let least = Buffer::<T>::empty(self.stream, self.elements.len())?;
        let function = self.functions.get(&Variant::new(&JACOBIAN, self.precision), "jacobian")?;
        let blocks = self.elements.len() as u32;
        let arguments = self.derivatives[..3].iter().map(|d| Argument::Address(d.address)).chain([
            Argument::Number(self.samples as u32),
            Argument::Address(all.address(0)),
            Argument::Address(least.address(0)),
        ]);
        let launch = Launch {
            name: "jacobian".into(),
            function,
            shape: Shape { blocks, threads: 128, shared: 0 },
            arguments: arguments.collect(),
        };
        // SAFETY: the arrays are those of this evaluation and live here.
        unsafe { launch.enqueue(self.stream) }.map_err(failed("the kernel cannot be launched"))?;
        let read = |buffer: &Buffer<T>| -> Result<Vec<f64>> {
            Ok(buffer.read(self.stream)?.into_iter().map(T::to_f64).collect())
        };
        Ok(Determinants { all: read(&all)?, least: read(&least)? })
    }
}
