//! The transpose of evaluations.

use std::sync::{Arc, PoisonError};

use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::plan::Adjoint;
use subsolid::volume::DERIVATIVES;

use crate::arrays::{floats_warned, moved, slice};
use crate::backend::{DeviceAdjoint, DeviceArgument, Gradient, Held, PyDeviceArray, not_there};
use crate::errors::{IntoPython, refused};
use crate::plan::{DeviceStream, PyPlan};
use crate::threads::WithoutLock;

#[pymethods]
impl PyPlan {
    /// Gradients at the control points from gradients at the results: the transpose of the
    /// evaluation, Bᵀ g. The sums run in one order, so the result repeats bit by bit, on the CPU
    /// and on the GPU, where a plan on it works, in double precision.
    ///
    /// Args:
    ///     gradient: Gradient with respect to the values, (n,) or (n, width); width 3 for
    ///         positions. Of a plan on a GPU it may be there, as anything with
    ///         __dlpack__ or __cuda_array_interface__.
    ///     derivatives: Gradients with respect to derivatives by name ("u", "v", ...), of the
    ///         same shape.
    ///
    /// Returns:
    ///     (vertices,) or (vertices, width); a DeviceArray if the gradient is on the GPU.
    ///
    /// Raises:
    ///     Error: For gradients of another shape, and a derivative that the plan does not have.
    ///
    /// Example:
    ///     >>> plan = subsolid.shape("box", 2, 2, 2).plan(3)
    ///     >>> plan.adjoint(np.ones((len(plan), 3))).shape
    ///     (27, 3)
    #[pyo3(signature = (gradient, *, derivatives=None))]
    fn adjoint<'py>(
        &self,
        py: Python<'py>,
        gradient: &Bound<'py, PyAny>,
        derivatives: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let device = self.device.map(|device| self.device_adjoint(py, device)).transpose()?;
        let values = self.take_gradient(gradient, "gradient", device.as_ref())?;
        let rows = self.plan().result_count(&self.all());
        let shape = values.shape().to_vec();
        if shape.is_empty() || shape.len() > 2 || shape[0] != rows {
            return Err(refused(
                format!("gradient has the shape {shape:?}"),
                &format!("give an array of shape ({rows},) or ({rows}, width)"),
            ));
        }
        let width = shape.get(1).copied().unwrap_or(1);
        let arrays = self.take_derivatives(derivatives, &shape, device.as_ref())?;
        let last = arrays.iter().map(|(at, _)| at + 1).max().unwrap_or(0);
        let zeros = if last > arrays.len() { vec![0.0; rows * width] } else { Vec::new() };
        let mut gradients = vec![values.gradient()?];
        for at in 0..last {
            let given = arrays.iter().find(|(own, _)| *own == at);
            gradients.push(match given {
                Some((_, array)) => array.gradient()?,
                None => Gradient::Host(&zeros),
            });
        }
        let vertices = self.vertices();
        let last = &shape[1..];
        let shape: Vec<usize> = std::iter::once(vertices).chain(last.iter().copied()).collect();
        let Some((_, adjoint)) = device else {
            // without a GPU, all of them are on the host
            let gradients: subsolid::Result<Vec<&[f64]>> =
                gradients.into_iter().map(on_host).collect();
            let gradients = gradients.py()?;
            let adjoint = py.work(|| self.host_adjoint()).py()?;
            let result = self.threads.run(py, || adjoint.apply(&gradients, width));
            return Ok(moved(py, result.py()?, &shape)?.into_any());
        };
        // SAFETY: owners keep what is on the device, by what `Held` has
        let result = py.work(|| unsafe { adjoint.apply(&gradients, width) });
        let (memory, array) = result.py()?;
        if let GivenGradient::Device(_) = values {
            let result = PyDeviceArray::new(&memory, array, last);
            return Ok(Bound::new(py, result)?.into_any());
        }
        let numbers = py.work(|| memory.read(&array)).py()?;
        Ok(moved(py, numbers, &shape)?.into_any())
    }
}

