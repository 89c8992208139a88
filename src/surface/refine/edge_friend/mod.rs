//! Edge-friend: Catmull-Clark in one gather pass a level (Kuth, Oberberger, Chajdas and
//! Meyer 2023).
//!
//! After the first refinement every quad starts at a vertex of the control mesh and runs
//! (vertex, edge point, face point, edge point). Of its edges v₀v₁ and v₂v₃ are its *on*
//! edges, v₁v₂ and v₃v₀ its *off* edges, and every edge is on in one of its quads and off
//! in the other. So a quad needs to store only where its two off edges are on: its
//! *friends*. With quad q, corner 4q + i and on edge 2q + k:
//!
//! ```text
//! corners   [quad][4]  vertex at each corner
//! friends   [quad][2]  on edges that v₁v₂ and v₃v₀ are
//! starts    [vertex]   one corner at each vertex, NONE for unused slots
//! sharpness [quad]     of v₃v₀; v₁v₂ lies inside a coarser face and is always smooth
//! ```
//!
//! The *quad task* makes the face point of its quad and the points of its two off edges;
//! the *vertex task* goes around its vertex from off edge to off edge. Neither reads what
//! the other writes, and every value is written once: one pass a level, no atomics, and
//! the same bits from run to run, with any number of threads, and on any processor that
//! evaluates the sums of `tasks.rs` without fusing them.
//!
//! The new vertices of quad i lie beside one another: vertex point 4i of *vertex* i, face
//! point 4i + 1, edge points 4i + 2 and 4i + 3 of its on edges; vertex points beyond the
//! number of quads follow at the end, and where there are fewer the slots stay unused.
//!
//! Open surfaces are closed by *ghost* quads: the first step refines every boundary loop as
//! one more face, whose edges are infinitely sharp creases, and whose quads come last, so that the
//! result is a prefix.

mod build;
mod tasks;

use crate::interrupt::stop_point;
use crate::numbers::Real;
use rayon::prelude::*;

use super::matrix::MatrixLevels;
use super::workspace::Workspace;
use crate::error::Result;
use crate::mesh::{CreaseRule, Creases, SurfaceMesh};
use crate::scheme::point::Point;
use crate::topology::surface::SurfaceTopology;

/// Quads of one level in the layout of the [module](self).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FriendQuads {
    /// `corners[quad][i]`.
    pub corners: Vec<[u32; 4]>,
    /// `friends[quad][k]`; empty at the last level.
    pub friends: Vec<[u32; 2]>,
    /// `starts[vertex]`; it is as long as the points. Empty at the last level.
    pub starts: Vec<u32>,
    /// `sharpness[quad]`; empty where nothing is sharp, and at the last level.
    pub sharpness: Vec<f64>,
    /// Vertices with a corner tag, and its sharpness.
    pub fixed: Vec<(u32, f64)>,
    /// Points of this level, unused slots included.
    pub vertex_count: usize,
}

impl FriendQuads {
    /// Becomes `other` in the memory that it has.
    fn copy_from(&mut self, other: &Self) {
        self.corners.clone_from(&other.corners);
        self.friends.clone_from(&other.friends);
        self.starts.clone_from(&other.starts);
        self.sharpness.clone_from(&other.sharpness);
        self.fixed.clone_from(&other.fixed);
        self.vertex_count = other.vertex_count;
    }
}

/// The topology of all levels.
#[derive(Clone, Debug)]
pub struct EdgeFriend {
    /// The step from polygons to quads.
    first: MatrixLevels,
    /// Levels 1, 2, …
    levels: Vec<FriendQuads>,
    /// Quads of level 1 that are not ghosts.
    real_quads: usize,
    /// Control vertices of no face.
    orphans: Vec<u32>,
    /// Level 1 with its sharpness, if it is the last.
    first_creases: FriendQuads,
    crease_rule: CreaseRule,
}

impl EdgeFriend {
    /// Builds `levels` ≥ 1 levels.
    pub(in crate::surface) fn build(
        mesh: &SurfaceMesh,
        topology: SurfaceTopology,
        levels: usize,
        crease_rule: CreaseRule,
    ) -> Result<Self> {
        let mut built = build::first_level(mesh, topology, levels, crease_rule)?;
        for level in 1..levels {
            let fine = tasks::refine_topology(
                &built.levels[level - 1],
                level + 1 == levels,
                built.crease_rule,
            );
            built.levels.push(fine);
        }
        Ok(built)
    }

    /// Whether a mesh of this topology is an oriented manifold, as edge-friend needs it.
    pub(in crate::surface) fn takes(topology: &SurfaceTopology) -> bool {
        build::check_manifold(topology).is_ok()
    }

