//! Arrays on a GPU: results that stay there, and control points that are there already.

use std::sync::Arc;

use numpy::PyUntypedArray;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use subsolid::backend::Precision;
use subsolid::backend::cuda::{DeviceArray, DeviceMemory, DevicePoints, ForeignArray};
use subsolid::numbers::counted;
use subsolid::plan::Quantity;
use subsolid::volume::DERIVATIVES;

use super::dlpack::{self, CUDA, CUDA_MANAGED, Exported, Imported};
use crate::arrays::{by_name, moved};
use crate::cells::PlanCell;
use crate::errors::{IntoPython, refused};
use crate::threads::WithoutLock;

/// An array on a GPU, in C order.
///
/// PyTorch, CuPy, JAX and Numba take it without a copy: torch.from_dlpack(array),
/// cupy.from_dlpack(array) or cupy.asarray(array), numba.cuda.as_cuda_array(array). Their streams
/// wait for the results. The memory is kept as long as anyone refers to it.
#[pyclass(frozen, name = "DeviceArray", module = "subsolid")]
pub struct PyDeviceArray {
    memory: DeviceMemory,
    array: DeviceArray,
    shape: Vec<usize>,
}

impl PyDeviceArray {
    /// Rows with `shape` as last axes.
    pub fn new(memory: &DeviceMemory, array: DeviceArray, last: &[usize]) -> Self {
        let shape = std::iter::once(array.len()).chain(last.iter().copied()).collect();
        Self { memory: memory.clone(), array, shape }
    }

    fn dtype_name(&self) -> &'static str {
        match self.array.precision() {
            Precision::F32 => "float32",
            Precision::F64 => "float64",
        }
    }
}

#[pymethods]
impl PyDeviceArray {
    /// Length of each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// Type of the numbers, a numpy.dtype.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("numpy")?.call_method1("dtype", (self.dtype_name(),))
    }

    /// Name of the device, as in backend=...: "cuda:0".
    #[getter]
    fn device(&self) -> String {
        format!("cuda:{}", self.memory.ordinal())
    }

    /// A copy in the memory of the host.
    ///
    /// Returns:
    ///     A numpy array of the same shape and type.
    ///
    /// Raises:
    ///     Error: If the device fails.
    ///
    /// Example:
    ///     >>> limit = subsolid.shape("box", 2, 2, 2).evaluate(3, device_output=True)
    ///     >>> limit.points.numpy().shape
    ///     (216, 3)
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numbers = py.work(|| self.memory.read(&self.array)).py()?;
        let all = moved(py, numbers, &self.shape)?.into_any();
        match self.array.precision() {
            Precision::F64 => Ok(all),
            Precision::F32 => all.call_method1("astype", (self.dtype_name(),)),
        }
    }

    /// The array as a capsule of DLPack; see the Python array API standard.
    ///
    /// Args:
    ///     stream: The consumer's stream, which is made to wait for the results: 1 or None for the
    ///         default stream, 2 for that of the thread, another handle, or −1 to wait for nothing.
    ///     max_version: Newest version of DLPack that the consumer reads.
    ///     dl_device: None, or the device of the array.
    ///     copy: None or False.
    ///
    /// Raises:
    ///     BufferError: For another device, or a copy.
    ///     Error: For a stream that is none.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if dl_device.is_some_and(|device| device != self.__dlpack_device__()) {
            return Err(PyBufferError::new_err("the array is on another device"));
        }
        if copy == Some(true) {
            return Err(PyBufferError::new_err("the array is handed out without a copy only"));
        }
        self.memory.lend();
        match stream.unwrap_or(1) {
            -1 => {}
            // SAFETY: the consumer's promise, as the protocol has it
            handle @ 1.. => unsafe { self.memory.make_wait(handle as u64) }.py()?,
            wrong => {
                return Err(refused(
                    format!("stream={wrong}"),
                    "give the handle of a CUDA stream; 1 is the default stream, -1 none",
                ));
            }
        }
        let array = Exported {
            memory: &self.memory,
            address: self.array.address(),
            shape: &self.shape,
            precision: self.array.precision(),
        };
        dlpack::capsule(py, &array, max_version.is_some_and(|(major, _)| major >= 1))
    }

    /// Kind and number of the device by DLPack: (2, N) for CUDA.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (CUDA, self.memory.ordinal() as i32)
    }

    /// The array by the CUDA array interface, version 3. Whoever takes the address keeps this
    /// object, and waits for the stream named; the default stream waits by itself.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.memory.lend();
        // PyTorch does not look for the stream
        // SAFETY: the default stream is always there
        unsafe { self.memory.make_wait(1) }.py()?;
        let all = by_name(py)?;
        all.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        let typestr = match self.array.precision() {
            Precision::F32 => "<f4",
            Precision::F64 => "<f8",
        };
        all.set_item("typestr", typestr)?;
        // the address of an array without entries is 0 by the protocol
        let empty = self.shape.contains(&0);
        all.set_item("data", (if empty { 0 } else { self.array.address() }, false))?;
        all.set_item("strides", py.None())?;
        all.set_item("version", 3)?;
        all.set_item("stream", self.memory.stream() as usize)?;
        Ok(all)
    }

    fn __len__(&self) -> usize {
        self.shape[0]
    }

    fn __repr__(&self) -> String {
        let (name, device) = (self.dtype_name(), self.device());
        format!("<subsolid.DeviceArray: {:?} {name} on {device}>", self.shape)
    }
}

