//! Launches: kernels with their arguments, for one evaluation and as often as wanted.

use std::ffi::c_void;
use std::ptr::from_ref;
use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr, DriverError};

use super::buffer::Buffer;
use super::functions::{Function, LaunchShape};
use super::sources::{KernelSource, Variant};
use crate::error::Result;
use crate::numbers::Real;
use crate::plan::Want;

/// What all kernels of an evaluation share; see `Job` in `kernels/common/layout.cuh`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(in crate::backend::cuda) struct LaunchJob {
    pub points: u64,
    pub outputs: [u64; 10],
    pub stride: u32,
    pub offset: u32,
    pub first_element: u32,
    pub samples: u32,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for LaunchJob {}

/// Some components of the control points, and the derivatives evaluated of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::backend::cuda) struct Pass {
    /// Components at once, 1 to 4.
    pub width: usize,
    /// Whether control points have more components than these.
    pub strided: bool,
    pub want: Want,
}

impl Pass {
    pub fn variant<T: Real + DeviceRepr>(&self, source: &'static KernelSource) -> Variant {
        Variant::new(source, T::PRECISION)
            .with("WIDTH", self.width)
            .with("STRIDED", usize::from(self.strided))
            .with("FIRST", usize::from(self.want.contains(Want::FIRST)))
            .with("SECOND", usize::from(self.want.contains(Want::SECOND)))
    }
}

/// A kernel with its arguments.
pub(in crate::backend::cuda) struct Launch {
    pub name: String,
    pub function: Arc<Function>,
    pub shape: LaunchShape,
    pub arguments: Vec<Argument>,
}

/// An argument of a kernel, kept until it is launched.
pub(in crate::backend::cuda) enum Argument {
    Job(Box<LaunchJob>),
    Leaves(Box<[u64; 4]>),
    /// A structure by value.
    Words(Box<[u64]>),
    Address(u64),
    Number(u32),
    Long(u64),
    /// The address of a word of the launch's own, zero before and after it has run.
    Own {
        address: u64,
        _word: Buffer<u32>,
    },
}

impl Argument {
    /// A word of the launch's own on the stream that it waits for, and that waits for it.
    pub fn own(stream: &Arc<CudaStream>) -> Result<Self> {
        let word = Buffer::zeros(stream, 1)?;
        Ok(Self::Own { address: word.address(0), _word: word })
    }

    fn pointer(&self) -> *const c_void {
        match self {
            Self::Job(job) => from_ref::<LaunchJob>(job).cast(),
            Self::Leaves(leaves) => leaves.as_ptr().cast(),
            Self::Words(words) => words.as_ptr().cast(),
            Self::Address(word) | Self::Long(word) | Self::Own { address: word, .. } => {
                from_ref(word).cast()
            }
            Self::Number(number) => from_ref(number).cast(),
        }
    }
}

impl Launch {
    /// Puts the launch on a stream.
    ///
    /// # Safety
    /// Every array in the arguments holds until the kernel has run.
    pub unsafe fn enqueue(&self, stream: &CudaStream) -> Result<(), DriverError> {
        // SAFETY: built for this kernel; arrays by the caller.
        unsafe { self.function.launch(stream, self.shape, &self.pointers()) }
    }

    /// Like [`Launch::enqueue`], with all blocks resident at once, so that they may wait for one
    /// another.
    ///
    /// # Safety
    /// As [`Launch::enqueue`].
    pub unsafe fn enqueue_cooperative(&self, stream: &CudaStream) -> Result<(), DriverError> {
        // SAFETY: built for this kernel; arrays by the caller.
        unsafe { self.function.launch_cooperative(stream, self.shape, &self.pointers()) }
    }

    fn pointers(&self) -> Vec<*const c_void> {
        self.arguments.iter().map(Argument::pointer).collect()
    }
}
