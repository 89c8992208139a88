//! Surfaces as files, for every job that writes them.

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Notes;
use super::output::{warn_of_losses, written};
use crate::error::Result;
use crate::io::{
    GlbOptions, LengthUnit, SurfaceFormat, UpAxis, check_surface_output, write_surface_with,
};
use crate::mesh::SurfaceMesh;
use crate::surface::limit::PatchCounts;
use crate::view::SkinPolygons;

/// What `.glb` and `.3mf` files say of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct GlbRequest {
    /// Length unit of the model, for .glb, which is in meters, and .3mf [default: m, of .3mf mm]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "UNIT"))]
    pub unit: Option<LengthUnit>,
    /// Up axis of the model, for .glb [default: z]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "AXIS"))]
    pub up: Option<UpAxis>,
}

impl GlbRequest {
    /// What is written into `output`; refuses the options where it has no place for them.
    ///
    /// # Errors
    /// As [`GlbOptions::of`].
    pub fn options(&self, output: &Path) -> Result<GlbOptions> {
        GlbOptions::of(output, self.unit, self.up)
    }
}

/// A surface that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct WrittenSurface {
    /// Name of the file written.
    pub output: String,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of faces in the file, including holes.
    pub faces: usize,
    /// Number of faces that are holes.
    pub holes: usize,
    /// Number of sharp edges.
    pub creases: usize,
    /// Number of sharp vertices.
    pub corners: usize,
    /// Numbers of the patches from which the limit was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patches: Option<PatchCounts>,
}

impl WrittenSurface {
    /// Of a surface in a file, without patches.
    pub(super) fn of(output: &Path, mesh: &SurfaceMesh) -> Self {
        Self {
            output: output.display().to_string(),
            vertices: mesh.points.len(),
            faces: mesh.faces.len(),
            holes: mesh.hole_count(),
            creases: mesh.creases.edges.len(),
            corners: mesh.creases.corners.len(),
            patches: None,
        }
    }
}

/// Writes a surface; says what its format leaves out. The report has the surface as the file has it,
/// without holes where the format leaves them out, and no patches.
///
/// # Errors
/// As [`check_surface_output`] and [`write_surface_with`].
pub fn write_surface(
    output: &Path,
    mesh: &SurfaceMesh,
    glb: &GlbOptions,
    notes: &mut dyn Notes,
) -> Result<WrittenSurface> {
    let format = check_surface_output(output)?;
    warn_of_losses(&format.losses(mesh), output, notes);
    let start = Instant::now();
    notes.begin("Writing");
    write_surface_with(output, mesh, glb)?;
    let mesh = match format {
        SurfaceFormat::Obj => Cow::Borrowed(mesh),
        _ => mesh.without_holes(),
    };
    notes.status("Wrote", written(output.display(), mesh.counts(), start));
    Ok(WrittenSurface::of(output, &mesh))
}

/// Writes what a page shows as a `.glb`, with its colors.
///
/// # Errors
/// As [`write_surface`].
pub fn write_skin(
    output: &Path,
    skin: SkinPolygons,
    glb: GlbOptions,
    notes: &mut dyn Notes,
) -> Result<WrittenSurface> {
    write_surface(output, &skin.surface, &GlbOptions { colors: skin.colors, ..glb }, notes)
}
