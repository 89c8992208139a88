//! Edge-friend on a GPU, from the corners of the control mesh on.

use super::matrix::{check_tags, device_matrix, has_lost_corner, host_topology, tags};
use crate::backend::cuda::Cuda;
use crate::backend::cuda::FriendRun;
use crate::backend::cuda::surface::edge_friend::EdgeFriends;
use crate::backend::cuda::surface::refine::SurfaceFriends;
use crate::error::Result;
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::numbers::Real;
use crate::scheme::point::Point;
use crate::surface::refine::edge_friend::EdgeFriend;
use cudarc::driver::DeviceRepr;

/// Levels of edge-friend.
pub(super) struct Friends<T> {
    friends: SurfaceFriends<T>,
    control_vertices: usize,
    /// Quads of level 1 that are not ghosts.
    real_quads: usize,
    /// Control vertices of no face.
    orphans: Vec<u32>,
}

impl<T: Real + DeviceRepr> Friends<T> {
    pub fn new(mesh: &SurfaceMesh, levels: usize, rule: CreaseRule, gpu: &Cuda) -> Result<Self> {
        let matrix = device_matrix(mesh, gpu)?;
        let counts = matrix.counts();
        if !counts.is_manifold() {
            // in the words of the CPU
            EdgeFriend::first_level(mesh, host_topology(mesh, &matrix)?, levels, rule)?;
        }
        if has_lost_corner(mesh) {
            check_tags(mesh)?;
        }
        let tags = tags(mesh, rule);
        let tagged = tags.edges.len();
        let friends = SurfaceFriends::new(matrix, levels, tags)?;
        if friends.found_tags()? != tagged {
            check_tags(mesh)?;
        }
        let control_vertices = mesh.points.len();
        let orphans = orphans(control_vertices, mesh.faces.vertices());
        let real_quads = mesh.faces.vertices().len();
        Ok(Self { friends, control_vertices, real_quads, orphans })
    }

    pub fn set_controls(&mut self, controls: &[Point<T>]) -> Result<()> {
        self.friends.set_points(controls)
    }

    pub fn set_corners(&mut self, vertices: &[u32]) -> Result<()> {
        self.friends.set_corners(vertices)?;
        self.orphans = orphans(self.control_vertices, vertices);
        Ok(())
    }

    pub fn run(&mut self, run: FriendRun) -> Result<f64> {
        self.friends.run(run)
    }
}

impl<T> Friends<T> {
    /// The levels on the device.
    pub fn levels(&self) -> &EdgeFriends<T> {
        self.friends.friends()
    }

    /// Quads of level 1, ghosts included.
    pub(crate) fn first_quads(&self) -> usize {
        self.real_quads + self.friends.ghost_count()
    }

    /// Quads of level 1 that are not ghosts.
    pub(crate) fn real_quads(&self) -> usize {
        self.real_quads
    }

    /// Control vertices of no face.
    pub fn orphans(&self) -> &[u32] {
        &self.orphans
    }
}

/// Vertices that are no corner.
fn orphans(count: usize, corners: &[u32]) -> Vec<u32> {
    let mut used = vec![false; count];
    corners.iter().for_each(|&v| used[v as usize] = true);
    (0..).zip(used).filter(|(_, used)| !used).map(|(v, _)| v).collect()
}
