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

use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{Notes, gpu_for};
use crate::backend::{Backend, Choice, Cpu};
use crate::error::{Error, Result, option};
use crate::fit::{
    Deviation, LimitSystem, SkinFit, SkinOptions, Start, Target, TargetNotes, fit_skin,
    move_inside, refined_by_nodes,
};
use crate::io::{ControlMesh, CurvedNode};
use crate::limit::Solid;
use crate::mesh::{Attribute, SolidMesh, SurfaceMesh};
use crate::numbers::bounds::{self, Bounds};
use crate::numbers::{by_count, counted, significant};
use crate::plan::Cost;
use crate::refine::refine_mesh;
use crate::scheme::{Scheme, VertexRule};
use crate::surface::limit::LimitSurface;
use crate::surface::triangulate::Triangulation;
use crate::surface::{Method, SurfaceOptions, boundary_with_topology, refine_surface};
use crate::topology::Topology;
use crate::untangle::{
    LeastDeterminant, LimitFolds, least_determinant, limit_folds, untangle_limit,
};

/// Times by which the boxes of a part and of its target may differ.
const MAX_SIZE_RATIO: f64 = 10.0;
/// Entries of a row of limit masks, of regular surfaces and solids.
const SURFACE_ENTRIES: usize = 9;
const SOLID_ENTRIES: usize = 27;

/// Name of the array of distances from the target.
const DISTANCES: &str = "fit_distance";

/// What is fitted to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FitTarget {
    /// The vertices of the mesh, and the middles of edges, faces and insides of its curved cells: the
    /// limit passes through them.
    #[default]
    Vertices,
    /// The vertices alone.
    Corners,
    /// The boundary faces of the mesh, flat or bilinear.
    Facets,
    /// Another mesh: the facets of a surface, the limit of a solid.
    File(PathBuf),
}

impl std::str::FromStr for FitTarget {
    type Err = std::convert::Infallible;

    /// `vertices`, `corners`, `facets`, or the name of a file.
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        Ok(match text {
            "vertices" => Self::Vertices,
            "corners" => Self::Corners,
            "facets" => Self::Facets,
            file => Self::File(file.into()),
        })
    }
}

/// What becomes of arrays at the vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum FitAttributes {
    /// The limit takes their values at the vertices.
    #[default]
    Interpolate,
    /// They stay the values of control points.
    Keep,
}

/// What is asked of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct FitRequest {
    /// What to fit to: `vertices` (the limit passes through those of the model; where its cells are
    /// curved it is refined once, and passes through the middles of their edges, faces and insides:
    /// the nodes of quadratic cells), `corners` (vertices alone), `facets` (the boundary faces of the
    /// model as they are), or a file: .stl, .obj, .ply or .off, whose faces are taken as they are, or
    /// a solid, whose limit is taken
    #[cfg_attr(feature = "cli", arg(long, value_name = "TARGET", default_value = "vertices"))]
    pub to: FitTarget,
    /// Take the limit of a target surface by this scheme, not its faces
    #[cfg_attr(feature = "cli", arg(long, value_name = "SCHEME", value_parser = Scheme::named))]
    pub target_scheme: Option<Scheme>,
    /// Edges of a target without creases are feature lines where its faces turn by more than this
    /// angle, in degrees, 0 to 180
    #[cfg_attr(feature = "cli", arg(long, value_name = "DEG", default_value_t = 40.0))]
    pub feature_angle: f64,
    /// Rounds of least squares to a target at most, 1 to 100
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 6))]
    pub rounds: usize,
    /// Refine and fit again until no point of the limit or the target is farther than this from the
    /// other, in length units; exit code 1 if that is not reached
    #[cfg_attr(feature = "cli", arg(long, value_name = "T"))]
    pub tolerance: Option<f64>,
    /// Refinements at most to reach --tolerance, 0 to 4
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 2))]
    pub max_levels: usize,
    /// What becomes of point arrays
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub attributes: FitAttributes,
    /// Add the distance of the limit from the target as the point array `fit_distance`, positive
    /// outside, in length units; 0 at inner vertices
    #[cfg_attr(feature = "cli", arg(long))]
    pub distances: bool,
    /// Leave inner vertices where the move of the boundary takes them, though cells be folded
    #[cfg_attr(feature = "cli", arg(long))]
    pub no_untangle: bool,
    /// Processor of linear systems: auto (the fastest for this job), cpu, cuda or cuda:N; results are
    /// equal bit by bit
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
}