    /// The first of `levels` ≥ 1 levels.
    #[allow(dead_code, reason = "backends for devices use it")]
    pub(crate) fn first_level(
        mesh: &SurfaceMesh,
        topology: SurfaceTopology,
        levels: usize,
        crease_rule: CreaseRule,
    ) -> Result<Self> {
        build::first_level(mesh, topology, levels, crease_rule)
    }

    /// Quads of levels 1, 2, …, ghosts included.
    pub fn levels(&self) -> &[FriendQuads] {
        &self.levels
    }

    /// Slots of points at the last level.
    pub(in crate::surface) fn vertex_count(&self) -> usize {
        self.levels.last().map_or(0, |quads| quads.vertex_count)
    }

    /// Corners of the last level without the ghosts.
    pub(in crate::surface) fn corners(&self) -> &[u32] {
        let quads = self.real_quads << (2 * (self.levels.len() - 1));
        self.levels.last().map_or(&[], |level| level.corners[..quads].as_flattened())
    }

    /// Whether each slot of points holds a vertex of the result.
    pub(in crate::surface) fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.vertex_count()];
        self.corners().iter().for_each(|&v| used[v as usize] = true);
        self.orphans.iter().for_each(|&v| used[self.slot(v) as usize] = true);
        used
    }

    /// Where the point of a control vertex is at the last level.
    pub(in crate::surface) fn slot(&self, vertex: u32) -> u32 {
        let levels = &self.levels[..self.levels.len() - 1];
        levels.iter().fold(vertex, tasks::vertex_slot)
    }

    /// Edges between quads of the result that are still sharp after the last level.
    pub(in crate::surface) fn remaining_creases(&self, rule: CreaseRule, creases: &mut Creases) {
        let levels = self.levels.len();
        let quads;
        // the last level has no sharpness: from the one before, once more with friends
        let fine = match levels {
            1 => &self.first_creases,
            _ => {
                quads = tasks::refine_topology(&self.levels[levels - 2], false, rule);
                &quads
            }
        };
        let real = self.real_quads << (2 * (levels - 1));
        for (q, &sharpness) in fine.sharpness.iter().enumerate().take(real) {
            let across = fine.friends[q][1] as usize / 2;
            if sharpness > 0.0 && across < real {
                let [a, _, _, b] = fine.corners[q];
                creases.push_edge(a, b, sharpness);
            }
        }
    }

    /// Points of the last level from the points of level 0 in `workspace`.
    pub(in crate::surface) fn evaluate<T: Real>(&self, workspace: &mut Workspace<T>) {
        self.first.evaluate(workspace);
        for pair in self.levels.windows(2) {
            let (points, refined) = workspace.next(pair[1].vertex_count);
            tasks::refine_points(&pair[0], points, refined, self.crease_rule);
        }
    }

    /// Points of the last level, with the topology of all levels made on the way and
    /// forgotten: what a mesh costs whose connectivity just changed. The same bits as a
    /// plan's evaluation, in memory that is used again. Faces of the mesh come first,
    /// ghosts last.
    ///
    /// # Errors
    /// [`crate::Error::Mesh`] if the mesh is not an oriented manifold.
    pub fn refine_once<T: Real>(
        mesh: &SurfaceMesh,
        topology: SurfaceTopology,
        levels: usize,
        controls: &[Point<T>],
        workspace: &mut FriendWorkspace<T>,
    ) -> Result<()> {
        let built = build::first_level(mesh, topology, levels, mesh.crease_rule)?;
        let FriendWorkspace { coarse, fine, points } = workspace;
        points.start(controls);
        built.first.evaluate(points);
        fine.copy_from(&built.levels[0]);
        for level in 1..levels {
            std::mem::swap(coarse, fine);
            fine.make_room(coarse, level + 1 == levels);
            let (points, refined) = points.next(fine.vertex_count);
            tasks::refine(coarse, points, fine, refined, mesh.crease_rule);
        }
        Ok(())
    }
}

/// Two levels of quads and points, for [`EdgeFriend::refine_once`].
#[derive(Clone, Debug, Default)]
pub struct FriendWorkspace<T> {
    coarse: FriendQuads,
    fine: FriendQuads,
    points: Workspace<T>,
}

impl<T: Real> FriendWorkspace<T> {
    /// Vertices of the quads of the last level.
    pub fn corners(&self) -> &[[u32; 4]] {
        &self.fine.corners
    }

    /// Points of the last level.
    pub fn points(&self) -> &[Point<T>] {
        self.points.points()
    }
}

/// Items a work item covers.
const TASK_ITEMS: usize = 4096;

/// Runs `task` for 0, 1, … `count` − 1 on all threads.
fn for_each(count: usize, task: impl Fn(usize) + Sync) {
    (0..count.div_ceil(TASK_ITEMS)).into_par_iter().for_each(|part| {
        stop_point();
        (part * TASK_ITEMS..count.min((part + 1) * TASK_ITEMS)).for_each(&task);
    });
}
