//! Evaluations of a plan: what is given, and where results go.

use std::ops::Range;
use std::sync::Arc;

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::backend::{Precision, ResultBuffer, Values};
use subsolid::mesh::Controls;
use subsolid::plan::{Samples, Want};
use subsolid::{Limit, memory};

use super::PyPlan;
use crate::arrays::{any_array, overlap};
use crate::backend::{DeviceArgument, ForeignArray, Held, PyDeviceLimit, not_there};
use crate::cells::EvaluatorCell;
use crate::errors::{IntoPython, refused};
use crate::limit::PyLimit;
use crate::model::Moved;
use crate::threads::locked;

/// Bytes of results that take no time that anybody notices: a thread that a signal ends would take
/// longer to start.
const QUICK_BYTES: u128 = 4 << 20;

/// Control points of a call, on the host or, their positions, on the plan's GPU.
pub(super) struct Given<'py> {
    pub(super) moved: Moved<'py>,
    held: Option<Held>,
}

impl Given<'_> {
    fn foreign(&self) -> Option<ForeignArray> {
        self.held.as_ref().map(|held| held.array)
    }
}

/// Evaluates control points, or `foreign` ones in place of their positions.
fn evaluate(
    cell: &mut EvaluatorCell,
    controls: Controls<'_>,
    foreign: Option<ForeignArray>,
    range: Range<usize>,
    limit: &mut Limit,
) -> subsolid::Result<()> {
    cell.with_dependent_mut(|_, prepared| {
        let Some(foreign) = foreign else { return prepared.0.evaluate(controls, range, limit) };
        let device = prepared.0.on_device().ok_or_else(not_there)?;
        // SAFETY: its owner keeps it, by what `Held` has
        unsafe { device.upload_positions(foreign, controls) }?;
        device.fetch(range, limit)
    })
}

pub(super) fn widths(controls: Controls<'_>) -> Vec<usize> {
    controls.attributes.iter().map(|attribute| attribute.width).collect()
}

impl PyPlan {
    /// Names and widths of attributes.
    pub(super) fn named(&self, moved: &Moved<'_>) -> PyResult<Vec<(String, usize)>> {
        let controls = moved.controls(self.shared().mesh.controls())?;
        Ok(controls.attributes.iter().map(|a| (a.name.clone(), a.width)).collect())
    }

