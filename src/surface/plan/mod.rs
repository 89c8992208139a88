//! The topology of a refinement, built once, evaluated often.

mod adaptive;
mod face_varying;
mod input;
mod limits;
mod method;
mod places;
pub(crate) mod result;
mod stencils;

pub use adaptive::{AdaptiveLimits, adaptive_limits};
#[cfg(feature = "device")]
pub(crate) use limits::limits_of;

use super::options::{Method, SurfaceOptions};
use super::refine::Workspace;
use super::refine::edge_friend::EdgeFriend;
use super::refine::matrix::MatrixLevels;
use super::refine::reference;
use super::refine::refined_counts::check_ids;
use super::refine::sharpness::LevelSharpness;
use super::refine::three_triangles::ThreeTriangleLevels;
use super::stencils::SurfaceStencils;
use super::stencils::single::SingleMatrix;
use super::triangulate::Triangulation;
use crate::error::{Error, Result, option};
use crate::mesh::{SurfaceMesh, check_point_count};
use crate::numbers::{Real, by_count, counted};
use crate::scheme::Stencils;
use crate::scheme::point::Point;
use crate::scheme::{LimitScheme, Scheme, Split};
use crate::topology::surface::{Columns, SurfaceTopology, non_manifold_edges};
pub(crate) use input::RefinementInput;
use method::edge_friend_pays;
#[cfg(feature = "device")]
pub(crate) use method::takes_edge_friend;
pub(crate) use method::{check_method, decided};
use std::sync::Arc;

/// All levels of a refinement.
#[derive(Clone, Debug)]
pub struct SurfacePlan {
    pub(super) options: SurfaceOptions,
    pub(super) control_vertices: usize,
    pub(super) levels: PlanLevels,
    /// As it was asked for, before `Auto` was decided.
    requested: Method,
    stencils: Option<Arc<SurfaceStencils>>,
    notices: Vec<String>,
    /// Level-0 faces (of triangles, if the scheme wants them), for holes and texture
    /// coordinates.
    pub(crate) control_columns: Columns,
    // how its polygons are cut first
    pub(crate) triangulation: Option<Triangulation>,
}

#[derive(Clone, Debug)]
pub(super) enum PlanLevels {
    Matrix(MatrixLevels),
    EdgeFriend(EdgeFriend),
    ThreeTriangles(ThreeTriangleLevels),
}

impl SurfacePlan {
    /// Builds the topology of all levels; positions are only checked to be finite, and where
    /// polygons are cut into triangles.
    ///
    /// # Errors
    /// As [`SurfaceMesh::check`]; [`Error::Mesh`] for creases that are not edges, and
    /// for what the scheme or method cannot refine (see the [module](super));
    /// [`Error::Request`] for more than 2³² vertices or faces of a level (by edge-friend corners),
    /// or if a method does not know the scheme.
    pub fn new(mesh: &SurfaceMesh, options: &SurfaceOptions) -> Result<Self> {
        Self::build(mesh, options, None)
    }

    /// Plans again with the same options, for a mesh whose topology was edited. The lists of
    /// Catmull-Clark and Loop on the mesh matrix take the memory of this plan where it is
    /// enough: the first touch of fresh memory costs as much as writing it. √3 sorts
    /// every level anew.
    ///
    /// # Errors
    /// As [`SurfacePlan::new`].
    pub fn plan_again(self, mesh: &SurfaceMesh) -> Result<Self> {
        let options = SurfaceOptions { method: self.requested, ..self.options };
        Self::build(mesh, &options, Some(self.levels))
    }

    fn build(
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
        spare: Option<PlanLevels>,
    ) -> Result<Self> {
        mesh.check()?;
        mesh.check_control()?;
        let requested = options.method;
        check_method(options)?;
        check_ids(mesh, options)?;
        let RefinementInput { mesh, triangulation, rule, mut notices } =
            RefinementInput::new(mesh, options)?;
        let mesh = mesh.as_ref();
        let topology = SurfaceTopology::of(mesh);
        let columns = topology.columns.clone();
        notices.extend(non_manifold_notice(options.scheme, non_manifold_edges(&topology).count()));
        let levels = options.levels;
        let options = &decided(options, || edge_friend_pays(options, mesh, &topology));
        let is_edge_friend = options.method == Method::EdgeFriend;
        let levels = match options.scheme.split() {
            Split::Quads if is_edge_friend && levels > 0 => {
                PlanLevels::EdgeFriend(EdgeFriend::build(mesh, topology, levels, rule)?)
            }
            Split::Quads | Split::FourTriangles => {
                let spare = match spare {
                    Some(PlanLevels::Matrix(spare)) => Some(spare),
                    _ => None,
                };
                PlanLevels::Matrix(MatrixLevels::build(
                    mesh,
                    topology,
                    options.scheme,
                    levels,
                    rule,
                    spare,
                )?)
            }
            Split::ThreeTriangles => {
                notices.extend(turned_notice(mesh));
                PlanLevels::ThreeTriangles(ThreeTriangleLevels::build(mesh, topology, levels)?)
            }
        };
        let control_vertices = mesh.points.len();
        let mut plan = Self {
            options: *options,
            control_vertices,
            levels,
            requested,
            stencils: None,
            notices,
            control_columns: columns,
            triangulation,
        };
        plan.stencils = plan.build_stencils(mesh)?.map(Arc::new);
        Ok(plan)
    }

