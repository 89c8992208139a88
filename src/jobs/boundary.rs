//! Writes the surface that bounds a solid, with its creases.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Notes;
use super::output::warn_of_lost_data;
use super::surface_file::{GlbRequest, WrittenSurface, write_surface};
use crate::error::Result;
use crate::io::check_surface_output;
use crate::mesh::{SolidMesh, SurfaceMesh};
use crate::surface::boundary_with_topology;
use crate::topology::Topology;

/// What is asked of the boundary of a solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct BoundaryRequest {
    /// What a `.glb` says of the model.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub glb: GlbRequest,
}

impl BoundaryRequest {
    /// Checks the options and the output: an .obj, .ply, .vtp, .stl or .glb.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for an ending without a format, and a unit or axis
    /// that it has no place for; [`Error::Io`](crate::Error::Io) or
    /// [`Error::File`](crate::Error::File) for a directory that does not take the file.
    pub fn check(&self, output: &Path) -> Result<()> {
        self.glb.options(output)?;
        check_surface_output(output).map(drop)
    }

    /// Writes the boundary of a solid of this [topology](Topology::of_mesh) to a file.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Mesh`](crate::Error::Mesh) for a solid without a
    /// boundary, or with a crease inside.
    pub fn run(
        &self,
        mesh: &SolidMesh,
        topology: &Topology,
        output: &Path,
        notes: &mut dyn Notes,
    ) -> Result<WrittenSurface> {
        self.check(output)?;
        let surface = boundary(mesh, topology, Some(output), notes)?;
        write_surface(output, &surface, &self.glb.options(output)?, notes)
    }
}

/// The surface that bounds a solid of this [topology](Topology::of_mesh); says what it leaves out of
/// the solid. `output`: the file that it is for, if there is one.
///
/// # Errors
/// As [`boundary_with_topology`].
pub fn boundary(
    mesh: &SolidMesh,
    topology: &Topology,
    output: Option<&Path>,
    notes: &mut dyn Notes,
) -> Result<SurfaceMesh> {
    let surface = boundary_with_topology(mesh, topology)?;
    warn_of_lost_data(mesh, false, output, notes);
    Ok(surface)
}
