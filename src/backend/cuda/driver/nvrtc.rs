//! NVIDIA's run-time compiler: CUDA C++ in, machine code out. It needs no GPU.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::PathBuf;
use std::sync::OnceLock;

use cudarc::nvrtc::{result, sys};

use super::constants;
use super::sources::{HEADERS, TEXT, Variant};
use crate::error::{Error, Result, option};

/// Compiled kernels.
#[derive(Clone, Debug)]
pub(in crate::backend::cuda) struct Image {
    /// CUBIN, or PTX that ends in a zero byte.
    pub code: Vec<u8>,
    /// What the compiler and the assembler said, registers and spills among it.
    pub log: String,
}

/// What code an architecture gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::backend::cuda) enum CodeTarget {
    /// Machine code of this architecture.
    Cubin(u32),
    /// Portable assembly that the driver of a newer device translates.
    Ptx(u32),
}

/// Version of the compiler, such as (13, 0).
pub(super) fn version() -> Result<(i32, i32)> {
    require()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: two places to write to.
    unsafe { sys::nvrtcVersion(&mut major, &mut minor) }.result().map_err(refused)?;
    Ok((major, minor))
}

/// What the compiler makes for a device of `architecture`.
pub(in crate::backend::cuda) fn target(architecture: u32) -> Result<CodeTarget> {
    require()?;
    let mut count: c_int = 0;
    // SAFETY: the list has room for as many numbers as the compiler announced.
    let architectures = unsafe {
        sys::nvrtcGetNumSupportedArchs(&mut count).result().map_err(refused)?;
        let mut list = vec![0; count as usize];
        sys::nvrtcGetSupportedArchs(list.as_mut_ptr()).result().map_err(refused)?;
        list
    };
    let known = architectures.iter().map(|&a| a as u32).filter(|&a| a <= architecture).max();
    match known {
        Some(known) if known == architecture => Ok(CodeTarget::Cubin(known)),
        Some(known) => Ok(CodeTarget::Ptx(known)),
        None => Err(Error::request(format!(
            "NVRTC {:?} has no code for a device of architecture {architecture}",
            version()?
        ))
        .with_help("install the NVRTC of a CUDA toolkit that still supports the device")),
    }
}

/// Compiles a variant.
pub(in crate::backend::cuda) fn compile(variant: &Variant, target: CodeTarget) -> Result<Image> {
    require()?;
    let text = |text: &str| CString::new(text).map_err(|_| refused_text("a zero byte"));
    let source = text(variant.source.text)?;
    let name = text(variant.source.name)?;
    let mut headers = Vec::new();
    let mut names = Vec::new();
    for header in HEADERS {
        headers.push(text(header.text)?);
        names.push(text(header.name)?);
    }
    headers.push(text(&constants::header())?);
    names.push(text(constants::HEADER)?);
    if let Some(own) = &variant.text {
        headers.push(text(own)?);
        names.push(text(TEXT)?);
    }
    let pointers = |list: &[CString]| list.iter().map(|s| s.as_ptr()).collect::<Vec<_>>();
    let (header_list, name_list) = (pointers(&headers), pointers(&names));
    let mut program = std::ptr::null_mut();
    // SAFETY: all strings outlive the program, which is destroyed below.
    unsafe {
        sys::nvrtcCreateProgram(
            &mut program,
            source.as_ptr(),
            name.as_ptr(),
            header_list.len() as c_int,
            header_list.as_ptr(),
            name_list.as_ptr(),
        )
        .result()
        .map_err(refused)?;
        let compiled = result::compile_program(program, &options(variant, target));
        let log = result::get_program_log(program).map(|log| words(&log)).unwrap_or_default();
        let code = compiled.and_then(|()| code(program, target));
        let destroyed = result::destroy_program(program);
        let code = code.map_err(|error| refused_text(&format!("{error}\n{log}")))?;
        destroyed.map_err(refused)?;
        Ok(Image { code, log })
    }
}

/// Options of a compilation; they are part of its name in the cache.
pub(in crate::backend::cuda) fn options(variant: &Variant, target: CodeTarget) -> Vec<String> {
    let architecture = match target {
        // with features of this architecture alone
        CodeTarget::Cubin(90) => "--gpu-architecture=sm_90a".into(),
        CodeTarget::Cubin(number) => format!("--gpu-architecture=sm_{number}"),
        CodeTarget::Ptx(number) => format!("--gpu-architecture=compute_{number}"),
    };
    let mut options = vec![architecture, "--std=c++17".into(), "-default-device".into()];
    if let CodeTarget::Cubin(_) = target {
        options.extend(["--ptxas-options=-v".into(), "--ptxas-options=-warn-spills".into()]);
    }
    if variant.source.exact {
        options.push("--fmad=false".into());
    }
    options.extend(variant.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
    options
}

/// # Safety
/// `program` is compiled.
unsafe fn code(
    program: sys::nvrtcProgram,
    target: CodeTarget,
) -> Result<Vec<u8>, result::NvrtcError> {
    // SAFETY: the room is what the compiler asked for.
    unsafe {
        match target {
            CodeTarget::Cubin(_) => {
                let mut size = 0;
                sys::nvrtcGetCUBINSize(program, &mut size).result()?;
                let mut code = vec![0_u8; size];
                sys::nvrtcGetCUBIN(program, code.as_mut_ptr().cast()).result()?;
                Ok(code)
            }
            CodeTarget::Ptx(_) => Ok(result::get_ptx(program)?.iter().map(|&c| c as u8).collect()),
        }
    }
}

fn words(log: &[c_char]) -> String {
    let bytes: Vec<u8> = log.iter().map(|&c| c as u8).collect();
    let text = CStr::from_bytes_until_nul(&bytes).map(CStr::to_string_lossy).unwrap_or_default();
    text.trim().into()
}

/// Makes the library known: by the loader's own search, else where toolkits put it.
fn require() -> Result<()> {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        // SAFETY: loading a library runs its initializers, which NVRTC allows.
        unsafe {
            if sys::is_culib_present() {
                return true;
            }
            // once loaded it is found by its name
            toolkit_paths().iter().any(|path| {
                let Ok(library) = libloading::Library::new(path) else { return false };
                std::mem::forget(library);
                sys::is_culib_present()
            })
        }
    });
    if *found {
        return Ok(());
    }
    let help = message!(
        "install a CUDA toolkit, or `pip install nvidia-cuda-nvrtc` and add its lib folder to \
         LD_LIBRARY_PATH; ",
        option("backend", "cpu"),
        " does without it"
    );
    Err(Error::request("the CUDA compiler library NVRTC (libnvrtc) is not installed")
        .with_help(help))
}

fn toolkit_paths() -> Vec<PathBuf> {
    let roots = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    let mut paths = Vec::new();
    for root in roots.chain(["/usr/local/cuda".into(), "/opt/cuda".into()]) {
        for folder in ["lib64", "lib"] {
            for name in ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"] {
                paths.push(root.join(folder).join(name));
            }
        }
    }
    paths
}

fn refused(error: result::NvrtcError) -> Error {
    refused_text(&error.to_string())
}

fn refused_text(text: &str) -> Error {
    Error::request(format!("NVRTC: {text}")).with_help(message!(
        "check that the CUDA toolkit and the driver fit; ",
        option("backend", "cpu"),
        " does without"
    ))
}
