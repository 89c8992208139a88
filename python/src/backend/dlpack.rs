//! Arrays of a GPU by DLPack (<https://dmlc.github.io/dlpack>), both ways.

use std::ffi::{CStr, c_void};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use subsolid::backend::Precision;
use subsolid::backend::cuda::DeviceMemory;

/// `kDLCUDA`, and `kDLCUDAManaged`.
pub const CUDA: i32 = 2;
pub const CUDA_MANAGED: i32 = 13;

/// `kDLFloat`.
const FLOAT: u8 = 2;

const PLAIN: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";

#[repr(C)]
#[derive(Clone, Copy)]
struct DlDevice {
    kind: i32,
    ordinal: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device: DlDevice,
    ndim: i32,
    dtype: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
struct Managed {
    tensor: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct ManagedVersioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Self)>,
    flags: u64,
    tensor: DlTensor,
}

/// What a tensor that was handed out refers to.
struct TensorOwner {
    _memory: DeviceMemory,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl TensorOwner {
    fn tensor(&mut self, array: &Exported<'_>) -> DlTensor {
        DlTensor {
            data: array.address as *mut c_void,
            device: DlDevice { kind: CUDA, ordinal: array.memory.ordinal() as i32 },
            ndim: self.shape.len() as i32,
            dtype: DataType { code: FLOAT, bits: bits(array.precision), lanes: 1 },
            shape: self.shape.as_mut_ptr(),
            strides: self.strides.as_mut_ptr(),
            byte_offset: 0,
        }
    }
}

/// An array to hand out.
pub struct Exported<'a> {
    pub memory: &'a DeviceMemory,
    pub address: u64,
    pub shape: &'a [usize],
    pub precision: Precision,
}

fn bits(precision: Precision) -> u8 {
    match precision {
        Precision::F32 => 32,
        Precision::F64 => 64,
    }
}

/// Strides in numbers of an array in C order.
pub fn strides(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1) as i64;
    }
    strides
}

unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: both were boxes, see `capsule`; a consumer calls this once
    unsafe {
        drop(Box::from_raw((*managed).context.cast::<TensorOwner>()));
        drop(Box::from_raw(managed));
    }
}

unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: as above
    unsafe {
        drop(Box::from_raw((*managed).context.cast::<TensorOwner>()));
        drop(Box::from_raw(managed));
    }
}

/// Frees what no consumer has taken: it would have renamed the capsule.
unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with a capsule that `capsule` made
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, PLAIN.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, PLAIN.as_ptr()).cast());
        } else if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        }
    }
}

/// A capsule that keeps the array's memory until its consumer calls the deleter.
pub fn capsule<'py>(
    py: Python<'py>,
    array: &Exported<'_>,
    versioned: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let mut kept = Box::new(TensorOwner {
        _memory: array.memory.clone(),
        shape: array.shape.iter().map(|&n| n as i64).collect(),
        strides: strides(array.shape),
    });
    let tensor = kept.tensor(array);
    let context = Box::into_raw(kept).cast();
    let (pointer, name): (*mut c_void, _) = if versioned {
        let deleter = Some(delete_versioned as unsafe extern "C" fn(_));
        let managed = ManagedVersioned { version: [1, 0], context, deleter, flags: 0, tensor };
        (Box::into_raw(Box::new(managed)).cast(), VERSIONED)
    } else {
        let deleter = Some(delete as unsafe extern "C" fn(_));
        (Box::into_raw(Box::new(Managed { tensor, context, deleter })).cast(), PLAIN)
    };
    // SAFETY: the pointer is not null, the name lives for ever; without a capsule all is freed
    unsafe {
        let made = ffi::PyCapsule_New(pointer, name.as_ptr(), Some(destroy));
        if made.is_null() {
            if versioned { delete_versioned(pointer.cast()) } else { delete(pointer.cast()) }
        }
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// A tensor of someone else, given back when this is dropped.
pub struct Imported(*mut Managed);

/// What it is.
pub struct Description {
    pub address: u64,
    pub shape: Vec<i64>,
    /// `None` if these are no floating-point numbers of 32 or 64 bits.
    pub precision: Option<Precision>,
    pub contiguous: bool,
}

impl Imported {
    /// Takes the tensor of a capsule, which is an unversioned one.
    pub fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        // SAFETY: a capsule of this name holds such a tensor, which is its consumer's once renamed
        unsafe {
            let object = capsule.as_ptr();
            if ffi::PyCapsule_CheckExact(object) == 0
                || ffi::PyCapsule_IsValid(object, PLAIN.as_ptr()) == 0
            {
                return Err(PyBufferError::new_err("__dlpack__ made no capsule \"dltensor\""));
            }
            let managed = ffi::PyCapsule_GetPointer(object, PLAIN.as_ptr()).cast();
            if ffi::PyCapsule_SetName(object, USED.as_ptr()) != 0 {
                return Err(PyErr::fetch(capsule.py()));
            }
            Ok(Self(managed))
        }
    }

    pub fn describe(&self) -> Description {
        // SAFETY: the tensor is ours until the deleter is called; shape and strides are as long
        // as it says
        unsafe {
            let tensor = &(*self.0).tensor;
            let axes = tensor.ndim.max(0) as usize;
            let list = |start: *const i64| {
                (!start.is_null()).then(|| std::slice::from_raw_parts(start, axes).to_vec())
            };
            let shape = list(tensor.shape).unwrap_or_default();
            let precision = match (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes) {
                (FLOAT, 32, 1) => Some(Precision::F32),
                (FLOAT, 64, 1) => Some(Precision::F64),
                _ => None,
            };
            let given = if axes == 0 { None } else { list(tensor.strides) };
            Description {
                address: (tensor.data as u64).wrapping_add(tensor.byte_offset),
                contiguous: given.is_none_or(|given| is_contiguous(&shape, &given)),
                shape,
                precision,
            }
        }
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        // SAFETY: the tensor is ours, and is not used after this
        unsafe {
            if let Some(deleter) = (*self.0).deleter {
                deleter(self.0);
            }
        }
    }
}

/// Whether an array of these strides, in numbers, is in C order.
pub fn is_contiguous(shape: &[i64], strides: &[i64]) -> bool {
    let mut expected = 1;
    for (&n, &stride) in shape.iter().zip(strides).rev() {
        // the stride of an axis of one entry says nothing
        if n != 1 && stride != expected {
            return shape.contains(&0);
        }
        expected *= n.max(1);
    }
    true
}
