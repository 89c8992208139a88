//! The setup of an evaluation: of everything, or of its samples alone.

use super::check::SampleGrid;
use super::request::{EvaluateRequest, LimitCells};
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::plan::{Samples, Want};
use crate::topology::Topology;
use crate::volume;

impl EvaluateRequest {
    /// Analyzes a mesh of this [topology](Topology::of_mesh) for this evaluation alone: all of it, or,
    /// where its structures would take gigabytes and the samples have no need of them
    /// ([`Solid::for_samples`]), its elements, of which [`EvaluateRequest::run`] then analyzes some at
    /// a time.
    ///
    /// # Errors
    /// As [`EvaluateRequest::check`] and [`Solid::new`].
    pub fn analyze(&self, mesh: &SolidMesh, topology: Topology) -> Result<Solid> {
        let grid = self.grid()?;
        match grid.map(|grid| self.sampled(&grid, mesh)).transpose()?.flatten() {
            Some(parameters) if self.explain => Solid::for_samples(mesh, topology, &parameters),
            Some(_) => Solid::outline(mesh, topology),
            None => Solid::with_topology(mesh, topology),
        }
    }

    /// The parameters that a mesh is analyzed for, if structures would take gigabytes; else `None`,
    /// for all parameters.
    pub(super) fn sampled(&self, grid: &SampleGrid, mesh: &SolidMesh) -> Result<Option<Vec<f64>>> {
        let parameters = self.parameters_alone(grid)?;
        Ok(parameters.filter(|_| Solid::has_many_structures(mesh)))
    }

    /// The parameters of all samples, unless there are derivatives at vertices, of which structures
    /// tell whether they exist, or other places.
    pub(super) fn parameters_alone(&self, grid: &SampleGrid) -> Result<Option<Vec<f64>>> {
        let Samples::Tensor(parameters) = &grid.samples else { return Ok(None) };
        let mut parameters = parameters.clone();
        if let Some(order) = self.order_to_report(grid)
            && let Samples::Tensor(between) = volume::samples_between(order)
        {
            parameters.extend(between);
        }
        let has_vertices = parameters.iter().any(|&u| u == 0.0 || u == 1.0);
        let is_of_values = self.want(Some(grid.cells))? == Want::POSITION;
        let is_sampled = grid.cells != LimitCells::Bezier && (is_of_values || !has_vertices);
        Ok(is_sampled.then_some(parameters))
    }
}