impl Default for FitRequest {
    fn default() -> Self {
        Self {
            to: FitTarget::default(),
            target_scheme: None,
            feature_angle: 40.0,
            rounds: SkinOptions::default().rounds,
            tolerance: None,
            max_levels: 2,
            attributes: FitAttributes::default(),
            distances: false,
            no_untangle: false,
            backend: Choice::default(),
        }
    }
}

/// What a fit did. Lengths are in length units; pairs are before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FitReport {
    /// Distances of the limit from the vertices of the mesh: as control points, and fitted (to
    /// the vertices themselves 0 up to rounding).
    pub vertices: [Deviation; 2],
    /// Distances of the limit from the target: as control points, through the vertices, fitted; null
    /// without a target.
    pub target: Option<[Deviation; 3]>,
    /// Distances of the target from the fitted limit; null without a target.
    pub target_from_limit: Option<Deviation>,
    /// Root mean square distances from the target, before each round and after the last, of the last
    /// level.
    pub rounds: Vec<f64>,
    /// Volume inside the limit, in cubed length units; 0 for open surfaces.
    pub volume: [f64; 2],
    /// Volume inside the target; null without one, and where it is open.
    pub target_volume: Option<f64>,
    /// Largest move of the limit at a vertex along the surface, in lengths of its edges.
    pub drift: f64,
    /// Length of feature lines of the target that no crease of the mesh follows.
    pub unmatched_length: f64,
    /// Number of refinements.
    pub levels: usize,
    /// Bound of det J of the limit as a control mesh; null for surfaces.
    pub determinant_before: Option<LeastDeterminant>,
    /// Bound of det J of the fitted limit; null for surfaces.
    pub determinant: Option<LeastDeterminant>,
    /// Folded cells of the fitted limit; null for surfaces.
    pub folds: Option<LimitFolds>,
    /// Whether all distances are within the tolerance; null without one.
    pub within_tolerance: Option<bool>,
    /// Duration in seconds.
    pub seconds: f64,
}

impl FitReport {
    /// Whether the tolerance is missed, or cells are folded: what is wrong, in words.
    pub fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        if self.within_tolerance == Some(false) {
            let deviations = self.target.iter().map(|t| t[2]).chain(self.target_from_limit);
            let most = deviations.fold(self.vertices[1], |a, b| if b.max > a.max { b } else { a });
            let [x, y, z] = most.at.map(significant);
            missed.push(format!(
                "the tolerance is missed by most at x {x} y {y} z {z}: {}",
                significant(most.max)
            ));
        }
        if let Some(found) = self.folds.filter(|found| found.folded > 0) {
            missed.push(format!(
                "{} of the limit {} folded at 5³ Gauss points (least scaled Jacobian {})",
                counted(found.folded, "cell"),
                by_count(found.folded, "is", "are"),
                significant(found.least)
            ));
        }
        if let Some(found) = self.determinant.filter(|found| found.folded > 0) {
            missed.push(format!(
                "{} of the limit {} folded (the worst: {}); cells at concave creases between two cells \
                 always are",
                counted(found.folded, "element"),
                by_count(found.folded, "is", "are"),
                found.element
            ));
        }
        missed
    }
}

