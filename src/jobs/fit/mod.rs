//! Fits a solid or a surface: control points whose limit is the part.
//!
//! ```
//! use subsolid::jobs::fit::FitRequest;
//! use subsolid::mesh::shape::Shape;
//!
//! let mut mesh = Shape::Box { cells: [3, 3, 3] }.build()?; // vertices of a smooth part
//! let report = FitRequest::default().run_solid(&mut mesh, None, &mut ())?;
//! assert!(report.vertices[0].max > 0.1 && report.vertices[1].max < 1e-12);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod extended;
mod ghosts;
mod inside;
mod report;
mod request;

pub use report::FitReport;
pub use request::{FitAttributes, FitRequest, FitTarget};

use std::time::Instant;

use super::{Notes, backend_for};
use crate::backend::Backend;
use crate::error::{Error, Message, Result, option};
use crate::fit::{
    LimitSystem, PointRole, SkinFit, SkinOptions, Target, TargetNotes, fit_skin,
    project_attributes, refined_by_nodes, refined_values,
};
use crate::io::{ControlMesh, CurvedNode};
use crate::limit::Solid;
use crate::mesh::{Attribute, SolidMesh, SurfaceMesh};
use crate::numbers::bounds::{self, Bounds};
use crate::numbers::{by_count, counted, significant};
use crate::plan::Cost;
use crate::refine::{refine_mesh, turning_edges};
use crate::scheme::{Scheme, VertexRule};
use crate::surface::limit::LimitSurface;
use crate::surface::triangulate::Triangulation;
use crate::surface::{Method, SurfaceOptions, boundary_with_topology, refine_surface};
use crate::topology::Topology;
use crate::untangle::{LeastDeterminant, OrientedLimit};
use inside::{Follow, Inside, Steps};

/// Times by which the boxes of a part and of its target may differ.
const MAX_SIZE_RATIO: f64 = 10.0;
/// Entries of a row of limit masks, of regular surfaces and solids.
const SURFACE_ENTRIES: usize = 9;
const SOLID_ENTRIES: usize = 27;

/// Turn of the boundary at an edge, in degrees, that a part has at sharp edges alone: eight faces
/// around a bore turn by 45.
const SHARP_TURN: f64 = 60.0;

/// That edges of the boundary will be round which the part may have sharp: `None` where all that
/// turn by more than 60 degrees have a crease, and for solids with ghosts.
pub fn rounded_edges(mesh: &SolidMesh) -> Option<Message> {
    if !mesh.ghosts().is_empty() {
        return None;
    }
    let count = turning_edges(mesh, SHARP_TURN).ok()?.len();
    let (edges, turn) = (counted(count, "boundary edge"), by_count(count, "turns", "turn"));
    (count > 0).then(|| {
        message!(
            format!(
                "{edges} without a crease {turn} by more than {SHARP_TURN}°, and will be round; "
            ),
            option("crease_angle", 40),
            " keeps edges sharp"
        )
    })
}

/// Name of the array of distances from the target.
const DISTANCES: &str = "fit_distance";

impl FitRequest {
    /// The target in a file, if one is asked for.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::File`] if it cannot be read.
    pub fn read_target(&self, notes: &mut dyn Notes) -> Result<Option<ControlMesh>> {
        let FitTarget::File(path) = &self.to else { return Ok(None) };
        let (mesh, report) = crate::io::read_mesh(path, Default::default())?;
        if let Some(left_out) = report.left_out() {
            notes.warn(format!("{}: left out: {left_out}", path.display()).into());
        }
        Ok(Some(mesh))
    }

    /// Refines a mesh of curved cells once, with vertices in their middles, unless
    /// [`FitTarget::Corners`] is asked for. Call it before [`FitRequest::run_solid`].
    ///
    /// # Errors
    /// As [`refined_by_nodes`].
    pub fn take_nodes(
        &self,
        mesh: &mut SolidMesh,
        nodes: &[CurvedNode],
        notes: &mut dyn Notes,
    ) -> Result<()> {
        if self.to == FitTarget::Corners || nodes.is_empty() {
            return Ok(());
        }
        *mesh = refined_by_nodes(mesh, nodes)?;
        let [points, cells] = [counted(nodes.len(), "point"), counted(mesh.cells.len(), "cell")];
        notes.status("Took", format!("{points} of curved cells as vertices: {cells}"));
        Ok(())
    }

