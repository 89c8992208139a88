//! Processors that execute plans. The CPU in double precision is the reference; every
//! backend and precision passes the same tests.

mod choice;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod device_info;
mod explain;
mod limit;
mod multi_device;
pub mod operations;
mod process;
mod processor;
mod surface;
mod vectors;

pub use crate::result_buffer::ResultBuffer;
pub use choice::{Choice, DeviceList};
pub use cpu::{Cpu, check_threads};
#[cfg(feature = "cuda")]
pub use cuda::{Cuda, process::ResidentSurface, query::DeviceQuery};
pub use device_info::DeviceInfo;
pub use explain::{LaunchGrid, LaunchReport};
pub use limit::{DerivedQuantity, Limit, Values};
pub use multi_device::{MultiDevice, SharedBackend};
pub use process::SurfaceProcessor;
pub use processor::{DeviceOpening, Processor, auto, choose, devices, start};
pub use surface::{SurfaceEvaluator, SurfaceRefiner, SurfaceResults, SurfaceTask, runs_on_gpu};
pub use vectors::SparseVectors;

use std::ops::Range;

use cpu::Host;
use operations::Operations;

use crate::error::Result;
use crate::limit::Solid;
use crate::memory::physical_memory;
use crate::mesh::{
    Controls, SurfaceMesh, check_attributes, check_coordinates, check_cubes, check_point_count,
};
pub use crate::numbers::Precision;
pub use crate::plan::Strategy;
use crate::plan::{Plan, Want};
use crate::scheme::Stencils;
use crate::surface::SurfaceOptions;

/// A processor that evaluates plans.
///
/// Every implementation passes the conformance tests of
/// [`adding_a_backend`](crate::guide::adding_a_backend). It keeps to this:
/// - All that a method needs is brought to the processor by that call. What the methods return is
///   independent of other calls, so any number may be held at once and used in any order.
/// - Results have the order of the plan, grid or mesh that they are of, whatever the order in which
///   the processor computes them, and NaN where something does not exist.
/// - What the processor cannot do, or has no memory for, is an [`Error`](crate::Error) with help,
///   never a panic.
pub trait Backend {
    /// What it is, in words.
    fn name(&self) -> String;

    /// Its memory.
    fn info(&self) -> BackendInfo {
        BackendInfo { memory: physical_memory().unwrap_or(u64::MAX), bandwidth: None }
    }

    /// Brings a plan's tables into the processor's own form, for evaluation again
    /// and again with moved control points.
    ///
    /// # Errors
    /// If the processor lacks something the plan needs.
    fn prepare<'p>(&self, plan: &'p Plan<'_>) -> Result<Box<dyn Evaluator + 'p>>;

    /// Plans the refinement of a surface, in double precision.
    ///
    /// # Errors
    /// As [`SurfacePlan::new`](crate::surface::SurfacePlan::new); on a device, what [does not
    /// run there](runs_on_gpu), or too little memory.
    fn refine_surface(
        &self,
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
    ) -> Result<Box<dyn SurfaceRefiner>>;

    /// Brings a task on a surface to the processor.
    ///
    /// # Errors
    /// [`crate::Error::Request`] for a place on an element that does not exist and parameters
    /// outside their range; on a device, too little memory, more than 2³² points of a grid, or
    /// static refinement past level 7.
    fn prepare_surface<'s>(&self, task: SurfaceTask<'s>) -> Result<Box<dyn SurfaceEvaluator + 's>>;

    /// Brings a surface to the processor, for processing in double precision.
    ///
    /// # Errors
    /// As [`SurfaceMesh::check`]; on a device, too little memory.
    fn process_surface(&self, mesh: &SurfaceMesh) -> Result<Box<dyn SurfaceProcessor>>;

    /// Brings a square sparse matrix whose rows sum to 1 to the processor, for iterative solutions
    /// in double precision.
    ///
    /// # Errors
    /// On a device, too little memory.
    fn vectors<'s>(&self, rows: &'s Stencils) -> Result<Box<dyn SparseVectors + 's>>;

    /// Operations beside plans; by default the CPU's.
    fn operations(&self) -> &dyn Operations {
        &Host
    }

    /// Seconds that writing `bytes` takes, once a repeat: the least time of every
    /// evaluation with that much output.
    ///
    /// # Errors
    /// If the memory is not there.
    fn time_writing(&self, bytes: usize, repeats: usize) -> Result<Vec<f64>>;

    /// Evaluates a plan once.
    ///
    /// # Errors
    /// As [`Evaluator::evaluate`]; if the processor lacks something the plan needs.
    fn evaluate(&self, plan: &Plan<'_>, controls: Controls<'_>) -> Result<Limit> {
        let mut limit = Limit::default();
        let all = 0..plan.solid().elements().len();
        self.prepare(plan)?.evaluate(controls, all, &mut limit)?;
        Ok(limit)
    }
}

