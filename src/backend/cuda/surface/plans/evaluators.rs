//! Limits of surfaces on a GPU by the verbs of all backends.

use crate::backend::{SurfaceEvaluator, SurfaceResults, Values};
use crate::error::Result;
use crate::numbers::Real;
use cudarc::driver::DeviceRepr;

use super::{GridEvaluator, PlaceEvaluator, VertexEvaluator};

/// Derivatives that are there.
fn put_derivatives<T: Real>(results: &mut SurfaceResults, derivatives: &[Vec<[T; 3]>]) {
    let wanted = derivatives.iter().filter(|values| !values.is_empty());
    results.derivatives.resize(wanted.clone().count(), Values::default());
    for (values, from) in results.derivatives.iter_mut().zip(wanted) {
        values.copy_from(from.as_flattened());
    }
}

impl<T: Real + DeviceRepr> SurfaceEvaluator for GridEvaluator<T> {
    fn set_controls(&mut self, points: &[[f64; 3]]) -> Result<()> {
        self.grids.set_controls(points)
    }

    fn evaluate(&mut self) -> Result<f64> {
        self.grids.evaluate()
    }

    fn read(&self, results: &mut SurfaceResults) -> Result<()> {
        let found = GridEvaluator::read(self)?;
        results.positions.copy_from(found.positions.as_flattened());
        put_derivatives(results, &found.derivatives);
        results.normals.copy_from(found.normals.as_flattened());
        Ok(())
    }
}

impl<T: Real + DeviceRepr> SurfaceEvaluator for PlaceEvaluator<T> {
    fn set_controls(&mut self, points: &[[f64; 3]]) -> Result<()> {
        self.points.set_controls(points)
    }

    fn evaluate(&mut self) -> Result<f64> {
        self.points.evaluate()
    }

    fn read(&self, results: &mut SurfaceResults) -> Result<()> {
        let found = PlaceEvaluator::read(self)?;
        results.positions.copy_from(found[0].as_flattened());
        put_derivatives(results, &found[1..]);
        Ok(())
    }
}

impl<T: Real + DeviceRepr> SurfaceEvaluator for VertexEvaluator<T> {
    fn set_controls(&mut self, points: &[[f64; 3]]) -> Result<()> {
        self.0.set_controls(points)
    }

    fn evaluate(&mut self) -> Result<f64> {
        self.0.evaluate()
    }

    fn read(&self, results: &mut SurfaceResults) -> Result<()> {
        let [positions, normals] = VertexEvaluator::read(self)?;
        results.positions.copy_from(positions.as_flattened());
        results.normals.copy_from(normals.as_flattened());
        Ok(())
    }
}