/// Points of the limit on a GPU, with what was asked for besides: a Limit whose arrays are
/// DeviceArrays.
///
/// They may still be in the making; whoever takes an array waits for them by its stream. Later
/// evaluations do not change them.
#[pyclass(frozen, name = "DeviceLimit", module = "subsolid")]
pub struct PyDeviceLimit {
    points: DevicePoints,
    _plan: Arc<PlanCell>,
    /// Name and width of each attribute.
    attributes: Vec<(String, usize)>,
}

impl PyDeviceLimit {
    pub fn new(
        points: DevicePoints,
        plan: Arc<PlanCell>,
        attributes: Vec<(String, usize)>,
    ) -> Self {
        Self { points, _plan: plan, attributes }
    }

    fn array(&self, array: DeviceArray, last: &[usize]) -> PyDeviceArray {
        PyDeviceArray::new(&self.points.memory, array, last)
    }

    fn quantity(&self, quantity: Quantity, attribute: Option<usize>) -> Option<DeviceArray> {
        let is_it = |&&(wanted, _): &&(subsolid::plan::WantedQuantity, DeviceArray)| {
            wanted.quantity == quantity && wanted.attribute == attribute
        };
        self.points.quantities.iter().find(is_it).map(|&(_, array)| array)
    }
}

fn components(width: usize) -> Vec<usize> {
    if width == 1 { vec![] } else { vec![width] }
}

#[pymethods]
impl PyDeviceLimit {
    /// As Limit.points.
    #[getter]
    fn points(&self) -> PyDeviceArray {
        self.array(self.points.positions, &[3])
    }

