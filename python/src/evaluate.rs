//! Evaluation of solids: planned, or at once.

use pyo3::prelude::*;
use subsolid::jobs::ProcessorRequest;
use subsolid::jobs::evaluate::QuantityRequest;

use crate::count;
use crate::errors::{IntoPython, refused};
use crate::limit::PyLimit;
use crate::plan::PyPlan;
use crate::request;
use crate::solid::PySolid;
use crate::threads::CallThreads;

/// What a plan evaluates, on what; see `Solid.plan`.
struct PlanRequest<'py> {
    samples: Option<Bound<'py, PyAny>>,
    gauss: Option<usize>,
    cells: Option<Bound<'py, PyAny>>,
    uvw: Option<Bound<'py, PyAny>>,
    corners: Option<Bound<'py, PyAny>>,
    quantities: QuantityRequest,
    processor: ProcessorRequest,
    threads: Option<usize>,
}

impl<'py> PlanRequest<'py> {
    fn plan(&self, solid: &Bound<'py, PySolid>) -> PyResult<PyPlan> {
        let [samples, cells, uvw, corners] =
            [&self.samples, &self.cells, &self.uvw, &self.corners].map(Option::as_ref);
        let own = &solid.get().shared.solid;
        let samples = request::samples(own, samples, self.gauss, cells, uvw, corners)?;
        self.quantities.check().py()?;
        let (want, threads) = (self.quantities.want().py()?, CallThreads::new(self.threads)?);
        PyPlan::new(solid.py(), solid.clone().unbind(), &samples, want, self.processor, threads)
    }
}

