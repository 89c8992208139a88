//! Writes quadrature points and basis functions, and reports integrals and Jacobians.
//!
//! ```
//! use subsolid::jobs::quadrature::QuadratureRequest;
//! use subsolid::limit::Solid;
//! use subsolid::mesh::shape::Shape;
//!
//! let mesh = Shape::Box { cells: [2, 2, 2] }.build()?;
//! let found = QuadratureRequest::default().run(&mesh, &Solid::new(&mesh)?, |_| Ok(()), &mut ())?;
//! assert!(found.unwrap().report.volume > 0.0);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod boundary;
mod pieces;
mod ranks;
mod request;

pub use boundary::QuadratureBoundaryReport;
pub use request::{QuadratureRequest, QuadratureSetting};

use std::fmt::Display;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::output::{warn_left_out, written};
use super::{Notes, backend_for, since};
use crate::error::{Command, Result, option};
use crate::io::{self, Format, PieceWriter};
use crate::limit::Solid;
use crate::memory::{self, decimal_bytes};
use crate::mesh::SolidMesh;
use crate::numbers::{counted, precise};
use crate::plan::Cost;
use crate::quadrature::{
    LEFT_HANDED, Mapping, Quadrature, QuadratureLayout, QuadratureScheme, Report, check_positive,
    points, write_npz,
};
use crate::volume::{Quality, add_cell_data};
use request::BYTES_A_POINT;

/// Quadrature points of a piece of a .pvtu.
const PIECE_POINTS: usize = 1_000_000;
/// Points, and factor over regular cells, that are worth a warning, and the rings that it names.
const MANY_POINTS: usize = 10_000_000;
const MANY_POINTS_RATIO: usize = 8;
const FEW_RINGS: usize = 2;

/// What a quadrature of cells has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct QuadratureReport {
    /// What was asked for.
    #[serde(flatten)]
    pub setting: QuadratureSetting,
    /// Number of leaves: cells that are evaluated directly, and parts of cells that are refined
    /// first.
    pub leaves: usize,
    /// Size of the tables in memory, in bytes; `null` on ranks.
    pub table_bytes: Option<usize>,
    /// Integrals and Jacobians.
    #[serde(flatten)]
    pub report: Report,
    /// Number of left-handed control hexahedra.
    #[serde(skip)]
    pub left_handed_cells: usize,
}

impl QuadratureRequest {
    /// Integrates over the cells of a solid, and writes the output that is asked for; `report` is
    /// called with what was found before that. `None` for a part of a job that has been done.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`](crate::Error::Request) for an output
    /// of points whose Jacobian is not positive, unless it is forced; the error of `report`.
    pub fn run(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        report: impl FnOnce(&QuadratureReport) -> Result<()>,
        notes: &mut dyn Notes,
    ) -> Result<Option<QuadratureReport>> {
        self.check()?;
        let start = Instant::now();
        let (scheme, want) = (self.scheme, self.want());
        Quadrature::check_memory(solid, scheme, want)?;
        notes.begin("Preparing");
        let layout = QuadratureLayout::new(solid, scheme, want)?;
        warn_of_points(&layout, notes);
        let bytes = self.announce_output(&layout, mesh, notes)?;
        notes.begin("Preparing");
        let quadrature = Quadrature::of(layout);
        let batches = counted(quadrature.batches().len(), "batch");
        let tables = decimal_bytes(quadrature.bytes() as u128);
        notes.status("Prepared", format!("{batches}, {tables} of tables in {}", since(start)));
        if let (Some(part), Some(output)) = (self.pieces, &self.output) {
            return self.run_part((part, output), (&quadrature, mesh, bytes), report, notes);
        }
        let start = Instant::now();
        let cost = Cost::quadrature(quadrature.sample_count());
        let backend = backend_for(self.backend, &cost, notes)?;
        let mapping = Mapping::on(&*backend, &quadrature, mesh.controls(), None)?;
        notes.begin("Evaluating");
        let found = self.found((&quadrature, mesh, bytes), Report::new(&mapping)?);
        let samples = counted(found.report.samples, "quadrature point");
        notes.status("Evaluated", format!("{samples} in {}", since(start)));
        notes.status("Integrated", volume(&found.report));
        if found.report.left_handed {
            notes.warn(LEFT_HANDED.into());
        }
        report(&found)?;
        if let (Some(output), Some(format)) = (&self.output, self.format()?) {
            self.write_checked(output.display(), &found.report, notes, |notes| match format {
                Format::Npz => {
                    let options = self.export_options(mesh);
                    warn_left_out(&options.left_out(), notes);
                    write_npz(output, &mapping, mesh.controls(), &found.report, options)
                }
                _ => self.write_points(output, format, (&mapping, mesh), notes),
            })?;
        }
        Ok(Some(found))
    }