    /// As Limit.derivatives.
    #[getter]
    fn derivatives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = by_name(py)?;
        for (name, &array) in DERIVATIVES.iter().zip(&self.points.derivatives) {
            all.set_item(name, Bound::new(py, self.array(array, &[3]))?)?;
        }
        Ok(all)
    }

    /// As Limit.attributes.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = by_name(py)?;
        for ((name, width), &array) in self.attributes.iter().zip(&self.points.attributes) {
            all.set_item(name, Bound::new(py, self.array(array, &components(*width)))?)?;
        }
        Ok(all)
    }

    /// As Limit.attribute_derivatives.
    #[getter]
    fn attribute_derivatives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = by_name(py)?;
        let arrays = &self.points.attribute_derivatives;
        for ((name, width), derivatives) in self.attributes.iter().zip(arrays) {
            let own = by_name(py)?;
            for (derivative, &array) in DERIVATIVES.iter().zip(derivatives) {
                let array = self.array(array, &components(*width));
                own.set_item(derivative, Bound::new(py, array)?)?;
            }
            all.set_item(name, own)?;
        }
        Ok(all)
    }

    /// As Limit.det_j.
    #[getter]
    fn det_j(&self) -> PyResult<PyDeviceArray> {
        let array = self.quantity(Quantity::Determinant, None).ok_or_else(|| {
            refused("the limit has no determinants", "evaluate with jacobian=True")
        })?;
        Ok(self.array(array, &[]))
    }

    /// As Limit.gradients.
    #[getter]
    fn gradients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = by_name(py)?;
        for (i, (name, width)) in self.attributes.iter().enumerate() {
            if let Some(array) = self.quantity(Quantity::Gradient, Some(i)) {
                let mut shape = components(*width);
                shape.push(3);
                all.set_item(name, Bound::new(py, self.array(array, &shape))?)?;
            }
        }
        Ok(all)
    }

    /// First element, and the one after the last.
    #[getter]
    fn elements(&self) -> (usize, usize) {
        (self.points.elements.start, self.points.elements.end)
    }

    /// Name of the device: "cuda:0".
    #[getter]
    fn device(&self) -> String {
        format!("cuda:{}", self.points.memory.ordinal())
    }

    fn __len__(&self) -> usize {
        self.points.positions.len()
    }

    fn __repr__(&self) -> String {
        let points = counted(self.__len__(), "point");
        format!("<subsolid.DeviceLimit: {points} on {}>", self.device())
    }
}

/// What `__cuda_array_interface__` says.
struct Interface {
    shape: Vec<i64>,
    typestr: String,
    address: u64,
    /// In bytes.
    strides: Option<Vec<i64>>,
    version: i64,
    stream: Option<u64>,
}

impl Interface {
    fn read(found: &Bound<'_, PyAny>) -> PyResult<Self> {
        let get = |name: &str| found.get_item(name);
        let optional = |name: &str| match found.get_item(name) {
            Ok(value) if !value.is_none() => Some(value),
            _ => None,
        };
        if optional("mask").is_some() {
            return Err(PyBufferError::new_err("a mask"));
        }
        Ok(Self {
            shape: get("shape")?.extract()?,
            typestr: get("typestr")?.extract()?,
            address: get("data")?.get_item(0)?.extract()?,
            strides: optional("strides").map(|strides| strides.extract()).transpose()?,
            version: get("version")?.extract()?,
            stream: optional("stream").map(|stream| stream.extract()).transpose()?,
        })
    }
}

/// An array of a GPU that someone else owns, as an argument.
pub struct DeviceArgument<'py> {
    object: Bound<'py, PyAny>,
    what: String,
}

/// The array, while it is read.
pub struct Held {
    pub array: ForeignArray,
    pub shape: Vec<usize>,
    _tensor: Option<Imported>,
}

impl<'py> DeviceArgument<'py> {
    /// `None` for what is in the memory of the host, as far as it says.
    pub fn of(value: &Bound<'py, PyAny>, what: &str) -> Option<Self> {
        if value.cast::<PyUntypedArray>().is_ok() || value.is_none() {
            return None;
        }
        let device = value.call_method0("__dlpack_device__");
        let device = device.and_then(|d| d.extract::<(i32, i32)>()).map(|(kind, _)| kind);
        let is_it = match device {
            Ok(kind) => kind == CUDA || kind == CUDA_MANAGED,
            Err(_) => value.hasattr("__cuda_array_interface__").unwrap_or(false),
        };
        is_it.then(|| Self { object: value.clone(), what: what.into() })
    }

    /// Refuses it, since the plan is not on its device.
    pub fn unexpected(&self, backend: &str) -> PyErr {
        let what = &self.what;
        refused(
            format!("{what} are on a GPU, the plan is on the {backend}"),
            "plan with backend=\"cuda\", or give a NumPy array",
        )
    }

