//! A quadrature of the boundary.

use std::time::Instant;

use serde::Serialize;

use super::super::output::{warn_left_out, written};
use super::super::{Notes, since};
use super::check_points;
use super::request::{QuadratureRequest, QuadratureSetting};
use crate::error::Result;
use crate::io::{self, Format};
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::numbers::{counted, precise};
use crate::quadrature::{
    BoundaryReport, Mapping, Quadrature, QuadratureLayout, Regions, jacobians, write_boundary_npz,
};

/// What a quadrature of the boundary has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct QuadratureBoundaryReport {
    /// What was asked for.
    #[serde(flatten)]
    pub setting: QuadratureSetting,
    /// Integrals.
    #[serde(flatten)]
    pub report: BoundaryReport,
    /// Whether all Jacobian determinants are positive.
    #[serde(skip)]
    pub is_positive: bool,
}

impl QuadratureRequest {
    /// Integrates over the parts of the boundary that are asked for, or all of it, and writes the
    /// output that is asked for; `report` is called with what was found before that.
    ///
    /// # Errors
    /// As [`QuadratureRequest::run`]; [`Error::Request`](crate::Error::Request) for parts that
    /// the boundary does not have.
    pub fn run_boundary(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        report: impl FnOnce(&QuadratureBoundaryReport) -> Result<()>,
        notes: &mut dyn Notes,
    ) -> Result<QuadratureBoundaryReport> {
        self.check()?;
        let regions = Regions::new(solid, mesh)?;
        let kept = regions.kept(self.boundary.as_deref().unwrap_or_default())?;
        let start = Instant::now();
        let keep = |face: u32| kept[face as usize];
        let layout = QuadratureLayout::boundary(solid, self.scheme, self.want(), keep)?;
        let format = self.format()?;
        if let Some(format) = format {
            io::check_names(format, regions.groups().map(|(name, _)| name))?;
        }
        let bytes = self.announce_output(&layout, mesh, notes)?;
        notes.begin("Preparing");
        let quadrature = Quadrature::of(layout);
        let mapping = Mapping::new(&quadrature, mesh.controls())?;
        let signs = check_points(&jacobians(&mapping)?);
        let is_positive = signs.is_ok();
        match signs {
            Err(refusal) if self.force || self.output.is_none() => notes.warn(refusal.message()),
            signs => signs?,
        }
        let origin = mesh.points.first().copied().unwrap_or_default();
        for (group, count) in regions.faces_inside().filter(|group| group.1 > 0) {
            let faces = counted(count, "face");
            notes
                .warn(format!("group \"{group}\" has {faces} between cells: left out here").into());
        }
        notes.begin("Evaluating");
        let found = BoundaryReport::new(&mapping, &regions, origin)?;
        let samples = counted(found.samples, "quadrature point");
        notes.status("Evaluated", format!("{samples} in {}", since(start)));
        let (area, sides) = (precise(found.area), counted(found.sides.len(), "side"));
        notes.status("Integrated", format!("area {area} on {sides}"));
        let setting = self.setting(Some(quadrature.batches().len()), bytes);
        let found = QuadratureBoundaryReport { setting, report: found, is_positive };
        report(&found)?;
        let (Some(output), Some(format)) = (&self.output, format) else { return Ok(found) };
        let start = Instant::now();
        if format == Format::Npz {
            let (options, controls) = (self.export_options(mesh), mesh.controls());
            warn_left_out(&options.left_out(), notes);
            write_boundary_npz(output, &mapping, controls, &found.report, &regions, options)?;
        } else {
            self.write_points(output, format, (&mapping, mesh), notes)?;
        }
        notes.status("Wrote", written(output.display(), samples, start));
        Ok(found)
    }
}
