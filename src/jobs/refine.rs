//! Refines a solid, with its creases and attributes.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{Notes, since};
use crate::error::Result;
use crate::mesh::SolidMesh;
use crate::numbers::counted;
use crate::refine::{MeshRefinement, check_memory, reorient, split_nonmanifold};
use crate::scheme::VertexRule;
use crate::topology::Topology;

/// What is asked of the refinement of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct RefineRequest {
    /// Levels of refinement
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 1))]
    pub levels: usize,
    /// How vertices on interior extraordinary edges refine
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub vertex_rule: VertexRule,
    /// List the corners of mirrored cells in right-handed order first, so that volumes
    /// are positive; use --levels 0 to do only this
    #[cfg_attr(feature = "cli", arg(long))]
    pub reorient: bool,
    /// Give cells that meet in an edge or vertex only vertices of their own first, so that they
    /// become separate parts; use --levels 0 to do only this
    #[cfg_attr(feature = "cli", arg(long))]
    pub split_nonmanifold: bool,
}

impl Default for RefineRequest {
    fn default() -> Self {
        Self {
            levels: 1,
            vertex_rule: VertexRule::default(),
            reorient: false,
            split_nonmanifold: false,
        }
    }
}

impl RefineRequest {
    /// Takes apart and turns the cells of a mesh, as asked for. Call it before
    /// [`RefineRequest::run`].
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) for cells that are not valid, or without a common
    /// orientation.
    pub fn repair(&self, mesh: &mut SolidMesh, notes: &mut dyn Notes) -> Result<()> {
        if self.split_nonmanifold {
            let added = counted(split_nonmanifold(mesh)?, "vertex");
            notes.status("Split", format!("cells that touch: {added} added"));
        }
        if self.reorient {
            let changed = reorient(mesh)?;
            notes.status("Reoriented", counted(changed, "cell"));
        }
        Ok(())
    }

    /// Checks that a mesh can be refined so often, and the limit be evaluated then.
    ///
    /// # Errors
    /// As [`check_memory`]; [`Error::Mesh`](crate::Error::Mesh) for creases that are too sharp.
    pub fn check(&self, mesh: &SolidMesh) -> Result<()> {
        mesh.creases.check_evaluable(self.levels)?;
        if self.levels > 0 { check_memory(mesh, self.levels) } else { Ok(()) }
    }

    /// Refines a mesh of this [topology](Topology::of_mesh); 0 levels give the mesh itself.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`](crate::Error::Request) for 0 levels
    /// and for more than 2²⁸ cells.
    pub fn run(
        &self,
        mesh: &SolidMesh,
        topology: Topology,
        notes: &mut dyn Notes,
    ) -> Result<SolidMesh> {
        self.check(mesh)?;
        if self.levels == 0 {
            return Ok(mesh.clone());
        }
        let start = Instant::now();
        notes.begin("Refining");
        let refinement =
            MeshRefinement::with_topology(mesh, topology, self.levels, self.vertex_rule)?;
        let refined = refinement.mesh(mesh)?;
        let times = counted(self.levels, "time");
        notes.status("Refined", format!("{times}: {} in {}", refined.counts(), since(start)));
        Ok(refined)
    }
}
