//! NVIDIA GPUs of this machine, and the reason where there are none.

use std::sync::Arc;

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaContext, DriverError, result, sys};

use crate::backend::DeviceInfo;
use crate::error::{Command, Error, Result, option};
use crate::plan::MatrixUnits;

impl DeviceInfo {
    /// Architecture for the compiler: 90 for compute capability 9.0.
    pub(in crate::backend::cuda) fn architecture(&self) -> u32 {
        10 * self.compute_capability.0 + self.compute_capability.1
    }
}

/// Architecture from which on tensor cores multiply halves, 16 of a row at once.
const HALVES: u32 = 80;

/// Architectures whose tensor cores multiply in double precision faster than its other units.
const DOUBLES: [u32; 2] = [80, 90];

/// What the tensor cores of an architecture are good for.
pub(in crate::backend::cuda) fn matrix_units(architecture: u32) -> MatrixUnits {
    MatrixUnits { single: architecture >= HALVES, double: DOUBLES.contains(&architecture) }
}

/// A GPU in use.
#[derive(Clone, Debug)]
pub(in crate::backend::cuda) struct CudaDevice {
    pub context: Arc<CudaContext>,
    pub info: DeviceInfo,
}

/// All NVIDIA GPUs that the driver shows.
///
/// # Errors
/// [`Error::Request`] if there is no driver or no device, with what to install.
pub fn devices() -> Result<Vec<DeviceInfo>> {
    require_driver()?;
    let count = CudaContext::device_count().map_err(no_device)?;
    let failed = |error| failed(NO_DESCRIPTION)(error).with_help("check `nvidia-smi`");
    let describe = |ordinal| describe(ordinal).map_err(failed);
    (0..count as usize).map(describe).collect()
}

const NO_DESCRIPTION: &str = "the device does not describe itself";

/// Whether there is a device `ordinal`; it is not opened.
///
/// # Errors
/// [`Error::Request`] if there is no driver or no such device, with what to install.
pub fn check_device(ordinal: usize) -> Result<()> {
    require_driver().map_err(Error::or_cpu)?;
    let count = CudaContext::device_count().map_err(|error| no_device(error).or_cpu())?;
    if ordinal < count as usize {
        return Ok(());
    }
    Err(Error::request(format!("there is no CUDA device {ordinal}"))
        .with_help(message!("{count} are there, counted from 0: see ", Command::Devices)))
}

impl CudaDevice {
    /// Opens device `ordinal`.
    pub fn open(ordinal: usize) -> Result<Self> {
        check_device(ordinal)?;
        let context = CudaContext::new(ordinal).map_err(failed("the device cannot be opened"))?;
        // every buffer is used on streams that this module orders by itself
        // SAFETY: launches and copies are ordered by events and synchronization.
        unsafe { context.disable_event_tracking() };
        keep_memory(&context).map_err(failed("the device's memory cannot be set up"))?;
        let info = describe(ordinal).map_err(failed(NO_DESCRIPTION))?;
        Ok(Self { context, info })
    }
}

/// Bytes that stay with the program when it frees them. The driver gives all free memory back
/// whenever it waits for the device, and to map it again takes longer than most copies.
const KEPT_POOL_BYTES: u64 = 1 << 30;

fn keep_memory(context: &CudaContext) -> Result<(), DriverError> {
    let pools = Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
    if context.attribute(pools)? == 0 {
        return Ok(());
    }
    let mut kept = KEPT_POOL_BYTES;
    // SAFETY: the attribute is a number of 64 bits.
    unsafe {
        let pool = result::device::get_default_mem_pool(context.cu_device())?;
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        sys::cuMemPoolSetAttribute(pool, threshold, std::ptr::from_mut(&mut kept).cast()).result()
    }
}

/// Asks the driver; this needs no context, which takes a third of a second to make.
fn describe(ordinal: usize) -> Result<DeviceInfo, DriverError> {
    result::init()?;
    let device = result::device::get(ordinal as i32)?;
    // SAFETY: the device is one that the driver named.
    let get = |attribute| unsafe { result::device::get_attribute(device, attribute) };
    let clock = get(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE).unwrap_or(0);
    let width = get(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH).unwrap_or(0);
    // kilohertz, two transfers a clock, bits
    let bandwidth = f64::from(clock) * 1e3 * 2.0 * f64::from(width) / 8.0;
    let shared = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    let major = get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(DeviceInfo {
        ordinal,
        name: result::device::get_name(device)?,
        compute_capability: (major as u32, minor as u32),
        multiprocessors: get(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
        // SAFETY: as above.
        memory: unsafe { result::device::total_mem(device)? } as u64,
        shared_memory: get(shared)? as u32,
        bandwidth: (bandwidth > 0.0).then_some(bandwidth),
    })
}

fn require_driver() -> Result<()> {
    // SAFETY: only tries to load the library.
    if unsafe { cudarc::driver::sys::is_culib_present() } {
        return Ok(());
    }
    Err(Error::request("no CUDA device: the NVIDIA driver (libcuda) is not installed")
        .with_help("install the NVIDIA driver"))
}

fn no_device(error: DriverError) -> Error {
    Error::request(format!("no CUDA device: {}", words(error)))
        .with_help("check `nvidia-smi` and CUDA_VISIBLE_DEVICES")
}

/// Turns a driver error into ours.
pub(in crate::backend::cuda) fn failed(what: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| {
        use cudarc::driver::sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY;
        let help = match error.0 {
            CUDA_ERROR_OUT_OF_MEMORY => "evaluate in pieces, or free memory of the device".into(),
            _ => message!(
                "check `nvidia-smi`; ",
                option("backend", "cpu"),
                " does without the device"
            ),
        };
        Error::request(format!("CUDA: {what}: {}", words(error))).with_help(help)
    }
}

fn words(error: DriverError) -> String {
    match (error.error_name(), error.error_string()) {
        (Ok(name), Ok(text)) => format!("{} ({})", text.to_string_lossy(), name.to_string_lossy()),
        _ => format!("{error:?}"),
    }
}
