//! Edge-friend on a GPU: the first step, from polygons to quads, runs on the CPU; all that
//! follow run on the device.

use crate::backend::Cuda;
use crate::backend::cuda::edge_friend::{DeviceFriends, FriendLevel, Real};
use crate::error::{Error, Result};
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::surface::DeviceRun;
use crate::surface::edge_friend::EdgeFriend;
use crate::surface::matrix::{Columns, MeshMatrix};
use crate::surface::scalar::{Point, Scalar};
use crate::surface::workspace::Workspace;

/// Levels of edge-friend, the first on the host too.
pub(super) struct Friends<T> {
    control_vertices: usize,
    first: EdgeFriend,
    friends: DeviceFriends<T>,
    workspace: Workspace<T>,
}

impl<T: Scalar + Real> Friends<T> {
    pub fn new(mesh: &SurfaceMesh, levels: usize, rule: CreaseRule, gpu: &Cuda) -> Result<Self> {
        let (columns, corners) = (Columns::of(mesh.faces.ends()), mesh.faces.vertices().to_vec());
        let matrix = MeshMatrix::build(mesh.points.len(), columns, corners);
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
        Ok(Self {
            control_vertices: mesh.points.len(),
            first,
            friends,
            workspace: Workspace::default(),
        })
    }

    pub fn set_controls(&mut self, controls: &[Point<T>]) -> Result<()> {
        if controls.len() != self.control_vertices {
            return Err(Error::request(format!(
                "{} control points for a mesh of {} vertices",
                controls.len(),
                self.control_vertices
            )));
        }
        self.first.first_points(controls, &mut self.workspace);
        self.friends.set_points(self.workspace.points())
    }

    pub fn run(&mut self, run: DeviceRun) -> Result<f64> {
        self.friends.run(run)
    }

    pub fn points(&self) -> Result<Vec<Point<T>>> {
        self.friends.points()
    }

    pub fn corners(&self) -> Result<Vec<u32>> {
        Ok(self.friends.corners()?.into_flattened())
    }

    pub fn face_count(&self) -> usize {
        self.friends.quad_count()
    }
}
