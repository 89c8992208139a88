//! Surfaces on a GPU: the plan of a [`SurfacePlan`](crate::surface::SurfacePlan) with all
//! arrays on the device; limits and static evaluation beside it.
//!
//! ```text
//! corners ─▶ mesh matrix ─▶ levels ─▶ points              Method::Matrix
//! corners ─▶ mesh matrix ─▶ level 1 ─▶ levels ─▶ points   Method::EdgeFriend
//! weights of all points, of the CPU ──────────▶ points    Method::Single, Method::Static
//! ```
//!
//! Edges are found, levels refined and points evaluated on the device, in the order of sums of
//! the CPU: the same numbering, and the same bits. Sharp edges and vertices are short lists
//! that the device makes and refines.

mod blocks;
mod evaluators;
mod friends;
mod limit;
mod matrix;
mod refine;
mod single_matrix;
mod static_refinement;
mod stencils;

use super::edge_friend::FriendRun;
use super::refine::RefinedLevels;
use crate::backend::cuda::Cuda;
use crate::backend::surface::check_on_gpu;
use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;
use crate::numbers::Real;
use crate::scheme::point::Point;
use crate::surface::plan::{
    RefinementInput, decided, non_manifold_notice, takes_edge_friend, turned_notice,
};
use crate::surface::refine::three_triangles::check;
use crate::surface::triangulate::Triangulation;
use crate::surface::{Method, SurfaceOptions};
use crate::topology::surface::{Columns, SurfaceTopology};
use cudarc::driver::DeviceRepr;
use friends::Friends;
use stencils::PlannedStencils;

pub use limit::{GridEvaluator, PlaceEvaluator, VertexEvaluator};
pub use matrix::device_matrix;
pub use single_matrix::SingleEvaluator;
pub use static_refinement::StaticRefiner;
pub use stencils::StencilEvaluator;

/// Whether edge-friend is the fastest method of a GPU: 2.6 to 3.1 times as fast as the mesh matrix
/// (measured on an H200 at levels 7 and 8).
fn edge_friend_pays(mesh: &SurfaceMesh, options: &SurfaceOptions) -> bool {
    options.levels >= 2 && takes_edge_friend(options, mesh, &SurfaceTopology::of(mesh))
}

/// A surface refined on a GPU, in `f32` or `f64`.
pub struct Refiner<T> {
    options: SurfaceOptions,
    levels: Levels<T>,
    notices: Vec<String>,
    /// Columns of the control mesh (of its triangles, if the scheme requires them).
    control_columns: Columns,
    triangulation: Option<Triangulation>,
}

enum Levels<T> {
    Matrix(Box<RefinedLevels<T>>),
    EdgeFriend(Box<Friends<T>>),
    Stencils(Box<PlannedStencils<T>>),
}

impl<T: Real + DeviceRepr> Refiner<T> {
    /// Brings a mesh to a GPU, with room for all levels, and finds its edges there; or makes
    /// stencils and brings these.
    ///
    /// # Errors
    /// As [`SurfacePlan::new`](crate::surface::SurfacePlan::new); [`Error::Request`] for what
    /// [does not run on GPUs](crate::backend::runs_on_gpu), or too little memory.
    pub fn new(mesh: &SurfaceMesh, options: &SurfaceOptions, gpu: &Cuda) -> Result<Self> {
        mesh.check()?;
        mesh.check_control()?;
        let options = &decided(options, || edge_friend_pays(mesh, options));
        check_on_gpu(mesh, options)?;
        if options.method.is_stencils() {
            let stencils = PlannedStencils::new(mesh, options, gpu)?;
            return Ok(Self {
                options: *options,
                notices: stencils.plan.notices().to_vec(),
                control_columns: stencils.plan.control_columns.clone(),
                triangulation: stencils.plan.triangulation.clone(),
                levels: Levels::Stencils(Box::new(stencils)),
            });
        }
        let RefinementInput { mesh, triangulation, rule, mut notices } =
            RefinementInput::new(mesh, options)?;
        let mesh = mesh.as_ref();
        let levels = match options.method {
            Method::EdgeFriend => {
                Levels::EdgeFriend(Box::new(Friends::new(mesh, options.levels, rule, gpu)?))
            }
            _ => {
                let matrix = device_matrix(mesh, gpu)?;
                let counts = matrix.counts();
                let edges = counts.non_manifold + counts.inconsistent;
                notices.extend(non_manifold_notice(options.scheme, edges));
                if !options.scheme.split().is_nested() {
                    notices.extend(turned_notice(mesh));
                    check(mesh, &matrix::host_topology(mesh, &matrix)?)?;
                }
                Levels::Matrix(Box::new(matrix::levels(mesh, matrix, options, rule)?))
            }
        };
        let control_columns = Columns::of(&mesh.faces);
        Ok(Self { options: *options, levels, notices, control_columns, triangulation })
    }