    /// What the user should know of the mesh although it does not stop the refinement.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The topology of the control mesh, where a method keeps it.
    pub(super) fn control_topology(&self) -> Option<&SurfaceTopology> {
        match &self.levels {
            PlanLevels::Matrix(levels) => levels.topologies().first(),
            PlanLevels::EdgeFriend(_) | PlanLevels::ThreeTriangles(_) => None,
        }
    }

    /// Number of refined vertices, including vertices of no face.
    pub fn vertex_count(&self) -> usize {
        match &self.levels {
            PlanLevels::Matrix(levels) => levels.last().vertex_count,
            PlanLevels::EdgeFriend(levels) => levels.vertex_count(),
            PlanLevels::ThreeTriangles(levels) => levels.vertex_count,
        }
    }

    /// Refined vertices at the corners of all refined faces, holes included, face by face:
    /// quads for Catmull-Clark, triangles otherwise; polygons at level 0.
    pub fn corners(&self) -> &[u32] {
        match &self.levels {
            PlanLevels::Matrix(levels) => &levels.last().vertices,
            PlanLevels::EdgeFriend(levels) => levels.corners(),
            PlanLevels::ThreeTriangles(levels) => &levels.last,
        }
    }

    /// Refined points from control points, `[vertex][3]`, with the rules of positions.
    ///
    /// # Errors
    /// [`Error::Request`] if the control mesh has another number of points.
    pub fn evaluate<T: Real>(&self, controls: &[Point<T>]) -> Result<Vec<Point<T>>> {
        let mut workspace = Workspace::default();
        self.evaluate_into(controls, &mut workspace)?;
        Ok(workspace.into_points())
    }

    /// [`SurfacePlan::evaluate`] in memory that is used again; the points are
    /// [`Workspace::points`].
    ///
    /// # Errors
    /// As [`SurfacePlan::evaluate`].
    pub fn evaluate_into<T: Real>(
        &self,
        controls: &[Point<T>],
        workspace: &mut Workspace<T>,
    ) -> Result<()> {
        check_point_count(controls.len(), self.control_vertices)?;
        if let Some(stencils) = &self.stencils {
            workspace.start(&stencils.evaluate(controls)?);
            return Ok(());
        }
        workspace.start(controls);
        match &self.levels {
            PlanLevels::Matrix(levels) => levels.evaluate(workspace),
            PlanLevels::EdgeFriend(levels) => levels.evaluate(workspace),
            PlanLevels::ThreeTriangles(levels) => levels.evaluate(workspace),
        }
        Ok(())
    }

    /// The matrix of every level, by the products of the [reference](mod@reference).
    ///
    /// # Errors
    /// [`Error::Request`] for the layout of edge-friend, which has none.
    pub fn level_matrices(&self) -> Result<Vec<Stencils>> {
        Ok(match &self.levels {
            PlanLevels::Matrix(levels) => {
                let masks = self.masks()?;
                let matrix = match levels.split() {
                    Split::Quads => reference::quads,
                    _ => reference::four_triangles,
                };
                let levels = levels.whole_matrices().zip(levels.sharpness());
                levels.map(|(m, s)| matrix(&m, self.effective_sharpness(s), masks)).collect()
            }
            PlanLevels::ThreeTriangles(levels) => {
                levels.levels.iter().map(reference::three_triangles).collect()
            }
            PlanLevels::EdgeFriend(_) => {
                return Err(Error::request("edge-friend has no matrices")
                    .with_help(message!("plan with ", option("method", "matrix"))));
            }
        })
    }

    /// The sharpness that has an effect: none in a linear scheme.
    fn effective_sharpness<'s>(&self, sharpness: &'s LevelSharpness) -> &'s LevelSharpness {
        static SMOOTH: LevelSharpness = LevelSharpness::SMOOTH;
        if self.options.scheme.rules().is_linear() { &SMOOTH } else { sharpness }
    }

    fn masks(&self) -> Result<&'static dyn LimitScheme> {
        let rules = self.options.scheme.rules();
        rules.limit().ok_or_else(|| {
            Error::request(format!("{} has no masks of level matrices", rules.name()))
                .with_help(format!("take {}", Scheme::names(Scheme::has_limit)))
        })
    }

    /// The product of the matrices of all levels.
    ///
    /// # Errors
    /// As [`SurfacePlan::level_matrices`].
    pub fn single_matrix<T: Real>(&self) -> Result<SingleMatrix<T>> {
        let mut levels = self.level_matrices()?;
        let Some(last) = levels.pop() else {
            return Ok(SingleMatrix::identity(self.control_vertices));
        };
        let first = SingleMatrix::identity(self.control_vertices);
        let before = levels.into_iter().fold(first, |all, level| all.then(&level));
        Ok(before.then(&last))
    }
}

/// What is said of texture coordinates that √3 leaves out.
pub(crate) fn turned_notice(mesh: &SurfaceMesh) -> Option<String> {
    let left_out = "texture coordinates are left out: √3 turns edges over their seams";
    mesh.uv.as_ref().map(|_| left_out.into())
}

/// What is said of edges of more than two faces, and of those whose two faces are
/// inconsistently oriented. √3 refuses the former and takes the latter as they are.
pub(crate) fn non_manifold_notice(scheme: Scheme, edges: usize) -> Option<String> {
    let said = || {
        let (edges, are) = (counted(edges, "edge"), by_count(edges, "is", "are"));
        format!(
            "{edges} {are} infinitely sharp: more than two faces meet there, or two that run \
             through them in the same direction"
        )
    };
    (edges > 0 && scheme.split().is_nested()).then(said)
}
