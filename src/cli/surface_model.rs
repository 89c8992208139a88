//! Surfaces that processing starts from.

use std::path::Path;

use subsolid::io::ReadReport;
use subsolid::mesh::SurfaceMesh;
use subsolid::numbers::counted;
use subsolid::{Error, Result, io};

use super::Console;

/// Reads a surface.
pub fn read_surface(path: &Path, console: &Console) -> Result<SurfaceMesh> {
    let (mesh, report) = io::read_surface_with_report(path)?;
    warn_of_surface(&mesh, &report, path, console);
    Ok(mesh)
}

/// Warns of what is left out of a surface, and of vertices in one place where it ends.
pub fn warn_of_surface(mesh: &SurfaceMesh, report: &ReadReport, path: &Path, console: &Console) {
    warn_of_skipped(report, path, console);
    warn_of_coincident(mesh, path, console);
}

/// Warns of what is left out of a surface.
pub fn warn_of_skipped(report: &ReadReport, path: &Path, console: &Console) {
    if let Some(left_out) = report.left_out() {
        console.warn(format!("{}: left out: {left_out}", path.display()));
    }
}

/// Warns of vertices in one place where a surface ends.
pub fn warn_of_coincident(mesh: &SurfaceMesh, path: &Path, console: &Console) {
    let found = mesh.coincident_ends();
    let Some([a, b]) = found.first else { return };
    console.warn(format!(
        "{}: {} where the surface ends lie exactly where another one does (the first: vertices {a} and \
         {b}). Faces are joined by shared vertex ids alone, so the surface is open there. Unless that is \
         intended, join them: subsolid surface {} --levels 0 --weld -o joined.ply",
        path.display(),
        counted(found.count, "vertex"),
        path.display()
    ));
}

/// Refuses options of solids that are given.
pub fn refuse(options: &[(bool, &str)]) -> Result<()> {
    match options.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, option)) => Err(Error::request(format!("{option} is for solids"))
            .with_help(format!("leave {option} out"))),
    }
}
