//! Surfaces that processing starts from.

use std::path::Path;
use std::time::Instant;

use subsolid::io::ReadReport;
use subsolid::mesh::{CreaseSource, Feature, FeatureCreases, SurfaceMesh, WeldResult};
use subsolid::numbers::counted;
use subsolid::{Result, io, message};

use super::Console;
use super::list::List;
use super::wording::{quoted, words};

/// Reads a surface, makes creases of curves of the file and joins its vertices within a distance, if
/// there is one; else warns of vertices in one place where it ends.
pub fn read_surface(
    path: &Path,
    creases_from: &[List<CreaseSource>],
    weld: Option<f64>,
    console: &Console,
) -> Result<SurfaceMesh> {
    let start = Instant::now();
    let (mut mesh, report) = console.during("Reading", || io::read_surface_with_report(path))?;
    take_surface(&mut mesh, report, (path, creases_from), start, console)?;
    weld_surface(&mut mesh, weld, path, console)?;
    Ok(mesh)
}

/// Says what was read from `start` on, and makes creases of curves of the file `model`.
pub fn take_surface(
    mesh: &mut SurfaceMesh,
    mut report: ReadReport,
    (model, creases_from): (&Path, &[List<CreaseSource>]),
    start: Instant,
    console: &Console,
) -> Result<()> {
    let features = named_features(&mut report, creases_from)?;
    say_read(mesh.counts(), &report, model, start, console);
    say_creased(mesh.crease_features(&features), model, console);
    Ok(())
}

/// The curves and points of a file that become creases.
pub fn named_features(
    report: &mut ReadReport,
    creases_from: &[List<CreaseSource>],
) -> Result<Vec<(Feature, f64)>> {
    let sources: Vec<_> = creases_from.iter().flat_map(|list| list.0.clone()).collect();
    report.take_features(&sources)
}

/// Says what has become of the curves and points of a file.
pub fn say_creased(made: FeatureCreases, model: &Path, console: &Console) {
    let model = model.display();
    if made.edges + made.corners > 0 {
        let (edges, corners) = (counted(made.edges, "edge"), counted(made.corners, "vertex"));
        console.status("Creased", format!("{edges} and {corners} of curves and points"));
    }
    made.left_out.into_iter().for_each(|notice| console.warn(message!("{model}: ", notice)));
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

/// Says what was read from `start` on, and what of the file was not.
pub fn say_read(
    counts: String,
    report: &ReadReport,
    path: &Path,
    start: Instant,
    console: &Console,
) {
    console.read(path.display(), counts, start);
    if let Some(exact) = &report.exact {
        console.status("Took", exact);
    }
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
