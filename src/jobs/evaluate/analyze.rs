//! The setup of an evaluation: of everything, or of its samples alone.

use super::check::SampleGrid;
use super::request::{EvaluateRequest, LimitCells};
use crate::error::Result;
use crate::io::Format;
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::plan::{Samples, Want};
use crate::topology::Topology;
use crate::volume;

impl EvaluateRequest {
    /// Analyzes a mesh of this [topology](Topology::of_mesh) for this evaluation: for its samples
    /// alone where structures would take gigabytes and the samples have no need of them
    /// ([`Solid::for_samples`]).
    ///
    /// # Errors
    /// As [`EvaluateRequest::check`] and [`Solid::new`].
    pub fn analyze(&self, mesh: &SolidMesh, topology: Topology) -> Result<Solid> {
        let sampled = self.grid()?.map(|grid| self.sampled(&grid, mesh)).transpose()?;
        match sampled.flatten() {
            Some(parameters) => Solid::for_samples(mesh, topology, &parameters),
            None => Solid::with_topology(mesh, topology),
        }
    }

    /// Whether a `.pvtu` of a mesh is evaluated block by block ([`EvaluateRequest::run_on_ranks`]),
    /// since the mesh is analyzed for its samples alone: the nearer these lie to vertices, the more
    /// memory all cells would take.
    ///
    /// # Errors
    /// As [`EvaluateRequest::check`].
    pub fn is_in_blocks(&self, mesh: &SolidMesh) -> Result<bool> {
        let is_whole = self.explain || self.pieces.is_some();
        let grid = self.grid()?.filter(|grid| grid.format == Some(Format::Pvtu) && !is_whole);
        Ok(grid.map(|grid| self.sampled(&grid, mesh)).transpose()?.flatten().is_some())
    }

    /// The parameters that a mesh is analyzed for: those of all samples, if structures would take
    /// gigabytes and there are no derivatives at vertices, of which structures tell whether they
    /// exist; else `None`, for all parameters.
    pub(super) fn sampled(&self, grid: &SampleGrid, mesh: &SolidMesh) -> Result<Option<Vec<f64>>> {
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
        Ok((is_sampled && Solid::has_many_structures(mesh)).then_some(parameters))
    }
}
