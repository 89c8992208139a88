//! Surfaces that processing starts from.

use std::path::Path;
use std::time::Instant;

use subsolid::io::ReadReport;
use subsolid::mesh::SurfaceMesh;
use subsolid::numbers::{by_count, counted};
use subsolid::{Result, io};

use super::Console;
use super::surface_output::counts;
use super::wording::quoted;

/// Reads a surface, and warns of vertices in one place where it ends.
pub fn read_surface(path: &Path, console: &Console) -> Result<SurfaceMesh> {
    let start = Instant::now();
    let (mesh, report) = console.during("Reading", || io::read_surface_with_report(path))?;
    say_read(&mesh, &report, path, start, console);
    warn_of_coincident(&mesh, path, console);
    Ok(mesh)
}

/// Says what was read, and what of the file was not.
pub fn say_read(
    mesh: &SurfaceMesh,
    report: &ReadReport,
    path: &Path,
    start: Instant,
    console: &Console,
) {
    console.read(path.display(), counts(mesh), start);
    if let Some(left_out) = report.left_out() {
        console.warn(format!("{}: left out: {left_out}", path.display()));
    }
}

/// Warns of vertices in one place where a surface ends.
pub fn warn_of_coincident(mesh: &SurfaceMesh, path: &Path, console: &Console) {
    let found = mesh.coincident_ends();
    let Some([a, b]) = found.first else { return };
    console.warn(format!(
        "{}: {} where the surface ends {} exactly where another one does (the first: vertices {a} and \
         {b}). Faces are joined by shared vertex ids alone, so the surface is open there. Unless that is \
         intended, join them: `subsolid surface {} --levels 0 --weld -o joined.ply`",
        path.display(),
        counted(found.count, "vertex"),
        by_count(found.count, "lies", "lie"),
        quoted(path)
    ));
}
