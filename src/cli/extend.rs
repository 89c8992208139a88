//! `subsolid extend`

use std::path::PathBuf;

use clap::Args;
use subsolid::Result;
use subsolid::extend::ExtensionReport;
use subsolid::jobs::extend::ExtendRequest;

use super::json::Written;
use super::model::ModelArguments;
use super::output::{check_ending, check_mesh_names, write_mesh};
use super::{Console, Outcome};

/// Add a layer of ghost cells around a solid, for full order at its boundary and sharp edges that do not
/// fold
///
/// Ghosts shape the limit of the cells beside them and are no part of the solid. Around a boundary edge
/// there are as many of them as cells where it is smooth, more where it is convex, fewer where it is
/// concave: so its sharp edges come from the geometry, and creases are left out. Their points continue
/// the lines of the cells. The report names the edges that no number of ghosts suits.
///
/// With --periodic the ghosts are images of the solid's own cells, so that its limit is that of the
/// solid repeated by the periods, and of its matrices the unknowns of images are one.
///
/// With --sharp-groups the solid is cut at the faces between groups of cells, such as materials, and
/// each group has ghosts of its own: values stay continuous there, while derivatives and attributes may
/// jump. Both sides of the cut are groups of faces, interface:A/B and interface:B/A.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid extend part.vtu -o extended.vtu
  subsolid extend part.vtu --angle 30 --json -o extended.vtu
  subsolid extend cell.vtu --periodic x,y,z -o periodic.vtu
  subsolid extend part.vtu --sharp-groups=steel,rubber -o two.vtu")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    request: ExtendRequest,
    /// File to write: .vtu, .pvtu or .vtk
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Compress .vtu and .pvtu
    #[arg(long)]
    compress: bool,
}

pub fn run(arguments: &Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, request, output, compress } = arguments;
    request.check()?;
    check_ending(output, &["vtu", "pvtu", "vtk"], "ghost cells have no place there")?;
    let format = model.check_output(output, None, &[])?;
    format.check_compress(*compress)?;
    let mut mesh = model.read(console)?;
    model.check_hexahedra(&mesh, console)?;
    check_mesh_names(format, &mesh)?;
    let extension = request.run(&mut mesh, &mut console.notes())?;
    write_mesh(&mesh, output, format, *compress, console)?;
    let report = Written::of(output, extension);
    console.report(&report, || text(&report.found))?;
    Ok(Outcome::Done)
}

fn text(report: &ExtensionReport) -> String {
    let edges = |name: &str, count: usize| format!("{name:<15} {count:>9}\n");
    let mut added = edges("ghost cells", report.ghosts) + &edges("vertices added", report.vertices);
    if report.interface_faces > 0 {
        added += &edges("faces cut", report.interface_faces);
        added += &edges("copied vertices", report.copied_vertices);
    }
    if !report.periods.is_empty() {
        let period = |[x, y, z]: &[f64; 3]| format!("{:<15} {x} {y} {z}\n", "period");
        return added + &report.periods.iter().map(period).collect::<String>();
    }
    added
        + &edges("smooth edges", report.smooth_edges)
        + &edges("convex edges", report.convex_edges)
        + &edges("concave edges", report.concave_edges)
        + &edges("fallbacks", report.fallbacks.len())
}
