//! Surfaces that processing starts from.

use std::path::Path;
use std::time::Instant;

use subsolid::io::ReadReport;
use subsolid::mesh::{SurfaceMesh, WeldResult};
use subsolid::numbers::counted;
use subsolid::{Result, io};

use super::Console;
use super::wording::{quoted, words};

/// Reads a surface and joins its vertices within a distance, if there is one; else warns of vertices
/// in one place where it ends.
pub fn read_surface(path: &Path, weld: Option<f64>, console: &Console) -> Result<SurfaceMesh> {
    let start = Instant::now();
    let (mut mesh, report) = console.during("Reading", || io::read_surface_with_report(path))?;
    say_read(&mesh, &report, path, start, console);
    weld_surface(&mut mesh, weld, path, console)?;
    Ok(mesh)
}

/// Joins vertices within a distance, if there is one; else warns of those in one place where the
/// surface ends.
pub fn weld_surface(
    mesh: &mut SurfaceMesh,
    weld: Option<f64>,
    path: &Path,
    console: &Console,
) -> Result<()> {
    match weld {
        Some(distance) => {
            let welded = mesh.weld(distance)?;
            say_welded(&welded, mesh.points.len(), console);
        }
        None => warn_of_coincident(mesh, path, console),
    }
    Ok(())
}

/// Says what joining vertices did, of which `left` are left.
pub fn say_welded(welded: &WeldResult, left: usize, console: &Console) {
    let (removed, left) = (counted(welded.removed, "vertex"), counted(left, "vertex"));
    console.status("Joined", format!("{removed} to others: {left} left"));
    welded.notices().into_iter().for_each(|notice| console.warn(notice));
}

/// Says what was read, and what of the file was not.
pub fn say_read(
    mesh: &SurfaceMesh,
    report: &ReadReport,
    path: &Path,
    start: Instant,
    console: &Console,
) {
    console.read(path.display(), mesh.counts(), start);
    if let Some(left_out) = report.left_out() {
        console.warn(format!("{}: left out: {left_out}", path.display()));
    }
}

/// Warns of vertices in one place where a surface ends.
fn warn_of_coincident(mesh: &SurfaceMesh, path: &Path, console: &Console) {
    let Some(seams) = mesh.seams() else { return };
    let weld = if seams.distance == 0.0 { String::new() } else { format!("={:e}", seams.distance) };
    console.warn(format!(
        "{}: {}, so the surface is open there. Unless that is intended, join them: `subsolid surface {} \
         --levels 0 --weld{weld} -o joined.ply`",
        path.display(),
        words(&seams.notice()),
        quoted(path)
    ));
}
