//! Refinement, stencils and limits of surfaces as operations of backends.

use super::Values;
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::scheme::Scheme;
use crate::surface::refine::memory::check_corner_ids;
use crate::surface::triangulate::Triangulation;
use crate::surface::{Method, SurfaceOptions, SurfacePlan, VertexLimits};
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

    /// The refined mesh of `mesh`, which is that of the plan or one of the same connectivity, with
    /// attributes, texture coordinates and creases.
    ///
    /// # Errors
    /// Those of [`SurfacePlan::refine`]; if a device fails.
    fn refine(&mut self, mesh: &SurfaceMesh) -> Result<SurfaceMesh>;

    /// The limit of all vertices of `refined`, the refined mesh of `mesh`.
    ///
    /// # Errors
    /// Those of [`SurfacePlan::vertex_limits`]; if a device fails.
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

/// Points of a surface on a processor, for any control points: those of stencils, of a grid, at
/// places or at the vertices. Made by [`Backend`](super::Backend).
///
/// The order of calls is [`Self::set_controls`], [`Self::evaluate`], [`Self::read`]. Each may be
/// called again without those before it: control points stay until others are set, and results stay
/// where they are computed until the next evaluation.
pub trait SurfaceEvaluator {
    /// Takes positions of the control mesh.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of them; if a device fails.
    fn set_controls(&mut self, points: &[[f64; 3]]) -> Result<()>;

    /// Evaluates all points; returns the seconds that it took on the processor.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if no control points were set; if a device fails.
    fn evaluate(&mut self) -> Result<f64>;

    /// Copies the results of the last evaluation, in memory that is used again.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if a device fails.
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
    if check_corner_ids(mesh, options).is_err() {
        return false;
    }
    let rules = options.scheme.rules();
    if !options.method.is_stencils() && rules.has_triangle_rule() && mesh.has_smooth_triangles() {
        return false;
    }
    match options.method {
        Method::Auto if !rules.has_matrix_pass() => options.levels >= 1,
        Method::Auto | Method::Matrix => {
            options.levels >= 1
                && rules.has_matrix_pass()
                && !rules.is_linear()
                && (rules.split().is_nested() || can_turn_edges(mesh, options.scheme))
        }
        Method::EdgeFriend => options.levels >= 2 && rules.has_edge_friend(),
        Method::Single => options.levels >= 1,
        Method::Static => (1..=7).contains(&options.levels) && rules.has_static_refinement(),
    }
}

/// Whether a GPU refines a surface by a scheme that turns edges: whether it is, cut into triangles,
/// an oriented manifold without rings of two triangles.
fn can_turn_edges(mesh: &SurfaceMesh, scheme: Scheme) -> bool {
    if mesh.check().is_err() {
        return false;
    }
    let triangles = Triangulation::of(mesh, scheme).and_then(|cut| cut.triangles(mesh).ok());
    let matrix = SurfaceTopology::of(triangles.as_ref().unwrap_or(mesh));
    let is_inner = |c: u32| matrix.edge_corners[matrix.edges[c as usize] as usize][1] != NONE;
    let inner = |c: u32| is_inner(c) && is_inner(matrix.columns.previous(c));
    let folds = |row: &[u32]| row.len() == 2 && row.iter().all(|&c| inner(c));
    matrix.is_oriented()
        && non_manifold_corners(&matrix).is_empty()
        && !matrix.vertex_corners().iter().any(folds)
}