    /// Fits a solid: moves its control points, and refines it where a tolerance asks for it. Creases,
    /// cell arrays and groups stay. `target` is what [`FitRequest::read_target`] returned.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Mesh`] for a target of another size, and where
    /// no control points have the limits. The mesh may be changed then.
    pub fn run_solid(
        &self,
        mesh: &mut SolidMesh,
        target: Option<&ControlMesh>,
        notes: &mut dyn Notes,
    ) -> Result<FitReport> {
        self.check()?;
        if !mesh.ghosts().is_empty() {
            return self.run_extended(mesh, target, notes);
        }
        let started = Instant::now();
        let mut topology = Topology::of_mesh(mesh)?;
        let mut skin = boundary_with_topology(mesh, &topology)?;
        let target = self.target(&skin, target, notes)?;
        let attributes = SOLID_ENTRIES * self.interpolated(&mesh.attributes);
        let products = SURFACE_ENTRIES * 3 * skin.points.len() + attributes;
        let backend = self.processor(products, notes)?;
        let mut limit = OrientedLimit::new(mesh)?;
        let before = least_before(&limit, mesh, notes)?;
        self.fit_attributes(mesh, &*backend)?;
        let mut projected = self.projected(&mesh.attributes);
        let mut start = PointRole::Vertices;
        let mut first: Option<SkinFit> = None;
        let mut levels = 0;
        let (fit, settled) = loop {
            let mut inside = Inside::new(mesh, Follow::Surface(&topology), limit.bounds()?);
            let fit = self.fit(
                &skin,
                Scheme::CatmullClark,
                (target.as_ref(), start, &*backend),
                (notes, (!self.no_untangle).then_some(&mut inside)),
            )?;
            let first = first.get_or_insert_with(|| fit.clone());
            if levels == self.max_levels || self.is_within(&fit) != Some(false) {
                let how = (&limit, !self.no_untangle);
                let settled = inside.settled(how, &fit.points, notes)?;
                break (merged(first, fit), settled);
            }
            mesh.points = inside.points(&fit.points)?;
            *mesh = refine_mesh(mesh, 1, VertexRule::default())?;
            for values in &mut projected {
                values.values = refined_values(&topology, values);
            }
            limit = OrientedLimit::new(mesh)?;
            topology = Topology::of_mesh(mesh)?;
            skin = boundary_with_topology(mesh, &topology)?;
            start = PointRole::Controls;
            levels += 1;
        };
        mesh.points = settled.points;
        set_projected(mesh, &projected)?;
        mesh.is_fitted = true;
        if self.distances {
            let mut values = vec![0.0; mesh.points.len()];
            let on_boundary =
                (0..mesh.points.len() as u32).filter(|&v| topology.is_boundary_vertex(v));
            let own = distances(&skin, Scheme::CatmullClark, &fit)?;
            on_boundary.zip(own).for_each(|(v, distance)| values[v as usize] = distance);
            set_distances(&mut mesh.attributes, values);
        }
        let volume = target.as_ref().and_then(|(target, _)| target.volume());
        Ok(FitReport {
            levels,
            determinant_before: Some(before),
            determinant: Some(settled.bound),
            folds: Some(settled.folds),
            ..self.report(fit, volume, started)
        })
    }

