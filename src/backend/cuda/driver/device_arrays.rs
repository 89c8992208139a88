//! Memory of the device that others read, and memory of others that is read here.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, sys};

use super::buffer::{Buffer, start_copy};
use super::device::failed;
use super::functions::Functions;
use super::launch::Argument;
use super::program::Kernels;
use super::sources::{ORIGIN, Variant};
use crate::backend::Precision;
use crate::error::{Error, Result};
use crate::numbers::Real;

/// Room for results, used again when no one else holds it.
pub(in crate::backend::cuda) struct ResultMemory {
    bytes: Buffer<u8>,
    context: Arc<CudaContext>,
    /// Whether streams of others may read it.
    lent: AtomicBool,
}

impl ResultMemory {
    /// Room for `numbers` numbers.
    pub fn new<T>(stream: &Arc<CudaStream>, numbers: usize) -> Result<Self> {
        let bytes = Buffer::empty(stream, numbers * size_of::<T>())?;
        Ok(Self { bytes, context: stream.context().clone(), lent: AtomicBool::new(false) })
    }

    /// Whether there is room for `numbers` numbers.
    pub fn holds<T>(&self, numbers: usize) -> bool {
        numbers * size_of::<T>() <= self.bytes.len()
    }

    /// Address of number `at`.
    pub fn address<T>(&self, at: usize) -> u64 {
        self.bytes.address(at * size_of::<T>())
    }

    /// Waits until others have read what was lent to them: they have given it back, but their
    /// streams, which need not exist any more, may still be at it.
    pub fn settle(&self) -> Result<()> {
        if self.lent.swap(false, Ordering::AcqRel) {
            self.context.synchronize().map_err(failed("the work of others failed"))?;
        }
        Ok(())
    }
}

impl Drop for ResultMemory {
    fn drop(&mut self) {
        // whatever thread this is: the buffer is given back with the context that it binds
        let _ = self.context.bind_to_thread();
        let _ = self.settle();
    }
}

/// An array on the device, `[row][width]`.
#[derive(Clone, Copy, Debug)]
pub struct DeviceArray {
    address: u64,
    len: usize,
    width: usize,
    precision: Precision,
}

impl DeviceArray {
    /// `len` rows of `width` numbers, from number `start` of the results on.
    pub(in crate::backend::cuda) fn of<T: Real>(
        results: &ResultMemory,
        start: usize,
        [len, width]: [usize; 2],
    ) -> Self {
        Self { address: results.address::<T>(start), len, width, precision: T::PRECISION }
    }

    /// Address on the device of the first number.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Number of rows: a result each, or an element each.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Numbers a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Precision of the numbers.
    pub fn precision(&self) -> Precision {
        self.precision
    }
}

/// Memory of the device with results, as long as anyone holds it.
#[derive(Clone)]
pub struct DeviceMemory {
    results: Arc<ResultMemory>,
    stream: Arc<CudaStream>,
    ready: Arc<CudaEvent>,
}

impl DeviceMemory {
    /// Results that all work now on the stream makes.
    pub(in crate::backend::cuda) fn of(
        results: &Arc<ResultMemory>,
        stream: &Arc<CudaStream>,
    ) -> Result<Self> {
        let ready = stream.record_event(None).map_err(failed("an event cannot be recorded"))?;
        Ok(Self { results: results.clone(), stream: stream.clone(), ready: Arc::new(ready) })
    }

    /// Number of the device.
    pub fn ordinal(&self) -> usize {
        self.stream.context().ordinal()
    }

    /// The stream on which the results are made, as the driver's handle: work put on it
    /// finds them there.
    pub fn stream(&self) -> *mut c_void {
        self.stream.cu_stream().cast()
    }

    /// Lets others read the memory on streams that no one here knows: it is used again, or given
    /// back, when no one holds it and the device has done all its work by then.
    pub fn lend(&self) {
        self.results.lent.store(true, Ordering::Release);
    }

    /// Makes a stream wait for the results.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words.
    ///
    /// # Safety
    /// `stream` is the driver's handle of a stream in the device's primary context, or 1 for its
    /// default stream, or 2 for the stream of the calling thread.
    pub unsafe fn make_wait(&self, stream: u64) -> Result<()> {
        let context = self.stream.context();
        // SAFETY: by the caller; it is used in this call only.
        let stream = unsafe { context.wrap_borrowed_stream(stream as sys::CUstream) };
        stream.wait(&self.ready).map_err(failed("a stream cannot wait"))
    }

