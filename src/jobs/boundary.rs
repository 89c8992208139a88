//! Writes the surface that bounds a solid, with its creases.

use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Notes;
use super::output::{warn_of_losses, warn_of_lost_data, written};
use super::surface_file::{GlbRequest, WrittenSurface, write_surface};
use crate::error::Result;
use crate::io::{
    MeshFormat, check_output_as, check_surface_output, lost_cell_data, mesh_format,
    write_surface_groups,
};
use crate::mesh::{SolidMesh, SurfaceMesh};
use crate::numbers::counted;
use crate::surface::{boundary_groups, boundary_with_topology};
use crate::topology::Topology;

/// What is asked of the boundary of a solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct BoundaryRequest {
    /// Format of a .msh, msh (text) unless given, or of a .mesh, which needs one
    #[cfg_attr(feature = "cli", arg(long, value_enum))]
    pub format: Option<MeshFormat>,
    /// What a `.glb` says of the model.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub glb: GlbRequest,
}

impl BoundaryRequest {
    /// Checks the options and the output: an .obj, .ply, .vtp, .stl, .glb or .3mf, or one for finite-element
    /// programs.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for an ending without a format, and a unit or axis
    /// that it has no place for; [`Error::Io`](crate::Error::Io) or
    /// [`Error::File`](crate::Error::File) for a directory that does not take the file.
    pub fn check(&self, output: &Path) -> Result<()> {
        self.glb.options(output)?;
        match mesh_format(output, self.format)? {
            Some(_) => check_output_as(output, self.format).map(drop),
            None => check_surface_output(output).map(drop),
        }
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
        if let Some(format) = mesh_format(output, self.format)? {
            return write_elements(mesh, topology, (output, format), notes);
        }
        let surface = boundary(mesh, topology, Some(output), notes)?;
        write_surface(output, &surface, &self.glb.options(output)?, notes)
    }
}

/// Writes the boundary with its groups of faces, for finite-element programs.
fn write_elements(
    mesh: &SolidMesh,
    topology: &Topology,
    (output, format): (&Path, MeshFormat),
    notes: &mut dyn Notes,
) -> Result<WrittenSurface> {
    let surface = boundary_with_topology(mesh, topology)?;
    let (groups, inner) = boundary_groups(mesh, topology);
    let mut losses = format.surface_losses(&surface, &groups)?;
    losses.extend(lost_cell_data(mesh));
    if inner > 0 {
        losses.push(format!("{} of groups inside the solid", counted(inner, "face")));
    }
    warn_of_losses(&losses, output, notes);
    let start = Instant::now();
    notes.begin("Writing");
    write_surface_groups(output, format, &surface, &groups)?;
    notes.status("Wrote", written(output.display(), surface.counts(), start));
    Ok(WrittenSurface::of(output, &surface))
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
