//! Evaluates the limit of a solid, and writes it: cells between samples, exact Bézier cells, tables
//! of points, the boundary for viewers; or reports its Jacobians.
//!
//! ```
//! use subsolid::jobs::evaluate::{EvaluateRequest, SampleRequest};
//! use subsolid::limit::Solid;
//! use subsolid::mesh::shape::Shape;
//!
//! let mesh = Shape::Box { cells: [2, 2, 2] }.build()?;
//! let places = SampleRequest { samples: Some(3), ..SampleRequest::default() };
//! let request = EvaluateRequest { places, quality: true, ..EvaluateRequest::default() };
//! let report = request.run((&mesh, &Solid::new(&mesh)?), None, &mut ())?;
//! assert_eq!(report.unwrap().evaluated, 8 * 27);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod analyze;
mod check;
mod explain;
mod grid;
mod ranges;
mod ranks;
mod report;
mod request;
mod single;
mod table;
mod writer;

pub use explain::ExplainReport;
pub use report::EvaluateReport;
pub use request::{EvaluateRequest, LimitCells, QuantityRequest, SampleRequest};

use std::time::Instant;

use super::output::warn_of_lost_data;
use super::surface_file::{WrittenSurface, write_skin};
use super::{Notes, since};
use crate::backend::{Backend, Cpu};
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::numbers::{Precision, counted};
use crate::plan::Cost;
use crate::topology::Topology;
use crate::view::{Paint, SkinOptions, SkinPolygons};
use crate::volume::ParameterTable;
use check::SampleGrid;

impl EvaluateRequest {
    /// Opens the table of places, if one is asked for, before the model is read.
    ///
    /// # Errors
    /// As [`ParameterTable::open`].
    pub fn open(&self) -> Result<Option<ParameterTable>> {
        self.places.at.as_ref().map(ParameterTable::open).transpose()
    }

    /// Evaluates a solid, and writes the output that is asked for. `table`: what
    /// [`EvaluateRequest::open`] gives, which is called otherwise. `None` for a part of a job that
    /// has been done.
    ///
    /// # Errors
    /// As [`EvaluateRequest::check`], of reading the table, of `notes` and of the processor;
    /// [`Error::Request`] for results that would fill the memory or that the output does not hold;
    /// what the system refuses.
    pub fn run(
        &self,
        whole: (&SolidMesh, &Solid),
        table: Option<ParameterTable>,
        notes: &mut dyn Notes,
    ) -> Result<Option<EvaluateReport>> {
        let grid = self.grid()?;
        let (mesh, solid) = whole;
        let backend = self.backend(grid.as_ref(), (mesh, solid.elements().len()), notes)?;
        match &grid {
            Some(grid) => self.run_grid(grid, whole, &*backend, notes),
            None => self.run_table(self.table(table)?, whole, &*backend, notes).map(Some),
        }
    }

    /// Writes the boundary of the limit of a solid of this [topology](Topology::of_mesh), for
    /// viewers.
    ///
    /// # Errors
    /// As [`EvaluateRequest::check`], [`SkinPolygons::with_topology`] and [`write_skin`].
    pub fn run_boundary(
        &self,
        mesh: &SolidMesh,
        topology: Topology,
        notes: &mut dyn Notes,
    ) -> Result<WrittenSurface> {
        self.grid()?;
        let output = self.output.as_ref().filter(|_| self.is_of_boundary());
        let Some(output) = output else {
            return Err(Error::request("an evaluation of cells").with_help("call `run`"));
        };
        let start = Instant::now();
        let options = SkinOptions {
            samples: self.boundary_samples()?,
            paint: self.color.clone().map_or(Paint::None, Paint::Array),
            map: self.color_map.unwrap_or_default(),
            ..SkinOptions::default()
        };
        notes.begin("Evaluating");
        let skin = SkinPolygons::with_topology(mesh, topology, &options)?;
        let points = counted(skin.surface.points.len(), "point");
        notes.status("Evaluated", format!("{points} of the boundary in {}", since(start)));
        warn_of_lost_data(mesh, false, Some(output), notes);
        write_skin(output, skin, self.glb.options(output)?, notes)
    }

    /// The table of places: the one that is open, or another.
    fn table(&self, open: Option<ParameterTable>) -> Result<ParameterTable> {
        open.map_or_else(|| self.open(), |open| Ok(Some(open)))?.ok_or_else(|| {
            Error::request("an evaluation of the boundary").with_help("call `run_boundary`")
        })
    }

    /// What the evaluation of some elements costs. A table is taken for one block, which is about as
    /// much as is evaluated while the rest of it is read and written.
    fn cost(
        &self,
        grid: Option<&SampleGrid>,
        (mesh, elements): (&SolidMesh, usize),
    ) -> Result<Cost> {
        let results = grid.map_or(table::BLOCK_ROWS, |grid| grid.results(elements));
        let bytes = match self.processor.precision {
            Precision::F32 => size_of::<f32>(),
            Precision::F64 => size_of::<f64>(),
        };
        let widths: Vec<usize> = mesh.attributes.iter().map(|attribute| attribute.width).collect();
        let values = 3 + self.want(grid.map(|grid| grid.cells))?.numbers_per_result(&widths);
        Ok(Cost::evaluation(results * values * bytes))
    }

    /// The processor that evaluates some elements; says which one it is where the choice is left
    /// open.
    fn backend(
        &self,
        grid: Option<&SampleGrid>,
        elements: (&SolidMesh, usize),
        notes: &mut dyn Notes,
    ) -> Result<Box<dyn Backend>> {
        match grid.map(|grid| grid.cells) {
            Some(LimitCells::Bezier) => Ok(Box::new(Cpu::new(self.processor.precision))),
            _ => self.processor.choose(&self.cost(grid, elements)?, notes),
        }
    }
}
