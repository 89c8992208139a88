//! Edge-friend on a GPU: the first step, from polygons to quads, runs on the CPU; all that
//! follow run on the device, with the same bits.

use super::edge_friend::EdgeFriend;
use super::matrix::{Columns, MeshMatrix};
use super::scalar::{Point, Scalar};
use super::workspace::Workspace;
use crate::backend::Cuda;
use crate::backend::cuda::edge_friend::{DeviceFriends, FriendLevel, FriendRun, Real};
use crate::error::{Error, Result};
use crate::mesh::{CreaseRule, SurfaceMesh};

/// A surface refined on a GPU by Catmull-Clark, in `f32` or `f64`.
///
/// Quads of the mesh come first, ghosts of its boundaries last.
pub struct DeviceSurface<T> {
    first: EdgeFriend,
    friends: DeviceFriends<T>,
    workspace: Workspace<T>,
}

impl<T: Scalar + Real> DeviceSurface<T> {
    /// Brings level 1 of a mesh to a GPU, with room for all levels up to `levels` ≥ 2.
    ///
    /// # Errors
    /// [`Error::Mesh`] if the mesh is not an oriented manifold; [`Error::Request`] for fewer
    /// levels, more than 32-bit ids allow, or too little memory.
    pub fn new(mesh: &SurfaceMesh, levels: usize, gpu: &Cuda) -> Result<Self> {
        if levels < 2 {
            return Err(Error::request(format!("{levels} levels on a GPU"))
                .with_mend("ask for 2 or more: the first is made on the CPU"));
        }
        let (columns, corners) = (Columns::of(mesh.faces.ends()), mesh.faces.vertices().to_vec());
        let matrix = MeshMatrix::build(mesh.points.len(), columns, corners);
        let first = EdgeFriend::first_level(mesh, matrix, levels)?;
        let quads = &first.levels()[0];
        let level = FriendLevel {
            corners: &quads.corners,
            friends: &quads.friends,
            starts: &quads.starts,
            sharpness: &quads.sharpness,
            pinned: &quads.pinned,
            vertex_count: quads.vertex_count,
        };
        let chaikin = mesh.crease_rule == CreaseRule::Chaikin;
        let friends = DeviceFriends::new(gpu, level, levels - 1, chaikin)?;
        Ok(Self { first, friends, workspace: Workspace::default() })
    }

    /// Takes positions of the control mesh, or any three components a vertex.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy to the device fails.
    pub fn set_controls(&mut self, controls: &[Point<T>]) -> Result<()> {
        self.first.first_points(controls, &mut self.workspace);
        self.friends.set_points(self.workspace.points())
    }

    /// Makes topology, points, or both of all levels; returns the seconds that it took on
    /// the device, where all of it stays.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn run(&mut self, run: FriendRun) -> Result<f64> {
        self.friends.run(run)
    }

    /// Points of the last level, copied to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn points(&self) -> Result<Vec<Point<T>>> {
        self.friends.points()
    }

    /// Vertices of the quads of the last level, copied to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn corners(&self) -> Result<Vec<[u32; 4]>> {
        self.friends.corners()
    }

    /// Quads of the last level.
    pub fn quad_count(&self) -> usize {
        self.friends.quad_count()
    }
}