impl FitRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// [`Error::Request`] for numbers out of range, and for options that have no effect.
    pub fn check(&self) -> Result<()> {
        let refuse = |name, value: String, help: &str| {
            Err(Error::request(message!(option(name, value), " is out of range")).with_help(help))
        };
        if !(0.0..=180.0).contains(&self.feature_angle) {
            return refuse(
                "feature_angle",
                self.feature_angle.to_string(),
                "give 0 to 180 degrees",
            );
        }
        if !(1..=100).contains(&self.rounds) {
            return refuse("rounds", self.rounds.to_string(), "give 1 to 100");
        }
        if self.max_levels > 4 {
            return refuse("max_levels", self.max_levels.to_string(), "give 0 to 4");
        }
        if let Some(tolerance) = self.tolerance.filter(|&t| !(t.is_finite() && t > 0.0)) {
            return refuse("tolerance", tolerance.to_string(), "give a positive length");
        }
        if matches!(self.to, FitTarget::Vertices | FitTarget::Corners) {
            for (is_given, name) in [
                (self.tolerance.is_some(), "tolerance"),
                (self.target_scheme.is_some(), "target_scheme"),
                (self.distances, "distances"),
            ] {
                if is_given {
                    return Err(Error::request(message!(
                        crate::error::option_name(name),
                        " is for fits to a target"
                    ))
                    .with_help(message!(
                        "give ",
                        option("to", "facets"),
                        " or a file"
                    )));
                }
            }
        }
        Ok(())
    }

    /// The target in a file, if one is asked for.
    ///
    /// # Errors
    /// Those of reading it.
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
    /// Those of [`refined_by_nodes`].
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
    /// Those of [`FitRequest::check`], [`fit_skin`], [`untangle_limit`] and of `notes`;
    /// [`Error::Mesh`] for a target of another size. The mesh may be changed then.
    pub fn run_solid(
        &self,
        mesh: &mut SolidMesh,
        target: Option<&ControlMesh>,
        notes: &mut dyn Notes,
    ) -> Result<FitReport> {
        self.check()?;
        let started = Instant::now();
        let mut topology = Topology::of_mesh(mesh)?;
        let mut skin = boundary_with_topology(mesh, &topology)?;
        let target = self.target(&skin, target, notes)?;
        let attributes = SOLID_ENTRIES * self.interpolated(&mesh.attributes);
        let products = SURFACE_ENTRIES * 3 * skin.points.len() + attributes;
        let backend = self.processor(products, notes)?;
        let before = least_determinant(mesh)?;
        self.fit_attributes(mesh, &*backend)?;
        let mut start = Start::Vertices;
        let mut first: Option<SkinFit> = None;
        let mut levels = 0;
        let fit = loop {
            let fit =
                self.fit(&skin, Scheme::CatmullClark, (target.as_ref(), start, &*backend), notes)?;
            let on_boundary = |v: &u32| topology.is_boundary_vertex(*v);
            let kept = (0..mesh.points.len() as u32).filter(on_boundary);
            let mut moves = vec![[0.0; 3]; mesh.points.len()];
            for (v, point) in kept.zip(&fit.points) {
                let from = mesh.points[v as usize];
                moves[v as usize] = std::array::from_fn(|d| point[d] - from[d]);
            }
            move_inside(&topology, &mesh.points, &mut moves)?;
            for (point, moved) in mesh.points.iter_mut().zip(&moves) {
                *point = std::array::from_fn(|d| point[d] + moved[d]);
            }
            let first = first.get_or_insert_with(|| fit.clone());
            if levels == self.max_levels || self.is_within(&fit) != Some(false) {
                break merged(first, fit);
            }
            *mesh = refine_mesh(mesh, 1, VertexRule::default())?;
            topology = Topology::of_mesh(mesh)?;
            skin = boundary_with_topology(mesh, &topology)?;
            start = Start::Controls;
            levels += 1;
        };
        let mut bound = least_determinant(mesh)?;
        let mut folds = None;
        if bound.negative > 0 && !self.no_untangle {
            let most = crate::untangle::MAX_LIMIT_ROUNDS;
            let mut round = 0;
            let done = untangle_limit(mesh, |_| {
                round += 1;
                notes.progress(round, most)
            })?;
            notes.status(
                "Untangled",
                format!(
                    "{} of {} that may be folded: {} moved",
                    done.before.negative.saturating_sub(done.after.negative),
                    counted(done.before.negative, "element"),
                    counted(done.moved, "vertex")
                ),
            );
            (bound, folds) = (done.after, Some(done.folds));
        }
        let folds = folds.map_or_else(|| limit_folds(mesh), Ok)?;
        mesh.is_fitted = true;
        if self.distances {
            let mut values = vec![0.0; mesh.points.len()];
            let on_boundary =
                (0..mesh.points.len() as u32).filter(|&v| topology.is_boundary_vertex(v));
            let own = distances(&skin, Scheme::CatmullClark, &fit)?;
            on_boundary.zip(own).for_each(|(v, distance)| values[v as usize] = distance);
            set_distances(&mut mesh.attributes, values);
        }
        let volume = target
            .as_ref()
            .and_then(|(target, notes)| (notes.open_edges == 0).then(|| target.volume()));
        Ok(FitReport {
            levels,
            determinant_before: Some(before),
            determinant: Some(bound),
            folds: Some(folds),
            ..self.report(fit, volume, started)
        })
    }

    /// Fits a surface by a scheme with limits: moves its control points, and refines it where a
    /// tolerance asks for it. Schemes of triangles cut its polygons first, with a warning.
    ///
    /// # Errors
    /// Those of [`FitRequest::check`], [`fit_skin`] and of `notes`; [`Error::Mesh`] for a target of
    /// another size. The mesh may be changed then.
    pub fn run_surface(
        &self,
        mesh: &mut SurfaceMesh,
        scheme: Scheme,
        target: Option<&ControlMesh>,
        notes: &mut dyn Notes,
    ) -> Result<FitReport> {
        self.check()?;
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
        let mut start = Start::Vertices;
        let mut first: Option<SkinFit> = None;
        let mut levels = 0;
        let fit = loop {
            let fit = self.fit(mesh, scheme, (target.as_ref(), start, &*backend), notes)?;
            mesh.points.clone_from(&fit.points);
            let first = first.get_or_insert_with(|| fit.clone());
            if levels == self.max_levels || self.is_within(&fit) != Some(false) {
                break merged(first, fit);
            }
            let options =
                SurfaceOptions { scheme, levels: 1, method: Method::of(scheme), crease_rule: None };
            *mesh = refine_surface(mesh, &options)?;
            start = Start::Controls;
            levels += 1;
        };
        if self.distances {
            let values = distances(mesh, scheme, &fit)?;
            set_distances(&mut mesh.attributes, values);
        }
        let volume = target
            .as_ref()
            .and_then(|(target, notes)| (notes.open_edges == 0).then(|| target.volume()));
        Ok(FitReport { levels, ..self.report(fit, volume, started) })
    }

    fn fit(
        &self,
        skin: &SurfaceMesh,
        scheme: Scheme,
        (target, start, backend): (Option<&(Target, TargetNotes)>, Start, &dyn Backend),
        notes: &mut dyn Notes,
    ) -> Result<SkinFit> {
        let options = SkinOptions { rounds: self.rounds, start, backend: Some(backend) };
        let target = target.map(|(target, _)| target);
        fit_skin(skin, scheme, target, options, |round| notes.progress(round, self.rounds))
    }

    /// The processor of linear systems of so many products; says which one it is where the choice is
    /// left open.
    fn processor(&self, products: usize, notes: &mut dyn Notes) -> Result<Box<dyn Backend>> {
        let cost = Cost::interpolation(products);
        let gpu = gpu_for(self.backend, &cost, notes)?;
        Ok(gpu.unwrap_or_else(|| Box::new(Cpu::default())))
    }

    /// Numbers of attributes that are interpolated.
    fn interpolated(&self, attributes: &[Attribute]) -> usize {
        if self.attributes == FitAttributes::Keep {
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
        if noted.is_turned {
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
            vertices: fit.vertices,
            target: fit.target,
            target_from_limit: fit.target_from_limit,
            rounds: fit.rounds,
            volume: fit.volume,
            target_volume,
            drift: fit.drift,
            unmatched_length: fit.unmatched_length,
            levels: 0,
            determinant_before: None,
            determinant: None,
            folds: None,
            seconds: started.elapsed().as_secs_f64(),
        }
    }
}

/// The last fit with what was before the first one.
fn merged(first: &SkinFit, mut last: SkinFit) -> SkinFit {
    last.vertices[0] = first.vertices[0];
    last.volume[0] = first.volume[0];
    if let (Some(first), Some(last)) = (first.target, &mut last.target) {
        last[..2].copy_from_slice(&first[..2]);
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
