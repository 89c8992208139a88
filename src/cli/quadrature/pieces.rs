//! A part of a quadrature for several programs: the points of some leaves.

use std::path::Path;
use std::time::Instant;

use subsolid::io::{JobPart, PieceJob};
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::quadrature::{Quadrature, Report, points};
use subsolid::slice::fingerprint;
use subsolid::volume::add_cell_data;
use subsolid::{Result, WriteOptions};

use super::{Arguments, PIECE_POINTS, PLACES, QuadratureSummary, mapping, outcome, volume};
use crate::cli::console::since;
use crate::cli::output::warn_left_out;
use crate::cli::pieces::{covered, part_of};
use crate::cli::{Console, Outcome, quality};

pub fn run(
    a: &Arguments,
    output: &Path,
    part: JobPart,
    quadrature: &Quadrature<'_>,
    mesh: &SolidMesh,
    bytes: Option<u64>,
    console: &Console,
) -> Result<Outcome> {
    // no larger than a part's share
    let most = quadrature.sample_count().div_ceil(part.of).max(1);
    let pieces = quadrature.file_pieces(a.piece_points.unwrap_or(PIECE_POINTS).min(most));
    let options = WriteOptions { compress: a.compress };
    let job = PieceJob::create(output, part, pieces.len(), a.parameters(mesh), options)?;
    let Some(mut job) = job else {
        console.status("Skipped", format!("{}: it exists", part_of(output, part)));
        return Ok(Outcome::Done);
    };
    let own = pieces[job.pieces()].to_vec();
    let start = Instant::now();
    let gpu = a.gpu(a.backend, quadrature.sample_count() / part.of, console)?;
    let mapping = mapping(quadrature, mesh, gpu.as_deref(), None)?;
    let report = console.during("Evaluating", || Report::of_leaves(&*mapping, covered(&own)))?;
    let samples = counted(report.samples, "quadrature point");
    console.status("Evaluated", format!("{samples} in {}", since(start)));
    if report.volume > 0.0 {
        console.status("Integrated", format!("{} (of this part)", volume(&report)));
    }
    if console.json() || a.quality {
        let left_handed = mesh.handedness().left_handed;
        let summary = QuadratureSummary::new(a, quadrature, &report, bytes);
        console.report(&summary, || quality::text(&report.quality, left_handed, PLACES))?;
    }
    a.write_checked(part_of(output, part), &report, console, || {
        let bar = console.bar(own.len());
        for (index, leaves) in own.into_iter().enumerate() {
            let mut dataset = points(&*mapping, leaves)?;
            let left_out = add_cell_data(&mut dataset, &mesh.cell_data);
            if index == 0 {
                warn_left_out(&left_out, console);
            }
            job.push(&dataset)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        job.finish()
    })?;
    Ok(outcome(&report))
}

impl Arguments {
    /// Everything that the bytes of pieces depend on, but for rounding on different processors.
    fn parameters(&self, mesh: &SolidMesh) -> serde_json::Value {
        serde_json::json!({
            "program": concat!("subsolid ", env!("CARGO_PKG_VERSION")),
            "job": "quadrature",
            "model_sha256": fingerprint(mesh),
            "gauss": self.gauss,
            "rings": self.rings,
            "piece_points": self.piece_points,
        })
    }
}