impl PyPlan {
    fn host_adjoint(&self) -> subsolid::Result<&Adjoint> {
        if let Some(known) = self.adjoint.get() {
            return Ok(known);
        }
        // made outside the threads, see `locked`
        let made = self.threads.here(|| Adjoint::new(self.plan()))?;
        Ok(self.adjoint.get_or_init(|| made))
    }

    /// A gradient given on the host or, to a plan on a GPU, there.
    fn take_gradient<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        what: &str,
        device: Option<&(usize, Arc<DeviceAdjoint>)>,
    ) -> PyResult<GivenGradient<'py>> {
        let Some(on_device) = DeviceArgument::of(value, what) else {
            return Ok(GivenGradient::Host(floats_warned(value, what, true)?));
        };
        let Some((ordinal, adjoint)) = device else {
            return Err(on_device.unexpected(&self.name));
        };
        let stream = adjoint.stream() as usize;
        Ok(GivenGradient::Device(on_device.hold(*ordinal, stream, self.precision)?))
    }

    /// The gradients with respect to derivatives, all of this shape, each with the number of its
    /// derivative among those of the plan.
    fn take_derivatives<'py>(
        &self,
        derivatives: Option<&Bound<'py, PyDict>>,
        shape: &[usize],
        device: Option<&(usize, Arc<DeviceAdjoint>)>,
    ) -> PyResult<Vec<(usize, GivenGradient<'py>)>> {
        let known = subsolid::plan::wanted_orders(self.plan().want()).len() - 1;
        let mut arrays = Vec::new();
        for (name, array) in derivatives.into_iter().flatten() {
            let name: String = name.extract()?;
            let at = DERIVATIVES[..known].iter().position(|own| *own == name);
            let at = at.ok_or_else(|| {
                refused(
                    format!("the plan has no derivative {name:?}"),
                    "plan with derivatives=1 or 2",
                )
            })?;
            let array = self.take_gradient(&array, "a gradient of derivatives", device)?;
            if array.shape() != shape {
                return Err(refused(
                    format!(
                        "the gradient of derivatives {name:?} has the shape {:?}",
                        array.shape()
                    ),
                    &format!("give the shape of the gradient, {shape:?}"),
                ));
            }
            arrays.push((at, array));
        }
        Ok(arrays)
    }

    /// The transpose on the plan's GPU, and the number of that.
    fn device_adjoint(
        &self,
        py: Python<'_>,
        device: DeviceStream,
    ) -> PyResult<(usize, Arc<DeviceAdjoint>)> {
        let made = py.work(|| -> subsolid::Result<_> {
            let mut known = self.device_adjoint.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(adjoint) = &*known {
                return Ok(adjoint.clone());
            }
            let adjoint = self.host_adjoint()?;
            let mut evaluator = self.evaluator.lock().unwrap_or_else(PoisonError::into_inner);
            let made = evaluator.0.with_dependent_mut(|_, prepared| {
                prepared.0.on_device().ok_or_else(not_there)?.adjoint(adjoint)
            });
            Ok(known.insert(Arc::new(made?)).clone())
        });
        Ok((device.ordinal, made.py()?))
    }
}

fn on_host(gradient: Gradient<'_>) -> subsolid::Result<&[f64]> {
    match gradient {
        Gradient::Host(numbers) => Ok(numbers),
        Gradient::Device(_) => Err(not_there()),
    }
}

/// A gradient of a call.
enum GivenGradient<'py> {
    Host(PyReadonlyArrayDyn<'py, f64>),
    Device(Held),
}

impl GivenGradient<'_> {
    fn shape(&self) -> &[usize] {
        match self {
            Self::Host(array) => array.shape(),
            Self::Device(held) => &held.shape,
        }
    }

    fn gradient(&self) -> PyResult<Gradient<'_>> {
        Ok(match self {
            Self::Host(array) => Gradient::Host(slice(array)?),
            Self::Device(held) => Gradient::Device(held.array),
        })
    }
}