/// The memory of a processor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackendInfo {
    /// Its size in bytes.
    pub memory: u64,
    /// Its peak bandwidth in bytes per second, where it is known.
    pub bandwidth: Option<f64>,
}

/// A prepared plan. Made by [`Backend::prepare`].
///
/// Calls may come in any order and with other control points each time. Nothing but setup is kept
/// from one to the next: the same control points give the same results, except the last bits under
/// [`Strategy::Thread`] and the others of the published method.
///
/// # Safety
/// When [`evaluate`](Self::evaluate) returns, the evaluator keeps none of the arrays of `limit`,
/// which may lie in memory that the caller lends for the call. So it is no trait for safe code:
///
/// ```compile_fail,E0200
/// use std::ops::Range;
/// use subsolid::backend::{Evaluator, Explained, Values};
/// use subsolid::mesh::Controls;
/// use subsolid::{Limit, Result};
///
/// struct Keeper(Vec<Values>);
///
/// impl Evaluator for Keeper {
///     fn evaluate(&mut self, _: Controls<'_>, _: Range<usize>, limit: &mut Limit) -> Result<()> {
///         self.0.push(std::mem::take(&mut limit.positions));
///         Ok(())
///     }
///     fn time(&mut self, _: &[Controls<'_>], _: Range<usize>, _: usize) -> Result<Vec<f64>> {
///         Ok(Vec::new())
///     }
///     fn explain(&mut self, _: &[usize], _: Range<usize>) -> Result<Vec<LaunchReport>> {
///         Ok(Vec::new())
///     }
/// }
/// ```
pub unsafe trait Evaluator: Send {
    /// Evaluates the elements in a range (all of them for scattered samples) into
    /// `limit`, whose memory is reused.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if the range or the control points do not fit the plan;
    /// [`crate::Error::Mesh`] for an attribute of another length.
    fn evaluate(
        &mut self,
        controls: Controls<'_>,
        elements: Range<usize>,
        limit: &mut Limit,
    ) -> Result<()>;

    /// Seconds of evaluating a range of elements, once a repeat after a warm-up, control
    /// points and results staying where the processor has them: device events on a
    /// GPU, the wall clock on the CPU. Sets of control points are taken in turn.
    ///
    /// # Errors
    /// As [`Evaluator::evaluate`], and if the results do not fit the memory.
    fn time(
        &mut self,
        controls: &[Controls<'_>],
        elements: Range<usize>,
        repeats: usize,
    ) -> Result<Vec<f64>>;

    /// What evaluating a range of elements (all of them for scattered samples) at once would
    /// run: on a GPU every launch, in order; on the CPU the work of every kernel. Nothing is
    /// evaluated. `attributes`: components of each.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if the range does not fit the plan, or a GPU cannot compile
    /// its kernels or hold the control points.
    fn explain(
        &mut self,
        attributes: &[usize],
        elements: Range<usize>,
    ) -> Result<Vec<LaunchReport>>;

    /// The prepared plan with control points and results that stay on a GPU; `None` on the CPU.
    #[cfg(feature = "cuda")]
    fn on_device(&mut self) -> Option<&mut (dyn cuda::DeviceEvaluator + '_)> {
        None
    }
}

/// Checks that there is one control point, and one of each attribute, for every vertex, and
/// that the precision holds them and their quantities.
pub(crate) fn check_controls(
    solid: &Solid,
    want: Want,
    controls: Controls<'_>,
    precision: Precision,
) -> Result<()> {
    let vertices = solid.topology().vertex_count();
    check_point_count(controls.positions.len(), vertices)?;
    controls.attributes.iter().try_for_each(|attribute| attribute.check(vertices))?;
    if want.contains(Want::DETERMINANT) || want.contains(Want::LEAST_DETERMINANT) {
        check_cubes(controls.positions, precision)?;
    } else {
        check_coordinates(controls.positions, precision)?;
    }
    check_attributes(controls.attributes, precision)
}
