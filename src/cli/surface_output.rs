//! Surfaces as files, with a report, for every subcommand that writes them.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use subsolid::io::GlbOptions;
use subsolid::mesh::SurfaceMesh;
use subsolid::numbers::counted;
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
    write_file(output, mesh, glb, console)?;
    let written = WrittenSurface {
        output: output.display().to_string(),
        vertices: mesh.points.len(),
        faces: seen_faces(mesh),
        creases: mesh.creases.edges.len(),
        corners: mesh.creases.corners.len(),
        patches,
    };
    console.report_json(&written)?;
    Ok(Outcome::Done)
}

/// Writes a surface for a subcommand with a report of its own.
pub fn write_file(
    output: &Path,
    mesh: &SurfaceMesh,
    glb: &GlbOptions,
    console: &Console,
) -> Result<()> {
    let start = Instant::now();
    console.during("Writing", || io::write_surface_with(output, mesh, glb))?;
    console.wrote(output.display(), counts(mesh), start);
    Ok(())
}

/// Faces that are no holes.
fn seen_faces(mesh: &SurfaceMesh) -> usize {
    mesh.faces.len() - mesh.holes.iter().collect::<HashSet<_>>().len()
}

/// What a surface has, for people.
pub fn counts(mesh: &SurfaceMesh) -> String {
    format!("{}, {}", counted(mesh.points.len(), "vertex"), counted(seen_faces(mesh), "face"))
}

/// A surface that was written.
#[derive(Serialize, JsonSchema)]
pub struct WrittenSurface {
    /// Name of the file written.
    output: String,
    /// Number of vertices.
    vertices: usize,
    /// Number of faces, without holes.
    faces: usize,
    /// Number of sharp edges.
    creases: usize,
    /// Number of sharp vertices.
    corners: usize,
    /// Numbers of the patches from which the limit was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    patches: Option<PatchCounts>,
}

impl JsonReport for WrittenSurface {
    const SCHEMA: &'static str = "subsolid.surface/1";
}
