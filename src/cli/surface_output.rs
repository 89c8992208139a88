//! Surfaces as files, with a report, for every subcommand that writes them.

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use subsolid::io::{GlbOptions, SurfaceFormat};
use subsolid::mesh::SurfaceMesh;
use subsolid::surface::limit::PatchCounts;
use subsolid::{Result, io};

use super::json::JsonReport;
use super::{Console, Outcome};

/// Writes a surface and reports it, with the patches that it came from, if any.
pub fn write(
    output: &Path,
    mesh: &SurfaceMesh,
    glb: &GlbOptions,
    patches: Option<PatchCounts>,
    console: &Console,
) -> Result<Outcome> {
    let mesh = &*write_file(output, mesh, glb, console)?;
    let written = WrittenSurface {
        output: output.display().to_string(),
        vertices: mesh.points.len(),
        faces: mesh.faces.len(),
        holes: mesh.hole_count(),
        creases: mesh.creases.edges.len(),
        corners: mesh.creases.corners.len(),
        patches,
    };
    console.report_json(&written)?;
    Ok(Outcome::Done)
}

/// Writes a surface for a subcommand with a report of its own; returns it as the file has it,
/// without holes where the format leaves them out.
pub fn write_file<'m>(
    output: &Path,
    mesh: &'m SurfaceMesh,
    glb: &GlbOptions,
    console: &Console,
) -> Result<Cow<'m, SurfaceMesh>> {
    let start = Instant::now();
    console.during("Writing", || io::write_surface_with(output, mesh, glb))?;
    let written = match io::check_surface_output(output)? {
        SurfaceFormat::Obj => Cow::Borrowed(mesh),
        _ => mesh.without_holes(),
    };
    console.wrote(output.display(), written.counts(), start);
    Ok(written)
}

/// A surface that was written.
#[derive(Serialize, JsonSchema)]
pub struct WrittenSurface {
    /// Name of the file written.
    output: String,
    /// Number of vertices.
    vertices: usize,
    /// Number of faces in the file, including holes.
    faces: usize,
    /// Number of faces that are holes.
    holes: usize,
    /// Number of sharp edges.
    creases: usize,
    /// Number of sharp vertices.
    corners: usize,
    /// Numbers of the patches from which the limit was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    patches: Option<PatchCounts>,
}

impl JsonReport for WrittenSurface {
    const SCHEMA: &'static str = "subsolid.surface/2";
}
