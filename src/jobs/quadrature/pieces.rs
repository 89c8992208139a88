//! A part of a quadrature for several programs: the points of some leaves.

use std::path::Path;
use std::time::Instant;

use super::super::output::{covered, part_of, warn_left_out};
use super::super::{Notes, backend_for, since};
use super::request::QuadratureRequest;
use super::{PIECE_POINTS, QuadratureReport, volume};
use crate::error::Result;
use crate::io::{JobPart, PieceJob};
use crate::mesh::SolidMesh;
use crate::numbers::counted;
use crate::plan::Cost;
use crate::quadrature::{Mapping, Quadrature, Report, points};
use crate::slice::fingerprint;
use crate::volume::add_cell_data;

impl QuadratureRequest {
    pub(super) fn run_part(
        &self,
        (part, output): (JobPart, &Path),
        (quadrature, mesh, bytes): (&Quadrature<'_>, &SolidMesh, Option<u64>),
        report: impl FnOnce(&QuadratureReport) -> Result<()>,
        notes: &mut dyn Notes,
    ) -> Result<Option<QuadratureReport>> {
        // no larger than a part's share
        let most = quadrature.sample_count().div_ceil(part.of).max(1);
        let pieces = quadrature.file_pieces(self.piece_points.unwrap_or(PIECE_POINTS).min(most));
        let (parameters, options) = (self.parameters(mesh), self.write_options());
        let job = PieceJob::create(output, part, pieces.len(), parameters, options)?;
        let name = part_of(output, part);
        let Some(mut job) = job else {
            notes.status("Skipped", format!("{name}: it exists"));
            return Ok(None);
        };
        let own = pieces[job.pieces()].to_vec();
        let start = Instant::now();
        let cost = Cost::quadrature(quadrature.sample_count() / part.of);
        let backend = backend_for(self.backend, &cost, notes)?;
        let mapping = Mapping::on(&*backend, quadrature, mesh.controls(), None)?;
        notes.begin("Evaluating");
        let found = Report::of_leaves(&mapping, covered(&own))?;
        let found = self.found((quadrature, mesh, bytes), found);
        let samples = counted(found.report.samples, "quadrature point");
        notes.status("Evaluated", format!("{samples} in {}", since(start)));
        if found.report.volume > 0.0 {
            notes.status("Integrated", format!("{} (of this part)", volume(&found.report)));
        }
        report(&found)?;
        self.write_checked(name, &found.report, notes, |notes| {
            let count = own.len();
            for (index, leaves) in own.into_iter().enumerate() {
                let mut dataset = points(&mapping, leaves)?;
                let left_out = add_cell_data(&mut dataset, &mesh.cell_data);
                if index == 0 {
                    warn_left_out(&left_out, notes);
                }
                job.push(&dataset)?;
                notes.progress(index + 1, count)?;
            }
            job.finish()
        })?;
        Ok(Some(found))
    }

    /// Everything that the bytes of pieces depend on, but for rounding on different processors.
    fn parameters(&self, mesh: &SolidMesh) -> serde_json::Value {
        serde_json::json!({
            "program": concat!("subsolid ", env!("CARGO_PKG_VERSION")),
            "job": "quadrature",
            "model_sha256": fingerprint(mesh),
            "gauss": self.scheme.gauss,
            "rings": self.scheme.rings,
            "piece_points": self.piece_points,
        })
    }
}
