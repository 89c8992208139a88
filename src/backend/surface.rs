//! Refinement, stencils and limits of surfaces as operations of backends.

use super::Values;
use crate::error::{Error, Result, option};
use crate::mesh::SurfaceMesh;
use crate::plan::Want;
use crate::surface::limit::{LimitSurface, SurfaceGrid, SurfaceLocation, VertexMasks};
use crate::surface::plan::{RefinementInput, check_method, decided};
use crate::surface::refine::refined_counts::check_corner_ids;
use crate::surface::{Method, SurfaceOptions, SurfacePlan, SurfaceStencils, VertexLimits};
use crate::topology::NONE;
use crate::topology::surface::{SurfaceTopology, non_manifold_corners};

/// The plan of a refined surface on a processor: the topology of all levels, for any control
/// points. Made by [`Backend::refine_surface`](super::Backend::refine_surface).
///
/// Every backend numbers vertices and faces alike, and gives the same bits. [`Self::refine`] comes
/// first, as [`Self::vertex_limits`] takes its result; both may be called again, for other meshes
/// of the same connectivity.
pub trait SurfaceRefiner {
    /// What the user should know of the mesh although it does not stop the refinement.
    fn notices(&self) -> &[String];

    /// The refined mesh of `mesh`, the mesh of the plan or one of the same connectivity, with
    /// attributes, texture coordinates and creases.
    ///
    /// # Errors
    /// As [`SurfacePlan::refine`]; if a device fails.
    fn refine(&mut self, mesh: &SurfaceMesh) -> Result<SurfaceMesh>;

    /// The limit of all vertices of `refined`, the refined mesh of `mesh`.
    ///
    /// # Errors
    /// As [`SurfacePlan::vertex_limits`]; if a device fails.
    fn vertex_limits(&mut self, mesh: &SurfaceMesh, refined: &SurfaceMesh) -> Result<VertexLimits>;
}

impl SurfaceRefiner for SurfacePlan {
    fn notices(&self) -> &[String] {
        self.notices()
    }

    fn refine(&mut self, mesh: &SurfaceMesh) -> Result<SurfaceMesh> {
        SurfacePlan::refine(self, mesh)
    }

    fn vertex_limits(&mut self, mesh: &SurfaceMesh, refined: &SurfaceMesh) -> Result<VertexLimits> {
        SurfacePlan::vertex_limits(self, mesh, refined)
    }
}

/// What of a surface a [`SurfaceEvaluator`] evaluates.
#[derive(Clone, Copy, Debug)]
pub enum SurfaceTask<'s> {
    /// The points of a level, in the order of the plan's vertices.
    Stencils(&'s SurfaceStencils),
    /// Limit points of all elements, `[element][sample]`; first derivatives and normals if the grid
    /// has them.
    Grid(&'s SurfaceGrid<'s>),
    /// Limit points at places, with the derivatives wanted.
    Places(&'s LimitSurface, &'s [SurfaceLocation], Want),
    /// Limit positions and unit normals of all vertices.
    Vertices(&'s VertexMasks),
}

/// Points of a surface on a processor, for any control points. Made by
/// [`Backend::prepare_surface`](super::Backend::prepare_surface).
///
/// The order of calls is [`Self::set_controls`], [`Self::evaluate`], [`Self::read`]. Each may be
/// called again without those before it: control points stay until others are set, and results stay
/// where they are computed until the next evaluation.
pub trait SurfaceEvaluator {
    /// Takes positions of the control mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them; if a device fails.
    fn set_controls(&mut self, points: &[[f64; 3]]) -> Result<()>;

    /// Evaluates all points; returns the seconds that it took on the processor.
    ///
    /// # Errors
    /// [`Error::Request`] if no control points were set; if a device fails.
    fn evaluate(&mut self) -> Result<f64>;

    /// Copies the results of the last evaluation, in memory that is used again.
    ///
    /// # Errors
    /// [`Error::Request`] if a device fails.
    fn read(&self, results: &mut SurfaceResults) -> Result<()>;
}

/// Points of a surface, in the precision they were computed in. NaN where something does not
/// exist.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceResults {
    /// `[point][3]`.
    pub positions: Values,
    /// Derivatives by u, v, then uu, uv, vv, as far as they were wanted, each `[point][3]`.
    pub derivatives: Vec<Values>,
    /// Unit normals `[point][3]`; empty if they were not wanted.
    pub normals: Values,
}

/// Whether a surface is refined on GPUs: by Catmull-Clark and Loop on the mesh matrix from one
/// level on, by edge-friend from two, by √3 if it is an oriented manifold without rings of two
/// triangles; by stencils whatever the CPU makes some of, static ones up to level 7. Smooth
/// triangles are refined there by stencils alone. All corners have ids of 32 bits there.
pub fn runs_on_gpu(mesh: &SurfaceMesh, options: &SurfaceOptions) -> bool {
    // what edge-friend refines, the mesh matrix does too
    let options = &decided(options, || false);
    // what the points of static stencils refuse themselves, once they are made
    let is_too_fine = options.method == Method::Static && options.levels > 7;
    let turns_edges = !options.scheme.split().is_nested() && !options.method.is_stencils();
    check_on_gpu(mesh, options).is_ok()
        && !is_too_fine
        && (!turns_edges || can_turn_edges(mesh, options))
}

/// Refuses what GPUs do not refine by a method, which was [`decided`], as far as no topology is
/// needed.
pub(super) fn check_on_gpu(mesh: &SurfaceMesh, options: &SurfaceOptions) -> Result<()> {
    check_method(options)?;
    check_corner_ids(mesh, options)?;
    let rules = options.scheme.rules();
    let method = options.method;
    if method == Method::Matrix && rules.is_linear() {
        return Err(Error::request(format!(
            "{} by the mesh matrix on a GPU: it has no kernel, as its points are copies and means \
             of two that cost less than their way to the device",
            rules.name()
        ))
        .with_help(message!("refine on the CPU, or use ", option("method", "single"))));
    }
    let least = if method == Method::EdgeFriend { 2 } else { 1 };
    if options.levels < least {
        return Err(Error::request(format!("{} levels on a GPU", options.levels))
            .with_help(format!("ask for {least} or more, or refine on the CPU")));
    }
    if !method.is_stencils() && rules.has_triangle_rule() && mesh.has_smooth_triangles() {
        return Err(Error::request("smooth triangles on a GPU, level by level")
            .with_help(message!("refine on the CPU, or use ", option("method", "single"))));
    }
    Ok(())
}

/// Whether a GPU refines a surface by a scheme that turns edges: whether it is, cut into triangles,
/// an oriented manifold without rings of two triangles.
fn can_turn_edges(mesh: &SurfaceMesh, options: &SurfaceOptions) -> bool {
    if mesh.check().is_err() {
        return false;
    }
    let Ok(input) = RefinementInput::new(mesh, options) else { return false };
    let topology = SurfaceTopology::of(&input.mesh);
    let is_inner = |c: u32| topology.edge_corners[topology.edges[c as usize] as usize][1] != NONE;
    let inner = |c: u32| is_inner(c) && is_inner(topology.columns.previous(c));
    let folds = |row: &[u32]| row.len() == 2 && row.iter().all(|&c| inner(c));
    topology.is_oriented()
        && non_manifold_corners(&topology).is_empty()
        && !topology.vertex_corners().iter().any(folds)
}
