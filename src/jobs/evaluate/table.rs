//! A table of parameters in, a table of values out, block by block.

use std::io::Write;
use std::time::Instant;

use super::super::Notes;
use super::super::output::warn_of_ignored;
use super::report::EvaluateReport;
use super::request::EvaluateRequest;
use crate::backend::{Backend, Limit};
use crate::error::{Error, Result};
use crate::io::{atomic, write_table_header};
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::plan::Samples;
use crate::volume::{ParameterTable, Quality, columns as columns_of, write_rows};

/// Rows in memory at a time.
pub(super) const BLOCK_ROWS: usize = 1 << 18;

impl EvaluateRequest {
    pub(super) fn run_table(
        &self,
        mut table: ParameterTable,
        (mesh, solid): (&SolidMesh, &Solid),
        backend: &dyn Backend,
        notes: &mut dyn Notes,
    ) -> Result<EvaluateReport> {
        let name = table.path().display();
        notes.status("Evaluating", format!("{name} on the {}", backend.name()));
        let start = Instant::now();
        warn_of_ignored(table.path(), &table.ignored(), notes);
        let has_corners = table.has_corners();
        let places = "the places of the table".into();
        let mut report = EvaluateReport::new(self, backend.name(), places);
        report.left_handed_cells = mesh.handedness().left_handed;
        let mut quality = Quality::default();
        let widths: Vec<usize> = mesh.attributes.iter().map(|a| a.width).collect();
        let mut columns = Limit::of(self.want(None)?, &widths);
        self.keep_shown(None, &mut columns)?;
        let columns = columns_of(has_corners, &columns, &mesh.attributes)?;
        let mut evaluate = |out: &mut dyn Write, refused: &dyn Fn(std::io::Error) -> Error| {
            let mut out = out;
            write_table_header(&mut out, &columns).map_err(refused)?;
            let mut limit = Limit::default();
            loop {
                let locations = table.read(solid, BLOCK_ROWS)?;
                if locations.is_empty() {
                    return Ok(());
                }
                let plan = solid.plan(&Samples::Points(locations), self.want(None)?)?;
                let all = 0..solid.elements().len();
                backend.prepare(&plan)?.evaluate(mesh.controls(), all, &mut limit)?;
                if self.quality {
                    quality.add(&plan, &limit);
                }
                self.keep_shown(None, &mut limit)?;
                report.count(&limit);
                let Samples::Points(locations) = plan.samples() else { continue };
                write_rows(&mut out, solid, has_corners, locations, &limit, &mesh.attributes)
                    .map_err(refused)?;
            }
        };
        match &self.output {
            Some(output) => {
                atomic::write(output, |out| evaluate(out, &|e| atomic::refused(output, e)))?;
                (report.points, report.pieces) = (report.evaluated, 1);
            }
            None => evaluate(&mut std::io::sink(), &|e| atomic::refused("the table", e))?,
        }
        Ok(report.conclude(self, None, quality, start, notes))
    }
}