    fn found(
        &self,
        (quadrature, mesh, bytes): (&Quadrature<'_>, &SolidMesh, Option<u64>),
        report: Report,
    ) -> QuadratureReport {
        QuadratureReport {
            setting: self.setting(Some(quadrature.batches().len()), bytes),
            leaves: quadrature.solid().leaves().len(),
            table_bytes: Some(quadrature.bytes()),
            report,
            left_handed_cells: mesh.handedness().left_handed,
        }
    }

    /// Writes the points of `report` to the file `name` by `write`. Those that are not positive are
    /// refused, or only named where it is forced.
    fn write_checked(
        &self,
        name: impl Display,
        report: &Report,
        notes: &mut dyn Notes,
        write: impl FnOnce(&mut dyn Notes) -> Result<()>,
    ) -> Result<()> {
        if !self.force {
            check_points(&report.quality)?;
        }
        let start = Instant::now();
        write(notes)?;
        let samples = counted(report.samples, "quadrature point");
        notes.status("Wrote", written(name, samples, start));
        if let Err(refusal) = check_points(&report.quality) {
            notes.warn(refusal.message());
        }
        Ok(())
    }

    /// Writes all points, of the volume or of the boundary, to a file other than an archive.
    fn write_points(
        &self,
        output: &Path,
        format: Format,
        (mapping, mesh): (&Mapping<'_>, &SolidMesh),
        notes: &mut dyn Notes,
    ) -> Result<()> {
        let (quadrature, options) = (mapping.quadrature(), self.write_options());
        if format != Format::Pvtu {
            // as it is made and as it is written
            let need = u128::from(2 * BYTES_A_POINT) * quadrature.sample_count() as u128;
            memory::check_half("a single file needs", need, |_| {
                "end its name in .pvtu, which is written in pieces, or in .npz".into()
            })?;
            let mut dataset = points(mapping, 0..quadrature.solid().leaves().len())?;
            warn_left_out(&add_cell_data(&mut dataset, &mesh.cell_data), notes);
            return io::write(output, dataset, options);
        }
        let mut writer = PieceWriter::create(output, options)?;
        let pieces = quadrature.file_pieces(self.piece_points.unwrap_or(PIECE_POINTS));
        for (index, leaves) in pieces.into_iter().enumerate() {
            let mut dataset = points(mapping, leaves)?;
            let left_out = add_cell_data(&mut dataset, &mesh.cell_data);
            if index == 0 {
                warn_left_out(&left_out, notes);
            }
            writer.push(&dataset)?;
        }
        writer.finish()
    }
}

/// Says beforehand that there will be many points, and how to have fewer.
pub(super) fn warn_of_points(layout: &QuadratureLayout<'_>, notes: &mut dyn Notes) {
    let (solid, scheme, points) = (layout.solid(), layout.scheme(), layout.sample_count());
    if scheme.rings.is_some() {
        return;
    }
    let times = points / (solid.elements().len() * scheme.gauss.pow(3)).max(1);
    if points < MANY_POINTS || times < MANY_POINTS_RATIO {
        return;
    }
    let fewer = QuadratureScheme { rings: Some(FEW_RINGS), ..scheme };
    let fewer = Quadrature::point_count(solid, fewer);
    notes.warn(message!(
        "{points} quadrature points, {times} times those of regular cells, most of them beside \
         extraordinary edges and vertices; ",
        option("rings", FEW_RINGS),
        " has {fewer}, with volumes accurate to about 1e-4"
    ));
}

fn volume(report: &Report) -> String {
    // a flat model has no volume
    let share = match report.volume {
        0.0 => 0.0,
        volume => 100.0 * report.remainder_volume / volume,
    };
    format!(
        "volume {}, of which {:.3e} ({share:.2} %) in remainders, which cover {:.3e} cells in parameter space",
        precise(report.volume),
        report.remainder_volume,
        report.remainder_parameter_volume
    )
}

/// Refuses what is written only where it is forced: points whose Jacobian is not positive.
fn check_points(quality: &Quality) -> Result<()> {
    check_positive(quality).map_err(|refusal| {
        refusal.with_help(message!(
            "fix the control mesh there (",
            Command::Reorient,
            ", if cells are left-handed), or write all the same with ",
            option("force", true)
        ))
    })
}