#[pymethods]
impl PySolid {
    /// Plans an evaluation that can be repeated for moved control points.
    ///
    /// Args:
    ///     samples: Number of samples along each axis of a cell, 1 to 64, end points included; or their
    ///         parameters, ascending in [0, 1].
    ///     gauss: Number of Gauss points along each axis instead, 1 to 32.
    ///     cells, uvw: Places instead: cells (n,) and parameters (n, 3) in [0, 1].
    ///     corners: Of places in cells that are not hexahedra, the corner whose hexahedral child
    ///         is meant; −1 in hexahedra.
    ///     derivatives: Highest order of the derivatives of positions, 0, 1 or 2.
    ///     attribute_derivatives: Differentiate attributes as well; needs derivatives=1 or 2.
    ///     gradients: Also gradients of attributes in space.
    ///     jacobian: Also determinants of the Jacobian.
    ///     precision: "f64" or "f32".
    ///     backend: "auto", "cpu", "cuda", "cuda:N", or several GPUs: "cuda:0,1", "cuda:all".
    ///     strategy: Kernels on a GPU: "auto", or those of the published method, "thread", "warp" and
    ///         "hybrid", whose last bits vary; on the CPU a UserWarning says that it has no effect.
    ///     threads: Number of CPU threads, 1 to 32 for each core; all if None.
    ///
    /// Returns:
    ///     A Plan.
    ///
    /// Raises:
    ///     Error: For values out of range, and places or a processor that do not exist.
    ///
    /// Example:
    ///     >>> plan = subsolid.shape("box", 2, 2, 2).plan(3, derivatives=1)
    ///     >>> len(plan), plan.derivatives
    ///     (216, ['u', 'v', 'w'])
    #[pyo3(signature = (samples=None, *, gauss=None, cells=None, uvw=None, corners=None, derivatives=0, attribute_derivatives=false, gradients=false, jacobian=false, precision="f64", backend="auto", strategy="auto", threads=None))]
    #[allow(clippy::too_many_arguments)]
    fn plan(
        slf: &Bound<'_, Self>,
        samples: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = count::gauss)] gauss: Option<usize>,
        cells: Option<Bound<'_, PyAny>>,
        uvw: Option<Bound<'_, PyAny>>,
        corners: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = count::derivatives)] derivatives: usize,
        attribute_derivatives: bool,
        gradients: bool,
        jacobian: bool,
        precision: &str,
        backend: &str,
        strategy: &str,
        #[pyo3(from_py_with = count::threads)] threads: Option<usize>,
    ) -> PyResult<PyPlan> {
        let request = PlanRequest {
            samples,
            gauss,
            cells,
            uvw,
            corners,
            quantities: QuantityRequest { derivatives, attribute_derivatives, gradients, jacobian },
            processor: request::processor(precision, backend, strategy)?,
            threads,
        };
        request.plan(slf)
    }

    /// Evaluates the limit once, of the control points and attributes of the solid. To evaluate again
    /// for moved control points, make a plan.
    ///
    /// Args:
    ///     samples: Number of samples along each axis of a cell, 1 to 64, end points included; or their
    ///         parameters, ascending in [0, 1].
    ///     gauss: Number of Gauss points along each axis instead, 1 to 32.
    ///     cells, uvw: Places instead: cells (n,) and parameters (n, 3) in [0, 1].
    ///     corners: Of places in cells that are not hexahedra, the corner whose hexahedral child
    ///         is meant; −1 in hexahedra.
    ///     derivatives: Highest order of the derivatives of positions, 0, 1 or 2.
    ///     attribute_derivatives: Differentiate attributes as well; needs derivatives=1 or 2.
    ///     gradients: Also gradients of attributes in space.
    ///     jacobian: Also determinants of the Jacobian.
    ///     precision: "f64" or "f32".
    ///     backend: "auto", "cpu", "cuda", "cuda:N", or several GPUs: "cuda:0,1", "cuda:all".
    ///     strategy: Kernels on a GPU: "auto", or those of the published method, "thread", "warp" and
    ///         "hybrid", whose last bits vary; on the CPU a UserWarning says that it has no effect.
    ///     threads: Number of CPU threads, 1 to 32 for each core; all if None.
    ///     out: A writable array (n, 3) that takes the positions.
    ///     device_output: Leave the results on a GPU; with backend="auto" on the first one.
    ///
    /// Returns:
    ///     A Limit, out, or with device_output a DeviceLimit.
    ///
    /// Raises:
    ///     Error: For values out of range, places or a processor that do not exist, results that
    ///         would fill the memory, and an out of another shape.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> limit = box.evaluate(3, derivatives=1)
    ///     >>> limit.points.shape, list(limit.derivatives)
    ///     ((216, 3), ['u', 'v', 'w'])
    #[pyo3(signature = (samples=None, *, gauss=None, cells=None, uvw=None, corners=None, derivatives=0, attribute_derivatives=false, gradients=false, jacobian=false, precision="f64", backend="auto", strategy="auto", threads=None, out=None, device_output=false))]
    #[allow(clippy::too_many_arguments)]
    fn evaluate<'py>(
        slf: &Bound<'py, Self>,
        samples: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = count::gauss)] gauss: Option<usize>,
        cells: Option<Bound<'py, PyAny>>,
        uvw: Option<Bound<'py, PyAny>>,
        corners: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = count::derivatives)] derivatives: usize,
        attribute_derivatives: bool,
        gradients: bool,
        jacobian: bool,
        precision: &str,
        backend: &str,
        strategy: &str,
        #[pyo3(from_py_with = count::threads)] threads: Option<usize>,
        out: Option<Bound<'py, PyAny>>,
        device_output: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        if out.as_ref().is_some_and(|out| out.cast::<PyLimit>().is_ok()) {
            return Err(refused(
                "out is a Limit, which belongs to a plan",
                "plan the evaluation, and give the limit to Plan.evaluate",
            ));
        }
        let backend = if device_output && backend == "auto" { "cuda" } else { backend };
        let request = PlanRequest {
            samples,
            gauss,
            cells,
            uvw,
            corners,
            quantities: QuantityRequest { derivatives, attribute_derivatives, gradients, jacobian },
            processor: request::processor(precision, backend, strategy)?,
            threads,
        };
        let plan = Bound::new(slf.py(), request.plan(slf)?)?;
        PyPlan::evaluate(&plan, None, None, out.as_ref(), device_output)
    }
}
