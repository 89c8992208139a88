//! Surfaces as files, with a report, for every subcommand that writes them.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use subsolid::io::GlbOptions;
use subsolid::mesh::SurfaceMesh;
use subsolid::numbers::counted;
use subsolid::surface::limit::PatchCounts;
use subsolid::{Result, io};

use super::console::since;
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
    let start = Instant::now();
    io::write_surface_with(output, mesh, glb)?;
    let written = Written {
        output: output.display().to_string(),
        vertices: mesh.points.len(),
        faces: seen_faces(mesh),
        creases: mesh.creases.edges.len(),
        corners: mesh.creases.corners.len(),
        patches,
    };
    console.status("Wrote", format!("{written} in {}", since(start)));
    if console.json() {
        console.report(&written, String::new)?;
    }
    Ok(Outcome::Done)
}

/// Faces that are no holes.
pub fn seen_faces(mesh: &SurfaceMesh) -> usize {
    mesh.faces.len() - mesh.holes.iter().collect::<HashSet<_>>().len()
}

/// A surface that was written.
#[derive(Serialize, JsonSchema)]
pub struct Written {
    /// File written.
    output: String,
    /// Its vertices.
    vertices: usize,
    /// Its faces, without holes.
    faces: usize,
    /// Its sharp edges.
    creases: usize,
    /// Its sharp vertices.
    corners: usize,
    /// Patches that the limit was evaluated from.
    #[serde(skip_serializing_if = "Option::is_none")]
    patches: Option<PatchCounts>,
}

impl JsonReport for Written {
    const SCHEMA: &'static str = "subsolid.surface/1";
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, faces) = (counted(self.vertices, "vertex"), counted(self.faces, "face"));
        write!(f, "{}: {vertices}, {faces}", self.output)
    }
}
