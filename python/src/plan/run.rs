//! Evaluations of a plan: what is given, where results go, and looks at signals between parts.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

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

/// Bytes of results between two looks at signals: a fraction of a second.
const BYTES_BETWEEN_SIGNALS: u128 = 96 << 20;

/// Elements that have about as many, `bytes` each. Of sixteen together the results begin on a cache
/// line.
fn step(bytes: u128) -> usize {
    ((BYTES_BETWEEN_SIGNALS / bytes.max(1)) as usize).next_multiple_of(16).max(16)
}

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

/// Evaluates control points, or `foreign` ones in place of their positions; a part of the elements
/// to its place in results that have room for all.
fn evaluate(
    cell: &mut EvaluatorCell,
    controls: Controls<'_>,
    foreign: Option<ForeignArray>,
    part: Range<usize>,
    all: &Range<usize>,
    limit: &mut Limit,
) -> subsolid::Result<()> {
    cell.with_dependent_mut(|cell, prepared| {
        if part != *all {
            return limit.fill(&mut *prepared.0, cell.borrow_dependent(), controls, part);
        }
        let Some(foreign) = foreign else { return prepared.0.evaluate(controls, part, limit) };
        let device = prepared.0.on_device().ok_or_else(not_there)?;
        // SAFETY: its owner keeps it, by what `Held` has
        unsafe { device.upload_positions(foreign, controls) }?;
        device.fetch(part, limit)
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
        let parts = self.parts(&range, &widths(controls));
        if parts.len() > 1 {
            limit.make_room(self.plan(), range.clone(), &widths(controls), self.precision);
        }
        for part in parts {
            py.check_signals()?;
            let result = self.threads.run_locked(py, &self.evaluator, |(cell, _)| {
                evaluate(cell, controls, foreign, part, &range, limit)
            });
            result.py()?;
        }
        Ok(())
    }

    /// Parts of some elements, between which signals are checked; one on GPUs, which bring the
    /// points once.
    fn parts(&self, range: &Range<usize>, widths: &[usize]) -> Vec<Range<usize>> {
        let plan = self.plan();
        let step = step(plan.result_bytes(&(0..1), widths, self.precision));
        let is_grid = matches!(plan.samples(), Samples::Tensor(_));
        if !self.on_cpu || !is_grid || range.len() < 2 * step {
            return vec![range.clone()];
        }
        let firsts = range.clone().step_by(step);
        firsts.map(|first| first..(first + step).min(range.end)).collect()
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
        let points = self.threads.run_locked(py, &self.evaluator, |(cell, _)| {
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
        Ok(PyDeviceLimit::new(points.py()?, self.cell.clone(), self.named(&given.moved)?))
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
        let parts = self.parts(&all, &widths(controls));
        let in_parts = parts.len() > 1;
        for part in parts {
            py.check_signals()?;
            // SAFETY: nothing else uses the array until the buffer is dropped, below
            let buffer = unsafe { ResultBuffer::over(to.as_mut_ptr(), to.len()) };
            let result = self.threads.run_locked(py, &self.evaluator, |(cell, limit)| {
                limit.positions = values(buffer);
                if in_parts {
                    let plan = cell.borrow_owner().borrow_dependent();
                    limit.make_room(plan, all.clone(), &widths(controls), self.precision);
                }
                let done = evaluate(cell, controls, foreign, part, &all, limit);
                limit.positions = Values::default();
                done
            });
            result.py()?;
        }
        Ok(())
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
        for part in self.parts(&all, &widths(controls)) {
            py.check_signals()?;
            let result = py.detach(|| {
                // both are locked before the threads are entered, see `CallThreads::run_locked`
                let mut limit = target.lock();
                if limit.elements != all {
                    return Err(subsolid::Error::request("out holds a piece of the results")
                        .with_help("give a limit that evaluate() made"));
                }
                let mut evaluator = self.evaluator.lock().unwrap_or_else(PoisonError::into_inner);
                let (limit, cell) = (&mut *limit, &mut evaluator.0);
                self.threads.here(|| evaluate(cell, controls, foreign, part, &all, limit))
            });
            result.py()?;
        }
        Ok(())
    }
}
