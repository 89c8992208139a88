//! The CUDA backend: NVIDIA GPUs, in single or double precision.
//!
//! # Practice
//! The program runs without CUDA; the driver and NVRTC are loaded when a GPU is asked
//! for. Kernels (`kernels/*.cu`, part of the program) are compiled for the device at
//! hand, specialized to the number of samples, and kept in a cache on disk.
//!
//! A prepared plan lives on the device: nets, tables and work items. One evaluation is
//! one CUDA graph, launched again with moved control points.

mod check;
mod driver;
mod gpu;
mod jobs;
mod level_stencils;
pub mod process;
pub mod query;
mod resident;
mod single_points;
mod solid;
pub mod sort;
mod surface;

pub use crate::plan::Strategy;
pub use check::{KernelReport, check_kernels};
pub use cudarc::driver::DeviceRepr;
pub use driver::device::{check_device, devices};
pub use driver::device_arrays::{DeviceArray, DeviceMemory, ForeignArray};
pub use gpu::Cuda;
pub use solid::adjoint::{DeviceAdjoint, Gradient};
pub use solid::evaluator::DeviceEvaluator;
pub use solid::points::DevicePoints;
pub use surface::edge_friend::FriendRun;
pub use surface::limit::SurfacePoints;
pub use surface::plans::{
    GridEvaluator, PlaceEvaluator, Refiner, SingleEvaluator, StaticRefiner, StencilEvaluator,
    VertexEvaluator, device_matrix,
};
pub use surface::refine::{FaceArrays, MatrixCounts, SurfaceMatrix};

use driver::write_bandwidth;
use process::ResidentSurface;
use solid::evaluator::ResidentPlan;

use super::operations::Operations;
use super::{
    Backend, BackendInfo, DeviceInfo, Evaluator, Precision, SparseVectors, SurfaceEvaluator,
    SurfaceProcessor, SurfaceRefiner, SurfaceTask,
};
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::numbers::Real;
use crate::plan::Plan;
use crate::scheme::Stencils;
use crate::surface::SurfaceOptions;

impl Cuda {
    /// Prepares a plan for evaluations whose results stay on the device.
    ///
    /// # Errors
    /// As [`Backend::prepare`].
    pub fn prepare_on_device<'p>(
        &self,
        plan: &'p Plan<'_>,
    ) -> Result<Box<dyn DeviceEvaluator + 'p>> {
        let functions = self.functions.clone();
        Ok(match self.precision {
            Precision::F32 => Box::new(ResidentPlan::<f32>::new(functions, plan, self.strategy)?),
            Precision::F64 => Box::new(ResidentPlan::<f64>::new(functions, plan, self.strategy)?),
        })
    }
}

fn prepare_surface<'s, T: Real + DeviceRepr>(
    task: SurfaceTask<'s>,
    cuda: &Cuda,
) -> Result<Box<dyn SurfaceEvaluator + 's>> {
    Ok(match task {
        SurfaceTask::Stencils(stencils) => Box::new(StencilEvaluator::<T>::new(stencils, cuda)?),
        SurfaceTask::Grid(grid) => Box::new(GridEvaluator::<T>::new(grid, cuda)?),
        SurfaceTask::Places(surface, places, want) => {
            Box::new(PlaceEvaluator::<T>::new(surface, places, want, cuda)?)
        }
        SurfaceTask::Vertices(masks) => Box::new(VertexEvaluator::<T>::new(masks, cuda)?),
    })
}

impl Backend for Cuda {
    fn name(&self) -> String {
        let bits = match self.precision {
            Precision::F32 => 32,
            Precision::F64 => 64,
        };
        let info = &self.functions.device().info;
        format!("{} (cuda:{}), f{bits}", info.name, info.ordinal)
    }

    fn info(&self) -> BackendInfo {
        let DeviceInfo { memory, bandwidth, .. } = self.functions.device().info;
        BackendInfo { memory, bandwidth }
    }

    fn prepare<'p>(&self, plan: &'p Plan<'_>) -> Result<Box<dyn Evaluator + 'p>> {
        Ok(self.prepare_on_device(plan)?)
    }

    fn refine_surface(
        &self,
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
    ) -> Result<Box<dyn SurfaceRefiner>> {
        Ok(Box::new(Refiner::<f64>::new(mesh, options, self)?))
    }

    fn process_surface(&self, mesh: &SurfaceMesh) -> Result<Box<dyn SurfaceProcessor>> {
        Ok(Box::new(ResidentSurface::<f64>::new(self, mesh)?))
    }

    fn prepare_surface<'s>(&self, task: SurfaceTask<'s>) -> Result<Box<dyn SurfaceEvaluator + 's>> {
        match self.precision {
            Precision::F32 => prepare_surface::<f32>(task, self),
            Precision::F64 => prepare_surface::<f64>(task, self),
        }
    }

    fn vectors<'s>(&self, rows: &'s Stencils) -> Result<Box<dyn SparseVectors + 's>> {
        Ok(Box::new(jobs::vectors::Vectors::new(self, rows)?))
    }

    fn operations(&self) -> &dyn Operations {
        self
    }

    fn time_writing(&self, bytes: usize, repeats: usize) -> Result<Vec<f64>> {
        write_bandwidth::time(&self.functions, self.precision, bytes, repeats)
    }
}