    /// Makes `stream` of device `ordinal` wait for the array, which must have this precision.
    pub fn hold(&self, ordinal: usize, stream: usize, precision: Precision) -> PyResult<Held> {
        let held = if self.object.hasattr("__dlpack__")? {
            self.by_dlpack(ordinal, stream)?
        } else {
            self.by_interface()?
        };
        if held.array.precision != precision {
            let name = |precision| match precision {
                Precision::F32 => "float32",
                Precision::F64 => "float64",
            };
            return Err(refused(
                format!("{} are {}", self.what, name(held.array.precision)),
                &format!("give {}, the precision of the plan", name(precision)),
            ));
        }
        Ok(held)
    }

    fn wrong(&self, why: impl std::fmt::Display) -> PyErr {
        refused(
            format!("{} on a GPU {why}", self.what),
            "give a C-contiguous array of the plan's precision on its device",
        )
    }

    fn finish(
        &self,
        array: ForeignArray,
        shape: &[i64],
        tensor: Option<Imported>,
    ) -> PyResult<Held> {
        let shape: Option<Vec<usize>> = shape.iter().map(|&n| usize::try_from(n).ok()).collect();
        let shape = shape.ok_or_else(|| self.wrong("have a negative shape"))?;
        let len = shape.iter().try_fold(1_usize, |all, &n| all.checked_mul(n));
        let len = len.ok_or_else(|| self.wrong("have an impossible shape"))?;
        Ok(Held { array: ForeignArray { len, ..array }, shape, _tensor: tensor })
    }

    fn by_dlpack(&self, ordinal: usize, stream: usize) -> PyResult<Held> {
        let py = self.object.py();
        let given: (i32, i32) = self.object.call_method0("__dlpack_device__")?.extract()?;
        if given.0 == CUDA && given.1 != ordinal as i32 {
            return Err(
                self.wrong(format!("are on cuda:{}, the plan is on cuda:{ordinal}", given.1))
            );
        }
        let options = PyDict::new(py);
        options.set_item("stream", stream)?;
        let capsule = self.object.call_method("__dlpack__", (), Some(&options));
        let tensor = capsule.and_then(|capsule| Imported::take(&capsule));
        let tensor = tensor.map_err(|e| self.wrong(format!("cannot be read: {e}")))?;
        let found = tensor.describe();
        let precision =
            found.precision.ok_or_else(|| self.wrong("are neither float32 nor float64"))?;
        if !found.contiguous {
            return Err(self.wrong("are not C-contiguous"));
        }
        // the owner has made the stream wait
        let array = ForeignArray { address: found.address, len: 0, precision, stream: None };
        self.finish(array, &found.shape, Some(tensor))
    }

    fn by_interface(&self) -> PyResult<Held> {
        let found = self.object.getattr("__cuda_array_interface__");
        let found = found.map_err(|e| self.wrong(format!("cannot be read: {e}")))?;
        let Interface { shape, typestr, address, strides, version, stream } =
            Interface::read(&found)
                .map_err(|e| self.wrong(format!("describe themselves wrongly: {e}")))?;
        let (precision, size) = match &*typestr {
            "<f4" => (Precision::F32, 4),
            "<f8" => (Precision::F64, 8),
            _ => return Err(self.wrong(format!("have the type {typestr}"))),
        };
        let numbers = |strides: Vec<i64>| {
            // whole numbers apart, else in no order that is C's
            let each = strides.iter().map(|s| if s % size == 0 { s / size } else { 0 });
            strides.len() == shape.len() && dlpack::is_contiguous(&shape, &each.collect::<Vec<_>>())
        };
        if !strides.is_none_or(numbers) {
            return Err(self.wrong("are not C-contiguous"));
        }
        let stream = match (version, stream) {
            // by the protocol 0 is no stream
            (_, Some(0)) => return Err(self.wrong("name the stream 0")),
            (_, Some(stream)) => Some(stream),
            // from version 3 on, None says that all is there
            (3.., None) => None,
            // before, all work of the default stream
            _ => Some(1),
        };
        self.finish(ForeignArray { address, len: 0, precision, stream }, &shape, None)
    }
}