    /// Fits a surface by a scheme with limits: moves its control points, and refines it where a
    /// tolerance asks for it. Schemes of triangles cut its polygons first, with a warning.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Mesh`] for a target of another size, and where
    /// no control points have the limits. The mesh may be changed then.
    pub fn run_surface(
        &self,
        mesh: &mut SurfaceMesh,
        scheme: Scheme,
        target: Option<&ControlMesh>,
        notes: &mut dyn Notes,
    ) -> Result<FitReport> {
        self.check()?;
        if self.attributes == FitAttributes::Project {
            return Err(Error::request(message!(
                option("attributes", "project"),
                " is for solids: it takes integrals over the volume"
            ))
            .with_help(message!("give ", option("attributes", "interpolate"))));
        }
        let started = Instant::now();
        if let Some(cut) = Triangulation::of(mesh, scheme) {
            notes.warn(cut.notice().into());
            *mesh = cut.triangles(mesh)?;
        }
        let target = self.target(mesh, target, notes)?;
        let numbers = 3 * mesh.points.len() + self.interpolated(&mesh.attributes);
        let backend = self.processor(SURFACE_ENTRIES * numbers, notes)?;
        if self.interpolated(&mesh.attributes) > 0 {
            let rows = LimitSurface::of_mesh(mesh, scheme)?.vertex_masks();
            let system = LimitSystem::new(rows.positions().clone());
            interpolate(&system, &*backend, &mut mesh.attributes)?;
        }
        let mut start = PointRole::Vertices;
        let mut first: Option<SkinFit> = None;
        let mut levels = 0;
        let fit = loop {
            let to = (target.as_ref(), start, &*backend);
            let fit = self.fit(mesh, scheme, to, (notes, None))?;
            mesh.points.clone_from(&fit.points);
            let first = first.get_or_insert_with(|| fit.clone());
            if levels == self.max_levels || self.is_within(&fit) != Some(false) {
                break merged(first, fit);
            }
            let options =
                SurfaceOptions { scheme, levels: 1, method: Method::of(scheme), crease_rule: None };
            *mesh = refine_surface(mesh, &options)?;
            start = PointRole::Controls;
            levels += 1;
        };
        if self.distances {
            let values = distances(mesh, scheme, &fit)?;
            set_distances(&mut mesh.attributes, values);
        }
        let volume = target.as_ref().and_then(|(target, _)| target.volume());
        Ok(FitReport { levels, ..self.report(fit, volume, started) })
    }

