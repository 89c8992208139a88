//! Edge-friend on a GPU, from the corners of the control mesh on.

use super::matrix::{check_tags, device_matrix, has_lost_corner, host_matrix, tags};
use crate::backend::Cuda;
use crate::backend::cuda::edge_friend::{DeviceFriends, Real};
use crate::backend::cuda::surface::SurfaceFriends;
use crate::error::Result;
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::surface::DeviceRun;
use crate::surface::edge_friend::EdgeFriend;
use crate::surface::scalar::{Point, Scalar};
use crate::surface::sharpness::NonManifold;

/// Levels of edge-friend.
pub(super) struct Friends<T> {
    friends: SurfaceFriends<T>,
    /// Quads of level 1 that are no ghosts.
    real_quads: usize,
    /// Control vertices of no face.
    orphans: Vec<u32>,
}

impl<T: Scalar + Real> Friends<T> {
    pub fn new(mesh: &SurfaceMesh, levels: usize, rule: CreaseRule, gpu: &Cuda) -> Result<Self> {
        let matrix = device_matrix(mesh, gpu)?;
        let counts = matrix.counts();
        if !counts.is_manifold() {
            // in the words of the CPU
            EdgeFriend::first_level(mesh, host_matrix(mesh, &matrix)?, levels, rule)?;
        }
        let smooth = counts.open == 0 && mesh.creases.is_empty();
        if has_lost_corner(mesh) {
            check_tags(mesh, NonManifold::Sharp)?;
        }
        let tags = (!smooth).then(|| tags(mesh, rule, true));
        let friends = SurfaceFriends::new(gpu, matrix, levels, tags.as_ref())?;
        if friends.found_tags()? != tags.map_or(0, |tags| tags.edges.len()) {
            check_tags(mesh, NonManifold::Sharp)?;
        }
        let mut used = vec![false; mesh.points.len()];
        mesh.faces.vertices().iter().for_each(|&v| used[v as usize] = true);
        let orphans = (0..).zip(used).filter(|(_, used)| !used).map(|(v, _)| v).collect();
        Ok(Self { friends, real_quads: mesh.faces.vertices().len(), orphans })
    }

    pub fn set_controls(&mut self, controls: &[Point<T>]) -> Result<()> {
        self.friends.set_points(controls)
    }

    pub fn set_corners(&mut self, vertices: &[u32]) -> Result<()> {
        self.friends.set_corners(vertices)
    }

    pub fn run(&mut self, run: DeviceRun) -> Result<f64> {
        self.friends.run(run)
    }
}

impl<T> Friends<T> {
    /// The levels on the device.
    pub fn levels(&self) -> &DeviceFriends<T> {
        self.friends.friends()
    }

    /// Quads of level 1, ghosts included.
    pub fn first_quads(&self) -> usize {
        self.real_quads + self.friends.ghost_count()
    }

    /// Quads of level 1 that are no ghosts.
    pub fn real_quads(&self) -> usize {
        self.real_quads
    }

    /// Control vertices of no face.
    pub fn orphans(&self) -> &[u32] {
        &self.orphans
    }
}
