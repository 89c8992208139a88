//! Edge-friend on a GPU. Closed smooth surfaces run there from their corners on; for others
//! the first step, from polygons to quads with ghosts of the boundaries, runs on the CPU.

use super::matrix::{device_matrix, host_matrix};
use crate::backend::Cuda;
use crate::backend::cuda::edge_friend::{DeviceFriends, FriendLevel, Real};
use crate::backend::cuda::surface::ClosedFriends;
use crate::error::{Error, Result};
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::surface::DeviceRun;
use crate::surface::edge_friend::EdgeFriend;
use crate::surface::scalar::{Point, Scalar};
use crate::surface::workspace::Workspace;

/// Levels of edge-friend.
pub(super) enum Friends<T> {
    Closed(ClosedFriends<T>),
    FromHost(FromHost<T>),
}

/// A surface whose first level comes from the host.
pub(super) struct FromHost<T> {
    control_vertices: usize,
    first: EdgeFriend,
    friends: DeviceFriends<T>,
    workspace: Workspace<T>,
}

impl<T: Scalar + Real> Friends<T> {
    pub fn new(mesh: &SurfaceMesh, levels: usize, rule: CreaseRule, gpu: &Cuda) -> Result<Self> {
        let matrix = device_matrix(mesh, gpu)?;
        if matrix.counts().is_closed_manifold() && mesh.creases.is_empty() {
            return Ok(Self::Closed(ClosedFriends::new(gpu, matrix, levels)?));
        }
        let matrix = host_matrix(mesh, &matrix)?;
        let first = EdgeFriend::first_level(mesh, matrix, levels, rule)?;
        let quads = &first.levels()[0];
        let level = FriendLevel {
            corners: &quads.corners,
            friends: &quads.friends,
            starts: &quads.starts,
            sharpness: &quads.sharpness,
            pinned: &quads.pinned,
            vertex_count: quads.vertex_count,
        };
        let chaikin = rule == CreaseRule::Chaikin;
        let friends = DeviceFriends::new(gpu, level, levels - 1, chaikin)?;
        let control_vertices = mesh.points.len();
        let workspace = Workspace::default();
        Ok(Self::FromHost(FromHost { control_vertices, first, friends, workspace }))
    }

    pub fn set_controls(&mut self, controls: &[Point<T>]) -> Result<()> {
        match self {
            Self::Closed(friends) => friends.set_points(controls),
            Self::FromHost(own) => own.set_controls(controls),
        }
    }

    pub fn set_corners(&mut self, vertices: &[u32]) -> Result<()> {
        match self {
            Self::Closed(friends) => friends.set_corners(vertices),
            Self::FromHost(_) => {
                Err(Error::request("another connectivity of a surface that is open or has creases")
                    .with_mend("bring the mesh to the device anew"))
            }
        }
    }

    pub fn run(&mut self, run: DeviceRun) -> Result<f64> {
        match self {
            Self::Closed(friends) => friends.run(run),
            Self::FromHost(own) => own.friends.run(run),
        }
    }

    /// The levels on the device.
    pub fn levels(&self) -> &DeviceFriends<T> {
        match self {
            Self::Closed(friends) => friends.friends(),
            Self::FromHost(own) => &own.friends,
        }
    }
}

impl<T: Scalar + Real> FromHost<T> {
    fn set_controls(&mut self, controls: &[Point<T>]) -> Result<()> {
        let expected = self.control_vertices;
        if controls.len() != expected {
            return Err(Error::request(format!("{} points for {expected}", controls.len())));
        }
        self.first.first_points(controls, &mut self.workspace);
        self.friends.set_points(self.workspace.points())
    }
}
