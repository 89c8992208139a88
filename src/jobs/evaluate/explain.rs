//! What an evaluation would run, and the least time that its bytes take.

use serde::Serialize;

use super::super::Notes;
use super::request::{EvaluateRequest, LimitCells};
use super::table::BLOCK_ROWS;
use crate::backend::LaunchReport;
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::plan::Samples;
use crate::volume::ParameterTable;

/// What an evaluation would run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ExplainReport {
    /// Name of the processor.
    pub backend: String,
    /// Number of elements evaluated at once.
    pub elements: usize,
    /// Kernels in the order in which they run.
    pub launches: Vec<LaunchReport>,
}

impl EvaluateRequest {
    /// Explains [`EvaluateRequest::run`], and writes nothing.
    ///
    /// # Errors
    /// As [`EvaluateRequest::check`] and of the processor.
    pub fn explain(
        &self,
        (mesh, solid): (&SolidMesh, &Solid),
        table: Option<ParameterTable>,
        notes: &mut dyn Notes,
    ) -> Result<ExplainReport> {
        let grid = self.grid()?;
        let elements = solid.elements().len();
        let backend = self.backend(grid.as_ref(), (mesh, elements), notes)?;
        let widths: Vec<usize> = mesh.attributes.iter().map(|attribute| attribute.width).collect();
        let explain = |samples: &Samples, cells: Option<LimitCells>| {
            let plan = solid.plan(samples, self.want(cells)?)?;
            backend.prepare(&plan)?.explain(&widths, 0..elements)
        };
        let mut launches = Vec::new();
        if let Some(grid) = grid {
            launches = explain(&grid.samples, Some(grid.cells))?;
        } else {
            let mut table = self.table(table)?;
            loop {
                let locations = table.read(solid, BLOCK_ROWS)?;
                if locations.is_empty() {
                    break;
                }
                launches.extend(explain(&Samples::Points(locations), None)?);
            }
        }
        Ok(ExplainReport { backend: backend.name(), elements, launches })
    }
}