    fn fit(
        &self,
        skin: &SurfaceMesh,
        scheme: Scheme,
        (target, start, backend): (Option<&(Target, TargetNotes)>, PointRole, &dyn Backend),
        (notes, inside): (&mut dyn Notes, Option<&mut Inside<'_>>),
    ) -> Result<SkinFit> {
        let options = SkinOptions { rounds: self.rounds, start, backend: Some(backend) };
        let target = target.map(|(target, _)| target);
        let mut steps = Steps { notes, rounds: self.rounds, inside };
        fit_skin(skin, scheme, target, options, &mut steps)
    }

    /// The processor of linear systems of `products` products; says which one it is where
    /// the choice is left open.
    fn processor(&self, products: usize, notes: &mut dyn Notes) -> Result<Box<dyn Backend>> {
        let cost = Cost::interpolation(products);
        backend_for(self.backend, &cost, notes)
    }

    /// Point arrays that are projected, with their values at the vertices.
    fn projected(&self, attributes: &[Attribute]) -> Vec<Attribute> {
        let is_wanted = self.attributes == FitAttributes::Project;
        attributes.iter().filter(|a| is_wanted && !a.is_normals()).cloned().collect()
    }

    /// Numbers of attributes that are interpolated.
    fn interpolated(&self, attributes: &[Attribute]) -> usize {
        if self.attributes != FitAttributes::Interpolate {
            return 0;
        }
        attributes.iter().filter(|a| !a.is_normals()).map(|a| a.values.len()).sum()
    }

    /// The target of a boundary.
    fn target(
        &self,
        skin: &SurfaceMesh,
        given: Option<&ControlMesh>,
        notes: &mut dyn Notes,
    ) -> Result<Option<(Target, TargetNotes)>> {
        let angle = self.feature_angle;
        let (target, noted) = match (&self.to, given) {
            (FitTarget::Vertices | FitTarget::Corners, None) => return Ok(None),
            (FitTarget::Facets, None) => Target::of_facets(skin, angle)?,
            (_, Some(ControlMesh::Surface(mesh))) => match self.target_scheme {
                Some(scheme) => Target::of_limit(mesh, scheme)?,
                None => Target::of_facets(mesh, angle)?,
            },
            (_, Some(ControlMesh::Solid(mesh))) => {
                let boundary = boundary_with_topology(mesh, &Topology::of_mesh(mesh)?)?;
                Target::of_limit(&boundary, Scheme::CatmullClark)?
            }
            (FitTarget::File(_), None) => {
                return Err(Error::request("the target was not read")
                    .with_help("give what FitRequest::read_target returns"));
            }
        };
        let [own, other] = [bounds::around(skin.points.iter().copied()), target.bounds()];
        let [a, b] = [own, other].map(|bounds: Bounds| bounds::longest_side(bounds));
        if !(a <= MAX_SIZE_RATIO * b && b <= MAX_SIZE_RATIO * a) {
            return Err(Error::mesh(format!(
                "the model is {} long and the target {}: they are in different length units",
                significant(a),
                significant(b)
            ))
            .with_help("scale one of them"));
        }
        if noted.open_edges > 0 {
            notes.warn(format!(
                "the target is open: {} of one face; parts of the limit without a target keep to the vertices",
                counted(noted.open_edges, "edge")
            ).into());
        }
        if noted.is_reversed {
            notes.warn(
                "the faces of the target are listed inward: they are turned".to_owned().into(),
            );
        }
        Ok(Some((target, noted)))
    }

    /// Control values of the attributes of a solid.
    fn fit_attributes(&self, mesh: &mut SolidMesh, backend: &dyn Backend) -> Result<()> {
        if self.interpolated(&mesh.attributes) == 0 {
            return Ok(());
        }
        let system = LimitSystem::new(Solid::new(mesh)?.limit_matrix());
        interpolate(&system, backend, &mut mesh.attributes)
    }

    /// Whether a fit to a target is within the tolerance.
    fn is_within(&self, fit: &SkinFit) -> Option<bool> {
        let tolerance = self.tolerance?;
        let all = fit.target.iter().map(|target| target[2]).chain(fit.target_from_limit);
        Some(all.fold(0.0f64, |most, one| most.max(one.max)) <= tolerance)
    }

    fn report(&self, fit: SkinFit, target_volume: Option<f64>, started: Instant) -> FitReport {
        FitReport {
            within_tolerance: self.is_within(&fit),
            target: fit.target,
            target_from_limit: fit.target_from_limit,
            creases: fit.creases,
            rounds: fit.rounds,
            volume: fit.volume,
            target_volume,
            drift: fit.drift,
            unmatched_length: fit.unmatched_length,
            ..FitReport::of_vertices(fit.vertices, started)
        }
    }
}

/// The least determinant of a mesh that is to be fitted.
fn least_before(
    limit: &OrientedLimit,
    mesh: &SolidMesh,
    notes: &mut dyn Notes,
) -> Result<LeastDeterminant> {
    // the longest step for tetrahedra
    notes.status("Bounding", format!("det J on {}", counted(limit.element_count(), "element")));
    Ok(limit.bounds()?.least(&mesh.points))
}

/// The last fit with the state before the first one.
fn merged(first: &SkinFit, mut last: SkinFit) -> SkinFit {
    last.vertices[0] = first.vertices[0];
    last.volume[0] = first.volume[0];
    if let (Some(first), Some(last)) = (first.target, &mut last.target) {
        last[..2].copy_from_slice(&first[..2]);
    }
    if let (Some(first), Some(last)) = (first.creases, &mut last.creases) {
        last[0] = first[0];
    }
    last
}

/// Values whose limit at the vertices of a surface are the distances from the target.
fn distances(mesh: &SurfaceMesh, scheme: Scheme, fit: &SkinFit) -> Result<Vec<f64>> {
    let rows = LimitSurface::of_mesh(mesh, scheme)?.vertex_masks();
    LimitSystem::new(rows.positions().clone())
        .solve(&fit.distances, 1)
        .map_err(|error| error.with_help("the array of distances: leave it out, or refine first"))
}

/// Adds the array of distances, in place of one before.
fn set_distances(attributes: &mut Vec<Attribute>, values: Vec<f64>) {
    attributes.retain(|attribute| attribute.name != DISTANCES);
    attributes.push(Attribute { name: DISTANCES.into(), width: 1, values });
}

/// Gives arrays the control values of the fields nearest to their values at the vertices.
fn set_projected(mesh: &mut SolidMesh, values: &[Attribute]) -> Result<()> {
    let found = project_attributes(mesh, values).map_err(|error| {
        error.with_help(message!(
            "interpolate the arrays (",
            option("attributes", "interpolate"),
            "), or unfold the cells"
        ))
    })?;
    let own = mesh.attributes.iter_mut().filter(|attribute| !attribute.is_normals());
    own.zip(found).for_each(|(attribute, controls)| attribute.values = controls);
    Ok(())
}

/// Makes values at vertices control values.
fn interpolate(
    system: &LimitSystem,
    backend: &dyn Backend,
    attributes: &mut [Attribute],
) -> Result<()> {
    let mut solver = system.solver(backend)?;
    for attribute in attributes.iter_mut().filter(|attribute| !attribute.is_normals()) {
        attribute.values = solver.solve(&attribute.values, attribute.width).map_err(|error| {
            error.with_help(message!(
                format!("the array {:?}: keep its values as control values (", attribute.name),
                option("attributes", "keep"),
                "), or refine first"
            ))
        })?;
    }
    Ok(())
}
