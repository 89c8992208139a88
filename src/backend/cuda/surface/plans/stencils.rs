//! Stencils on a GPU: one sparse matrix, or static refinement. The CPU makes the weights.

use super::{SingleEvaluator, StaticRefiner};
use crate::backend::cuda::Cuda;
use crate::backend::{SurfaceEvaluator, SurfaceResults};
use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;
use crate::numbers::Real;
use crate::scheme::point::Point;
use crate::surface::stencils::{StoredWeights, gather};
use crate::surface::{SurfaceOptions, SurfacePlan, SurfaceStencils};
use cudarc::driver::DeviceRepr;

/// The points of a level straight from control points on a GPU, in `f32` or `f64`; see
/// [`SurfaceStencils`].
pub struct StencilEvaluator<T>(Weights<T>);

enum Weights<T> {
    Single(Box<SingleEvaluator<T>>),
    /// The control points stay on the host for the vertices of no face.
    Static {
        level: Box<StaticRefiner<T>>,
        slots: Vec<u32>,
        controls: Vec<Point<T>>,
    },
}

impl<T: Real + DeviceRepr> StencilEvaluator<T> {
    /// Brings the weights to a GPU, with room for the points.
    ///
    /// # Errors
    /// [`Error::Request`] if the GPU has too little memory or cannot compile a kernel.
    pub fn new(stencils: &SurfaceStencils, gpu: &Cuda) -> Result<Self> {
        Ok(Self(match &stencils.stored {
            StoredWeights::Single(matrix) => {
                let (matrix, controls) = (matrix.in_precision(), stencils.control_count());
                Weights::Single(Box::new(SingleEvaluator::new(&matrix, controls, gpu)?))
            }
            StoredWeights::Static(factored) => Weights::Static {
                level: Box::new(StaticRefiner::new(&factored.refinement, gpu)?),
                slots: factored.slots.clone(),
                controls: Vec::new(),
            },
        }))
    }

    /// Takes positions of the control mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn set_controls(&mut self, points: &[Point<T>]) -> Result<()> {
        match &mut self.0 {
            Weights::Single(matrix) => matrix.set_controls(points.as_flattened(), 3),
            Weights::Static { level, controls, .. } => {
                let double: Vec<[f64; 3]> = points.iter().map(|p| p.map(T::to_f64)).collect();
                level.set_controls(&double)?;
                controls.clear();
                controls.extend_from_slice(points);
                Ok(())
            }
        }
    }

    /// Evaluates all points; returns the seconds that it took on the device, where they stay.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn evaluate(&mut self) -> Result<f64> {
        match &mut self.0 {
            Weights::Single(matrix) => matrix.run(),
            Weights::Static { level, .. } => level.evaluate(),
        }
    }

    /// The points of the last evaluation, copied to the host in the order of
    /// [`SurfaceStencils`].
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails, or if no control points were set.
    pub fn points(&self) -> Result<Vec<Point<T>>> {
        match &self.0 {
            Weights::Single(matrix) => Ok(matrix.results()?.as_chunks::<3>().0.to_vec()),
            Weights::Static { controls, .. } if controls.is_empty() => {
                Err(Error::request("points without control points")
                    .with_help("set control points and evaluate first"))
            }
            Weights::Static { level, slots, controls } => {
                let mut points = Vec::new();
                gather(slots, &level.points()?, controls, &mut points);
                Ok(points)
            }
        }
    }
}

impl<T: Real + DeviceRepr> SurfaceEvaluator for StencilEvaluator<T> {
    fn set_controls(&mut self, points: &[[f64; 3]]) -> Result<()> {
        let points: Vec<Point<T>> = points.iter().map(|p| p.map(T::from_f64)).collect();
        StencilEvaluator::set_controls(self, &points)
    }

    fn evaluate(&mut self) -> Result<f64> {
        StencilEvaluator::evaluate(self)
    }

    fn read(&self, results: &mut SurfaceResults) -> Result<()> {
        results.positions.copy_from(self.points()?.as_flattened());
        Ok(())
    }
}

/// The plan of a surface by stencils, and these on the device.
pub(super) struct PlannedStencils<T> {
    pub plan: SurfacePlan,
    pub device: StencilEvaluator<T>,
}

impl<T: Real + DeviceRepr> PlannedStencils<T> {
    pub fn new(mesh: &SurfaceMesh, options: &SurfaceOptions, gpu: &Cuda) -> Result<Self> {
        let mut plan = SurfacePlan::new(mesh, options)?;
        let device = StencilEvaluator::new(plan.stencils()?, gpu)?;
        plan.forget_stencils();
        Ok(Self { plan, device })
    }
}
