//! The refined mesh of a surface on a GPU: the same as by its plan on the CPU.

use super::{Levels, Refiner};
use crate::backend::SurfaceRefiner;
use crate::backend::cuda::FriendRun;
use crate::error::Result;
use crate::mesh::{Creases, SurfaceMesh};
use crate::scheme::point::Point;
use crate::surface::plan::limits_of;
use crate::surface::plan::result::{RefinedSource, assemble, remaining_corners};
use crate::surface::triangulate::Triangulation;
use crate::surface::{SurfaceOptions, SurfacePlan, VertexLimits};
use crate::topology::surface::Columns;

impl Refiner<f64> {
    /// The refined mesh of `mesh`, the mesh of this surface or one of the same connectivity:
    /// bitwise the mesh of [`SurfacePlan::refine`]. It takes the control points of `mesh`.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the mesh has another number of vertices or
    /// corners than the surface, or a kernel or copy fails.
    pub fn refine(&mut self, mesh: &SurfaceMesh) -> Result<SurfaceMesh> {
        self.run(FriendRun::Topology)?;
        assemble(self, mesh)
    }

    /// The limit of all vertices of `refined`, the refined mesh of `mesh`, as of
    /// [`SurfacePlan::vertex_limits`], on the CPU.
    ///
    /// # Errors
    /// As [`SurfacePlan::vertex_limits`].
    pub fn vertex_limits(&self, mesh: &SurfaceMesh, refined: &SurfaceMesh) -> Result<VertexLimits> {
        limits_of(self.options.scheme, mesh, refined)
    }
}

impl SurfaceRefiner for Refiner<f64> {
    fn notices(&self) -> &[String] {
        self.notices()
    }

    fn refine(&mut self, mesh: &SurfaceMesh) -> Result<SurfaceMesh> {
        Refiner::refine(self, mesh)
    }

    fn vertex_limits(&mut self, mesh: &SurfaceMesh, refined: &SurfaceMesh) -> Result<VertexLimits> {
        Refiner::vertex_limits(self, mesh, refined)
    }
}

impl RefinedSource for Refiner<f64> {
    fn options(&self) -> &SurfaceOptions {
        &self.options
    }

    fn control_columns(&self) -> &Columns {
        &self.control_columns
    }

    fn triangulation(&self) -> Option<&Triangulation> {
        self.triangulation.as_ref()
    }

    fn evaluate(&mut self, controls: &[Point<f64>]) -> Result<Vec<Point<f64>>> {
        self.set_controls(controls)?;
        self.run(FriendRun::Points)?;
        self.points()
    }

    /// Without the ghosts of edge-friend.
    fn corners(&self) -> Result<Vec<u32>> {
        let mut corners = Refiner::corners(self)?;
        if let Levels::EdgeFriend(friends) = &self.levels {
            corners.truncate(4 * (friends.real_quads() << (2 * (self.options.levels - 1))));
        }
        Ok(corners)
    }

    fn used(&self, corners: &[u32]) -> Option<Vec<bool>> {
        let Levels::EdgeFriend(friends) = &self.levels else { return None };
        let mut used = vec![false; friends.levels().point_count()];
        corners.iter().for_each(|&v| used[v as usize] = true);
        friends.orphans().iter().for_each(|&v| used[self.slot(v) as usize] = true);
        Some(used)
    }

    fn creases(&self, mesh: &SurfaceMesh) -> Result<Creases> {
        let mut creases = Creases::default();
        match &self.levels {
            _ if mesh.creases.is_empty() => {}
            Levels::Matrix(levels) => {
                for ([a, b], sharpness) in levels.remaining_creases()? {
                    creases.push_edge(a, b, sharpness);
                }
                remaining_corners(mesh, self.options.levels, |v| v, &mut creases);
            }
            Levels::Stencils(stencils) => return RefinedSource::creases(&&stencils.plan, mesh),
            // the host knows the friends of creases at the first level only
            Levels::EdgeFriend(_) => {
                return RefinedSource::creases(&&SurfacePlan::new(mesh, &self.options)?, mesh);
            }
        }
        Ok(creases)
    }
}

impl<T> Refiner<T> {
    /// Where edge-friend has the point of a control vertex at the last level.
    fn slot(&self, vertex: u32) -> u32 {
        let Levels::EdgeFriend(friends) = &self.levels else { return vertex };
        let first = friends.first_quads();
        (1..self.options.levels).fold(vertex, |v, level| {
            let quads = (first << (2 * (level - 1))) as u32;
            if v < quads { 4 * v } else { 3 * quads + v }
        })
    }
}
