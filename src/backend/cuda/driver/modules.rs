//! Compiled kernels, kept in memory and in a cache on disk.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;

use super::constants;
use super::device::{CudaDevice, failed};
use super::nvrtc::{self, CodeTarget};
use super::sources::{HEADERS, Variant};
use crate::error::Result;

/// The modules of one device.
#[derive(Debug)]
pub(super) struct Modules {
    context: Arc<CudaContext>,
    target: CodeTarget,
    version: (i32, i32),
    loaded: Mutex<HashMap<Variant, Arc<ModuleSlot>>>,
}

/// Where a module goes; who finds it empty fills it, while others wait for this module alone.
type ModuleSlot = Mutex<Option<Arc<CudaModule>>>;

impl Modules {
    /// Asks the compiler what it can do for the device.
    ///
    /// # Errors
    /// If there is no compiler, or it does not know the device.
    pub fn new(device: &CudaDevice) -> Result<Self> {
        Ok(Self {
            context: device.context.clone(),
            target: nvrtc::target(device.info.architecture())?,
            version: nvrtc::version()?,
            loaded: Mutex::default(),
        })
    }

    /// The module of a variant: loaded before, from the cache, or compiled now.
    pub fn get(&self, variant: &Variant) -> Result<Arc<CudaModule>> {
        let place = {
            let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            loaded.entry(variant.clone()).or_default().clone()
        };
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*place {
            return Ok(module.clone());
        }
        let module = self.load(variant)?;
        *place = Some(module.clone());
        Ok(module)
    }

    fn load(&self, variant: &Variant) -> Result<Arc<CudaModule>> {
        let path = cache_folder().map(|folder| folder.join(self.name(variant)));
        let kept = path.as_ref().and_then(|path| std::fs::read(path).ok());
        if let Some(module) = kept.and_then(|code| self.context.load_module(ptx(code)).ok()) {
            return Ok(module);
        }
        let code = nvrtc::compile(variant, self.target)?.code;
        if let Some(path) = path {
            keep(&path, &code);
        }
        match (self.context.load_module(ptx(code)), self.target) {
            (Ok(module), _) => Ok(module),
            // machine code of a toolkit that is newer than the driver
            (Err(_), CodeTarget::Cubin(architecture)) => {
                let code = nvrtc::compile(variant, CodeTarget::Ptx(architecture))?.code;
                let load = self.context.load_module(ptx(code));
                load.map_err(failed("the driver is older than NVRTC and refuses its code"))
            }
            (Err(error), _) => Err(failed("the driver refuses the compiled kernels")(error)),
        }
    }

    /// Name in the cache: everything that the code depends on.
    fn name(&self, variant: &Variant) -> String {
        let mut hash = DefaultHasher::new();
        variant.source.text.hash(&mut hash);
        HEADERS.iter().for_each(|header| header.text.hash(&mut hash));
        constants::header().hash(&mut hash);
        variant.text.hash(&mut hash);
        nvrtc::options(variant, self.target).hash(&mut hash);
        self.version.hash(&mut hash);
        env!("CARGO_PKG_VERSION").hash(&mut hash);
        let kind = match self.target {
            CodeTarget::Cubin(_) => "cubin",
            CodeTarget::Ptx(_) => "ptx",
        };
        let stem = variant.source.name.trim_end_matches(".cu").replace('/', "_");
        format!("{stem}-{:016x}.{kind}", hash.finish())
    }
}

fn ptx(code: Vec<u8>) -> Ptx {
    // the driver tells CUBIN and PTX apart by itself
    Ptx::from_binary(code)
}

/// `SUBSOLID_CACHE`, else the user's cache folder; `None` where there is neither.
fn cache_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    variable("SUBSOLID_CACHE").or_else(|| {
        let user = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
        Some(user?.join("subsolid"))
    })
}

/// Writes beside, then renames; a cache that cannot be written is done without.
fn keep(path: &PathBuf, code: &[u8]) {
    let Some(folder) = path.parent() else { return };
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(code)?;
        file.persist(path)?;
        Ok(())
    };
    let _ = write();
}
