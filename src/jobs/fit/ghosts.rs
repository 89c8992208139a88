//! Fits a solid with ghost cells: the limit of its boundary passes through the vertices, or comes near a
//! target; ghosts follow.

use std::time::Instant;

use super::super::Notes;
use super::extended::Extended;
use super::inside::{Follow, Inside, Steps};
use super::report::FitReport;
use super::request::{FitRequest, FitTarget};
use super::{SOLID_ENTRIES, interpolate, least_before, merged, set_distances, set_projected};
use crate::error::{IdKind, Result};
use crate::fit::{SkinFit, refined_values};
use crate::io::ControlMesh;
use crate::mesh::SolidMesh;
use crate::numbers::counted;
use crate::refine::refine_mesh;
use crate::scheme::VertexRule;
use crate::topology::Topology;
use crate::untangle::OrientedLimit;

impl FitRequest {
    /// [`FitRequest::run_solid`] of a solid with ghosts.
    pub(super) fn run_extended(
        &self,
        mesh: &mut SolidMesh,
        target: Option<&ControlMesh>,
        notes: &mut dyn Notes,
    ) -> Result<FitReport> {
        let started = Instant::now();
        let mut own = Extended::new(mesh)?;
        let target = match self.to {
            FitTarget::Vertices | FitTarget::Corners => None,
            FitTarget::Facets | FitTarget::File(_) => {
                own.check_target()?;
                self.target(&own.skin(mesh)?, target, notes)?
            }
        };
        let attributes = self.interpolated(&mesh.attributes);
        let products = SOLID_ENTRIES * (3 * mesh.points.len() + attributes);
        let backend = self.processor(products, notes)?;
        if attributes > 0 {
            interpolate(&own.system(), &*backend, &mut mesh.attributes)?;
            let arrays = mesh.attributes.iter_mut().filter(|attribute| !attribute.is_normals());
            arrays.for_each(|attribute| own.set_natural(attribute));
        }
        let mut projected = self.projected(&mesh.attributes);
        let mut limit = OrientedLimit::new(mesh)?;
        let before = least_before(&limit, mesh, notes)?;
        let (missed, volume) = (own.missed(&mesh.points), own.volume(mesh)?);
        let mut first: Option<SkinFit> = None;
        let mut levels = 0;
        let (fit, settled) = loop {
            let mut inside = Inside::new(mesh, Follow::Unknowns(&own), limit.bounds()?);
            let mut unknowns = own.through_vertices(&*backend)?;
            let mut fit = None;
            if let Some((target, _)) = &target {
                let inside = (!self.no_untangle).then_some(&mut inside);
                let mut steps = Steps { notes, rounds: self.rounds, inside };
                let found = own.fit((mesh, unknowns), (target, self.rounds), &mut steps)?;
                unknowns = found.points.clone();
                first.get_or_insert_with(|| found.clone());
                fit = Some(found);
            }
            let is_done = fit.as_ref().is_none_or(|fit| self.is_within(fit) != Some(false));
            if is_done || levels == self.max_levels {
                let how = (&limit, !self.no_untangle);
                let settled = inside.settled(how, &unknowns, notes)?;
                break (fit.zip(first).map(|(fit, first)| merged(&first, fit)), settled);
            }
            mesh.points = inside.points(&unknowns)?;
            let topology = Topology::of_mesh(mesh)?;
            for values in &mut projected {
                values.values = refined_values(&topology, values);
            }
            *mesh = refine_mesh(mesh, 1, VertexRule::default())?;
            limit = OrientedLimit::new(mesh)?;
            // the limit so far is the part whose vertices these are
            mesh.points = Extended::new(mesh)?.limits(&mesh.points);
            own = Extended::new(mesh)?;
            levels += 1;
        };
        mesh.points = settled.points;
        let open = limit.bounds()?.open_cells(&mesh.points);
        if !open.is_empty() {
            let cells = IdKind::Cell.ids(open.iter().copied());
            notes.warn(message!(counted(open.len(), "cell"), " may be folded: ", cells));
        }
        set_projected(mesh, &projected)?;
        mesh.is_fitted = true;
        if let Some(fit) = fit.as_ref().filter(|_| self.distances) {
            let values = own.boundary_values(&fit.distances, &*backend)?;
            set_distances(&mut mesh.attributes, values);
        }
        let after = own.volume(mesh)?;
        let target_volume = target.as_ref().and_then(|(target, _)| target.volume());
        let common = match fit {
            Some(fit) => self.report(fit, target_volume, started),
            None => FitReport::of_vertices([missed, own.missed(&mesh.points)], started),
        };
        Ok(FitReport {
            volume: [volume, after],
            levels,
            determinant_before: Some(before),
            determinant: Some(settled.bound),
            folds: Some(settled.folds),
            ..common
        })
    }
}