    /// What the user should know of the mesh although it does not stop the refinement.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Takes positions of the control mesh, or any three components per vertex.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them, or if the copy to the device fails.
    pub fn set_controls(&mut self, controls: &[Point<T>]) -> Result<()> {
        match &mut self.levels {
            Levels::Matrix(levels) => levels.set_points(controls),
            Levels::EdgeFriend(friends) => friends.set_controls(controls),
            Levels::Stencils(stencils) => stencils.device.set_controls(controls),
        }
    }

    /// Takes another connectivity of as many vertices and of faces of the same sizes, whose edges
    /// the next run finds on the device: what an edit of the mesh costs. By edge-friend; the
    /// surface may be closed or open before and after, and keeps the tags of its creases.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of corners, vertices that are not there, or other
    /// methods; [`Refiner::run`] gives [`Error::Mesh`] if the surface is no oriented
    /// manifold any more, or a crease is not an edge.
    pub fn set_corners(&mut self, vertices: &[u32]) -> Result<()> {
        match &mut self.levels {
            Levels::EdgeFriend(friends) => friends.set_corners(vertices),
            Levels::Matrix(_) | Levels::Stencils(_) => {
                Err(Error::request("another connectivity for the mesh matrix")
                    .with_help("upload the mesh to the device again, or use edge-friend"))
            }
        }
    }

    /// Makes topology, points, or both of all levels; returns the seconds that it took on
    /// the device, where all of it stays. Topology begins at the corners of the control mesh;
    /// the plan of stencils is made with them, and takes no time here.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn run(&mut self, run: FriendRun) -> Result<f64> {
        match &mut self.levels {
            Levels::Matrix(levels) => levels.run(run),
            Levels::EdgeFriend(friends) => friends.run(run),
            Levels::Stencils(_) if run == FriendRun::Topology => Ok(0.0),
            Levels::Stencils(stencils) => stencils.device.evaluate(),
        }
    }

    /// Points of the last level, copied to the host; with edge-friend, unused slots included.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn points(&self) -> Result<Vec<Point<T>>> {
        match &self.levels {
            Levels::Matrix(levels) => levels.points(),
            Levels::EdgeFriend(friends) => friends.levels().points(),
            Levels::Stencils(stencils) => stencils.device.points(),
        }
    }

    /// Vertices at the corners of all faces of the last level, face by face, copied to the
    /// host; with edge-friend, ghosts of the boundaries follow at the end.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn corners(&self) -> Result<Vec<u32>> {
        match &self.levels {
            Levels::Matrix(levels) => levels.corners(),
            Levels::EdgeFriend(friends) => Ok(friends.levels().corners()?.into_flattened()),
            Levels::Stencils(stencils) => Ok(stencils.plan.corners().to_vec()),
        }
    }

    /// Faces of the last level, ghosts included.
    pub fn face_count(&self) -> usize {
        match &self.levels {
            Levels::Matrix(levels) => levels.face_count(),
            Levels::EdgeFriend(friends) => friends.levels().quad_count(),
            Levels::Stencils(stencils) => {
                let size = self.options.scheme.shape().sides();
                stencils.plan.corners().len() / size
            }
        }
    }
}
