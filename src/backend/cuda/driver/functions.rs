//! Kernels ready to be launched.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{CUfunction, CUfunction_attribute as Attribute, CUstream};
use cudarc::driver::{CudaFunction, CudaModule, CudaStream, DriverError, result};

use super::device::{CudaDevice, failed};
use super::modules::Modules;
use super::sources::Variant;
use crate::error::Result;

/// All kernels of one device, loaded when first asked for.
#[derive(Debug)]
pub(in crate::backend::cuda) struct Functions {
    device: CudaDevice,
    modules: Modules,
    stream: Arc<CudaStream>,
    loaded: Mutex<HashMap<(Variant, &'static str), Arc<Function>>>,
}

/// A kernel, and what its module says of itself.
#[derive(Debug)]
pub(in crate::backend::cuda) struct Function {
    function: CudaFunction,
    module: Arc<CudaModule>,
    stream: Arc<CudaStream>,
    most_shared: u32,
    // those that were asked for: to read one waits for all copies to the host
    constants: Mutex<HashMap<String, u32>>,
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::backend::cuda) struct LaunchShape {
    pub blocks: u32,
    pub threads: u32,
    /// Dynamic shared memory per block, in bytes.
    pub shared: u32,
}

type LaunchKernel = unsafe fn(
    CUfunction,
    (u32, u32, u32),
    (u32, u32, u32),
    u32,
    CUstream,
    &mut [*mut c_void],
) -> Result<(), DriverError>;

/// Devices in use. They stay open until the program ends: to open one takes a third of a second.
static OPENED: Mutex<BTreeMap<usize, Arc<Functions>>> = Mutex::new(BTreeMap::new());

impl Functions {
    /// The functions of device `ordinal`, which all backends of the program share.
    pub fn of(ordinal: usize) -> Result<Arc<Self>> {
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(functions) = opened.get(&ordinal) {
            // every thread has a current context of its own
            let bound = functions.device.context.bind_to_thread();
            bound.map_err(failed("the device cannot be opened"))?;
            return Ok(functions.clone());
        }
        let functions = Arc::new(Self::new(CudaDevice::open(ordinal)?)?);
        opened.insert(ordinal, functions.clone());
        Ok(functions)
    }

    fn new(device: CudaDevice) -> Result<Self> {
        let modules = Modules::new(&device)?;
        let stream = device.context.new_stream().map_err(failed("no stream"))?;
        Ok(Self { device, modules, stream, loaded: Mutex::default() })
    }

    pub fn device(&self) -> &CudaDevice {
        &self.device
    }

    /// A new stream of the device.
    pub fn new_stream(&self) -> Result<Arc<CudaStream>> {
        self.device.context.new_stream().map_err(failed("no stream"))
    }

    /// The kernel `name` of a variant.
    pub fn get(&self, variant: &Variant, name: &'static str) -> Result<Arc<Function>> {
        let key = (variant.clone(), name);
        let loaded = || self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = loaded().get(&key) {
            return Ok(function.clone());
        }
        let module = self.modules.get(variant)?;
        let function = module.load_function(name).map_err(failed("a kernel is missing"))?;
        let most_shared = self.device.info.shared_memory;
        let function = Arc::new(Function {
            function,
            module,
            stream: self.stream.clone(),
            most_shared,
            constants: Mutex::default(),
        });
        loaded().insert(key, function.clone());
        Ok(function)
    }
}

impl Function {
    /// A number that the module gives under this name.
    pub fn constant(&self, name: &str) -> Result<u32> {
        let mut constants = self.constants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = constants.get(name) {
            return Ok(number);
        }
        let read = || {
            let symbol = self.module.get_global(name, &self.stream)?;
            let bytes: Vec<u8> = self.stream.clone_dtoh(&symbol)?;
            self.stream.synchronize()?;
            Ok(bytes)
        };
        let bytes: Vec<u8> = read().map_err(failed("a kernel does not say what it needs"))?;
        let number = u32::from_ne_bytes(std::array::from_fn(|i| bytes[i]));
        constants.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Lets blocks have so much dynamic shared memory; returns how many of them a
    /// multiprocessor holds.
    pub(crate) fn occupancy(&self, threads: u32, shared: u32) -> Result<u32> {
        let set = || {
            self.stream.context().bind_to_thread()?;
            let own = self.function.shared_size_bytes()?;
            if shared as i32 + own > 48 << 10 {
                // all that the kernel's own arrays leave, whatever other launches take
                let most = self.most_shared as i32 - own;
                let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                self.function.set_attribute(attribute, most)?;
            }
            let function = &self.function;
            function.occupancy_max_active_blocks_per_multiprocessor(threads, shared as usize, None)
        };
        let blocks = set().map_err(failed("a kernel needs more shared memory than there is"))?;
        Ok(blocks.max(1))
    }

    /// Launches the kernel.
    ///
    /// # Safety
    /// The arguments match the kernel in number, order and type, and every
    /// address in them holds while the kernel runs.
    pub unsafe fn launch(
        &self,
        stream: &CudaStream,
        shape: LaunchShape,
        arguments: &[*const c_void],
    ) -> Result<(), DriverError> {
        // SAFETY: by the caller.
        unsafe { self.launch_by(result::launch_kernel, stream, shape, arguments) }
    }

    /// Launches the kernel with blocks that run at once, so that they may wait for one another; no
    /// more of them than the device holds.
    ///
    /// # Safety
    /// As [`Function::launch`].
    pub unsafe fn launch_cooperative(
        &self,
        stream: &CudaStream,
        shape: LaunchShape,
        arguments: &[*const c_void],
    ) -> Result<(), DriverError> {
        // SAFETY: by the caller.
        unsafe { self.launch_by(result::launch_cooperative_kernel, stream, shape, arguments) }
    }

    unsafe fn launch_by(
        &self,
        launch: LaunchKernel,
        stream: &CudaStream,
        shape: LaunchShape,
        arguments: &[*const c_void],
    ) -> Result<(), DriverError> {
        if shape.blocks == 0 {
            return Ok(());
        }
        let mut arguments: Vec<*mut c_void> = arguments.iter().map(|a| a.cast_mut()).collect();
        let (grid, block) = ((shape.blocks, 1, 1), (shape.threads, 1, 1));
        stream.context().bind_to_thread()?;
        let function = self.function.cu_function();
        // SAFETY: by the caller.
        unsafe { launch(function, grid, block, shape.shared, stream.cu_stream(), &mut arguments) }
    }
}