    /// Waits until all results are there.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(failed("the evaluation failed"))
    }

    /// Brings an array to the host, in double precision.
    ///
    /// # Errors
    /// [`Error::Request`] for an array that lies in other memory; with the driver's words if a
    /// kernel failed.
    pub fn read(&self, array: &DeviceArray) -> Result<Vec<f64>> {
        match array.precision {
            Precision::F32 => self.read_in::<f32>(array),
            Precision::F64 => self.read_in::<f64>(array),
        }
    }

    fn read_in<T: Real>(&self, array: &DeviceArray) -> Result<Vec<f64>> {
        let mut values = vec![T::default(); array.len * array.width];
        let own = self.results.address::<u8>(0);
        let end = array.address + size_of_val(&values[..]) as u64;
        if array.address < own || end > own + self.results.bytes.len() as u64 {
            return Err(Error::request("an array of other memory of the device")
                .with_help("read an array from the memory that it came with"));
        }
        let bound = self.stream.context().bind_to_thread();
        bound.map_err(failed("the device cannot be used"))?;
        // SAFETY: the numbers lie in the results, as checked; they are waited for below.
        unsafe { start_copy(array.address, bytemuck::cast_slice_mut(&mut values), &self.stream) }?;
        self.synchronize()?;
        Ok(values.into_iter().map(T::to_f64).collect())
    }
}

/// Numbers on the device that belong to someone else, one after another.
#[derive(Clone, Copy, Debug)]
pub struct ForeignArray {
    /// Address on the device of the first number.
    pub address: u64,
    /// Number of values in the array.
    pub len: usize,
    /// Precision of the values.
    pub precision: Precision,
    /// The stream that makes them, as for [`DeviceMemory::make_wait`]; `None` if they are there,
    /// or the stream that reads them already waits for them.
    pub stream: Option<u64>,
}

impl ForeignArray {
    /// Refuses addresses that are not memory of this device, such as freed memory.
    fn check(&self, context: &CudaContext) -> Result<()> {
        let size = match self.precision {
            Precision::F32 => size_of::<f32>(),
            Precision::F64 => size_of::<f64>(),
        } as u64;
        if self.len == 0 {
            return Ok(());
        }
        let wrong = |what: &str| {
            let device = context.ordinal();
            Error::request(format!("address {:#x} {what} cuda:{device}", self.address))
                .with_help("give an array of the device, and keep it until the call returns")
        };
        if !self.address.is_multiple_of(size) {
            return Err(wrong("is not aligned for its numbers on"));
        }
        let last =
            (self.len as u64).checked_mul(size).and_then(|n| self.address.checked_add(n - 1));
        for address in [Some(self.address), last] {
            let found = address.and_then(|address| ordinal_of(address).ok());
            if found != Some(context.ordinal() as i32) {
                return Err(wrong("is not in the memory of"));
            }
        }
        Ok(())
    }

    /// Copies the numbers, in double precision and less `origin` `[component]` where there is one,
    /// on a stream that waits for them. They are read when the event is over.
    ///
    /// # Safety
    /// The array is as it says, until the event is over; see [`DeviceMemory::make_wait`] for its
    /// stream.
    pub(in crate::backend::cuda) unsafe fn take(
        &self,
        functions: &Functions,
        stream: &Arc<CudaStream>,
        to: u64,
        origin: Option<&Buffer<f64>>,
    ) -> Result<CudaEvent> {
        const THREADS: u32 = 128;
        const BLOCKS: usize = 1 << 12;
        let context = stream.context();
        context.bind_to_thread().map_err(failed("the device cannot be used"))?;
        self.check(context)?;
        let broken = failed("numbers on the device cannot be read");
        if let Some(handle) = self.stream {
            // SAFETY: by the caller; it is used in this call only.
            let other = unsafe { context.wrap_borrowed_stream(handle as sys::CUstream) };
            stream.join(&other).map_err(&broken)?;
        }
        let kernels = Kernels::new(functions, Variant::new(&ORIGIN, self.precision));
        let launch = kernels.blocks(
            "take_controls",
            self.len.div_ceil(THREADS as usize).min(BLOCKS) as u32,
            THREADS,
            vec![
                Argument::Address(self.address),
                Argument::Address(to),
                Argument::Address(origin.map_or(0, |origin| origin.address(0))),
                Argument::Long(self.len as u64),
                Argument::Number(origin.map_or(1, Buffer::len) as u32),
            ],
        )?;
        // SAFETY: arrays by the caller.
        unsafe { launch.enqueue(stream) }.map_err(&broken)?;
        stream.record_event(None).map_err(&broken)
    }
}

/// Waits until numbers of others are read.
pub(in crate::backend::cuda) fn wait(event: &CudaEvent) -> Result<()> {
    event.synchronize().map_err(failed("numbers on the device cannot be read"))
}

/// Number of the device whose memory an address is.
fn ordinal_of(address: u64) -> Result<i32, DriverError> {
    let mut ordinal = -1_i32;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: the attribute is a number of 32 bits; any address may be asked about.
    unsafe {
        sys::cuPointerGetAttribute(std::ptr::from_mut(&mut ordinal).cast(), attribute, address)
            .result()?;
    }
    Ok(ordinal)
}