    /// Control points of a call.
    pub(super) fn given<'py>(
        &self,
        points: Option<&Bound<'py, PyAny>>,
        attributes: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Given<'py>> {
        let vertices = self.vertices();
        let Some(on_device) = points.and_then(|points| DeviceArgument::of(points, "points")) else {
            return Ok(Given { moved: Moved::new(points, attributes, vertices)?, held: None });
        };
        let device = self.device.ok_or_else(|| on_device.unexpected(&self.name))?;
        let held = on_device.hold(device.ordinal, device.stream, self.precision)?;
        if held.shape != [vertices, 3] {
            return Err(refused(
                format!("points on a GPU have the shape {:?}", held.shape),
                &format!("give an array of shape ({vertices}, 3)"),
            ));
        }
        Ok(Given { moved: Moved::new(None, attributes, vertices)?, held: Some(held) })
    }

    /// Refuses results that would fill the memory.
    fn check_memory(&self, range: &Range<usize>, controls: Controls<'_>) -> PyResult<()> {
        let plan = self.plan();
        let (results, bytes) =
            (plan.result_count(range), plan.result_bytes(range, &widths(controls), self.precision));
        let help = match plan.samples() {
            Samples::Tensor(_) => {
                "ask for fewer samples or quantities, or take piece after piece by Plan.pieces"
            }
            Samples::Points(_) => "plan fewer places at a time",
        };
        memory::check_half(format!("{results} results need"), bytes, |_| help.into()).py()
    }

    pub(super) fn evaluate_range(
        &self,
        py: Python<'_>,
        given: &Given<'_>,
        range: Range<usize>,
        limit: &mut Limit,
    ) -> PyResult<()> {
        let controls = given.moved.controls(self.shared().mesh.controls())?;
        let foreign = given.foreign();
        self.check_memory(&range, controls)?;
        self.run(py, &range.clone(), controls, |(cell, _)| {
            evaluate(cell, controls, foreign, range, limit)
        })
    }

    /// Works with the evaluator on what the results of a range need.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        range: &Range<usize>,
        controls: Controls<'_>,
        work: impl FnOnce(&mut (EvaluatorCell, Limit)) -> subsolid::Result<T> + Send,
    ) -> PyResult<T> {
        let mut held = locked(py, &self.evaluator);
        let held = &mut *held;
        if self.plan().result_bytes(range, &widths(controls), self.precision) <= QUICK_BYTES {
            return self.threads.run_quick(py, || work(held)).py();
        }
        self.threads.run(py, || work(held)).py()
    }

    /// Evaluates on the plan's GPU, where the results stay.
    pub(super) fn evaluate_on_device(
        &self,
        py: Python<'_>,
        given: &Given<'_>,
    ) -> PyResult<PyDeviceLimit> {
        if self.device.is_none() {
            return Err(refused(
                format!("device_output=True for a plan on the {}", self.name),
                crate::backend::HELP,
            ));
        }
        let controls = given.moved.controls(self.shared().mesh.controls())?;
        let (foreign, all) = (given.foreign(), self.all());
        let points = self.run(py, &all.clone(), controls, |(cell, _)| {
            cell.with_dependent_mut(|_, prepared| {
                let device = prepared.0.on_device().ok_or_else(not_there)?;
                match foreign {
                    // SAFETY: its owner keeps it, by what `Held` has
                    Some(foreign) => unsafe { device.upload_positions(foreign, controls) }?,
                    None => device.upload(controls)?,
                }
                device.launch(all)
            })
        });
        Ok(PyDeviceLimit::new(points?, self.cell.clone(), self.named(&given.moved)?))
    }

    /// Evaluates into an array.
    pub(super) fn evaluate_into_array(
        &self,
        py: Python<'_>,
        given: &Given<'_>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let rows = self.plan().result_count(&self.all());
        match self.precision {
            Precision::F64 => self.fill_array::<f64>(py, given, out, rows, Values::F64),
            Precision::F32 => self.fill_array::<f32>(py, given, out, rows, Values::F32),
        }
    }

    fn fill_array<T: numpy::Element + Sync>(
        &self,
        py: Python<'_>,
        given: &Given<'_>,
        out: &Bound<'_, PyAny>,
        rows: usize,
        values: fn(ResultBuffer<T>) -> Values,
    ) -> PyResult<()> {
        let wrong = |why: String| {
            let name = if size_of::<T>() == 4 { "float32" } else { "float64" };
            let help = format!(
                "give a writable C-contiguous array of shape ({rows}, 3) and type {name}, or a Limit"
            );
            refused(format!("out {why}"), &help)
        };
        let array = out
            .cast::<PyArrayDyn<T>>()
            .map_err(|_| wrong("does not have the plan's precision".into()))?;
        // results under a mask would not be seen
        any_array(out, "out")?;
        if array.shape() != [rows, 3] {
            return Err(wrong(format!("has the shape {:?}", array.shape())));
        }
        if !array.is_c_contiguous() || !(array.data() as usize).is_multiple_of(align_of::<T>()) {
            return Err(wrong("is not C-contiguous".into()));
        }
        let mut array = array
            .try_readwrite()
            .map_err(|_| wrong("is read-only, or the points themselves, or in use".into()))?;
        let to = array.as_slice_mut().map_err(|_| wrong("is not C-contiguous".into()))?;
        let controls = given.moved.controls(self.shared().mesh.controls())?;
        if overlap(to, controls.positions) {
            return Err(wrong("is the memory of the points".into()));
        }
        let (foreign, all) = (given.foreign(), self.all());
        if self.plan().want() != Want::POSITION {
            self.check_memory(&all, controls)?;
        }
        // SAFETY: nothing else uses the array until the buffer is dropped, below
        let buffer = unsafe { ResultBuffer::over(to.as_mut_ptr(), to.len()) };
        self.run(py, &all.clone(), controls, |(cell, kept)| {
            // dropped with the buffer where a signal ends the work
            let mut limit = Limit { positions: values(buffer), ..std::mem::take(kept) };
            let done = evaluate(cell, controls, foreign, all, &mut limit);
            limit.positions = Values::default();
            *kept = limit;
            done
        })
    }

    /// Evaluates into the memory of a limit of this plan.
    pub(super) fn evaluate_into_limit(
        &self,
        py: Python<'_>,
        given: &Given<'_>,
        target: &PyLimit,
    ) -> PyResult<()> {
        let same = Arc::ptr_eq(&target.plan, &self.cell)
            && target.precision == self.precision
            && target.attributes == self.named(&given.moved)?;
        if !same {
            return Err(refused(
                "out is the limit of another plan, precision or set of attributes",
                "give a limit that this plan made",
            ));
        }
        let controls = given.moved.controls(self.shared().mesh.controls())?;
        if target.holds(controls.positions) {
            return Err(refused(
                "out holds the points that are given",
                "give a copy of the points, or another limit",
            ));
        }
        let (foreign, all) = (given.foreign(), self.all());
        let mut limit = target.lock_attached(py);
        if limit.elements != all {
            return Err(refused(
                "out holds a piece of the results",
                "give a limit that evaluate() made",
            ));
        }
        let limit = &mut *limit;
        self.run(py, &all.clone(), controls, |(cell, _)| {
            evaluate(cell, controls, foreign, all, limit)
        })
    }
}
