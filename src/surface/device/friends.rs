//! Edge-friend on a GPU. Closed smooth surfaces run there from their corners on; for others
//! the first step, from polygons to quads with ghosts of the boundaries, runs on the CPU.

use super::matrix::{device_matrix, host_matrix};
use crate::backend::Cuda;
use crate::backend::cuda::edge_friend::{DeviceFriends, FriendLevel, Real};
use crate::backend::cuda::surface::{ClosedFriends, DeviceMatrix};
use crate::error::{Error, Result};
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::surface::DeviceRun;
use crate::surface::edge_friend::EdgeFriend;
use crate::surface::scalar::{Point, Scalar};
use crate::surface::workspace::Workspace;

/// Levels of edge-friend.
pub(super) struct Friends<T> {
    start: Start<T>,
    /// Quads of level 1 that are no ghosts.
    real_quads: usize,
    /// Control vertices of no face.
    orphans: Vec<u32>,
}

/// Where the first level comes from.
enum Start<T> {
    Closed(Box<ClosedFriends<T>>),
    FromHost(Box<FromHost<T>>),
}

/// A surface whose first level comes from the host.
struct FromHost<T> {
    control_vertices: usize,
    first: EdgeFriend,
    friends: DeviceFriends<T>,
    workspace: Workspace<T>,
}

impl<T: Scalar + Real> Friends<T> {
    pub fn new(mesh: &SurfaceMesh, levels: usize, rule: CreaseRule, gpu: &Cuda) -> Result<Self> {
        let matrix = device_matrix(mesh, gpu)?;
        let mut used = vec![false; mesh.points.len()];
        mesh.faces.vertices().iter().for_each(|&v| used[v as usize] = true);
        let orphans = (0..).zip(used).filter(|(_, used)| !used).map(|(v, _)| v).collect();
        let real_quads = mesh.faces.vertices().len();
        let closed = matrix.counts().is_closed_manifold() && mesh.creases.is_empty();
        let start = match closed {
            true => Start::Closed(Box::new(ClosedFriends::new(gpu, matrix, levels)?)),
            false => Start::FromHost(Box::new(FromHost::new(mesh, &matrix, levels, rule, gpu)?)),
        };
        Ok(Self { start, real_quads, orphans })
    }
    pub fn set_controls(&mut self, controls: &[Point<T>]) -> Result<()> {
        match &mut self.start {
            Start::Closed(friends) => friends.set_points(controls),
            Start::FromHost(own) => own.set_controls(controls),
        }
    }

    pub fn set_corners(&mut self, vertices: &[u32]) -> Result<()> {
        match &mut self.start {
            Start::Closed(friends) => friends.set_corners(vertices),
            Start::FromHost(_) => {
                Err(Error::request("another connectivity of a surface that is open or has creases")
                    .with_mend("bring the mesh to the device anew"))
            }
        }
    }

    pub fn run(&mut self, run: DeviceRun) -> Result<f64> {
        match &mut self.start {
            Start::Closed(friends) => friends.run(run),
            Start::FromHost(own) => own.friends.run(run),
        }
    }
}

impl<T> Friends<T> {
    /// The levels on the device.
    pub fn levels(&self) -> &DeviceFriends<T> {
        match &self.start {
            Start::Closed(friends) => friends.friends(),
            Start::FromHost(own) => &own.friends,
        }
    }

    /// Quads of level 1, ghosts included.
    pub fn first_quads(&self) -> usize {
        match &self.start {
            Start::Closed(_) => self.real_quads,
            Start::FromHost(own) => own.first.levels()[0].corners.len(),
        }
    }

    /// Those that are no ghosts.
    pub fn real_quads(&self) -> usize {
        self.real_quads
    }

    /// Control vertices of no face.
    pub fn orphans(&self) -> &[u32] {
        &self.orphans
    }
}

impl<T: Scalar + Real> FromHost<T> {
    fn new(
        mesh: &SurfaceMesh,
        matrix: &DeviceMatrix,
        levels: usize,
        rule: CreaseRule,
        gpu: &Cuda,
    ) -> Result<Self> {
        let matrix = host_matrix(mesh, matrix)?;
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
        Ok(Self { control_vertices, first, friends, workspace })
    }

    fn set_controls(&mut self, controls: &[Point<T>]) -> Result<()> {
        let expected = self.control_vertices;
        if controls.len() != expected {
            return Err(Error::request(format!("{} points for {expected}", controls.len())));
        }
        self.first.first_points(controls, &mut self.workspace);
        self.friends.set_points(self.workspace.points())
    }
}
