//! `subsolid conform`

use clap::Args;
use subsolid::Result;
use subsolid::jobs::conform::ConformRequest;
use subsolid::numbers::significant;

use super::json::Written;
use super::model::ModelArguments;
use super::output::{SolidOutput, check_mesh_names};
use super::{Console, Outcome};

/// Make a mesh conforming: hanging nodes, pyramids, repeated corners, cells that touch
///
/// Layers of cells go between cells of two sizes, where four faces cover one. Pyramids and other
/// cells with corners of more than three faces become tetrahedra, and columns of hexahedra beside
/// them wedges. Cells with repeated corners become what they are, flat and repeated ones go, and
/// cells that touch in an edge or vertex only are taken apart. Groups, creases and values go along,
/// the volume stays. Nothing is written if something cannot be resolved.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid conform octree.vtk -o part.vtu
  subsolid conform hybrid.msh --json -o part.vtu
  subsolid conform loose.vtk --weld=1e-6 --layer-depth 0.4 -o part.vtu")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    request: ConformRequest,
    /// Merge vertices with equal coordinates first, or those within DISTANCE of one another (in
    /// length units), so that cells that do not share vertices become one solid; the first vertex
    /// of each place keeps its attributes
    #[arg(long, value_name = "DISTANCE", num_args = 0..=1, require_equals = true,
          default_missing_value = "0")]
    weld: Option<f64>,
    #[command(flatten)]
    output: SolidOutput,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { mut model, request, weld, output } = arguments;
    request.check()?;
    // of the edges of the result: where sizes meet, the mesh as it is has other ones
    let crease_angle = model.crease_angle.take();
    let format = output.check(&model)?;
    let mut mesh = model.read_welded(weld, console)?;
    check_mesh_names(format, &mesh)?;
    let found = request.run(&mut mesh, &mut console.notes())?;
    model.crease_angle = crease_angle;
    model.crease(&mut mesh, console)?;
    model.check_cells(&mesh, console)?;
    output.write(&mesh, format, console)?;
    let report = Written::of(&output.path, found);
    console.report(&report, || {
        let found = &report.found;
        let [before, after] = [found.done.volume_before, found.done.volume_after].map(significant);
        let lines: String = found.lines().iter().map(|line| format!("{line}\n")).collect();
        format!("{lines}volume before {before}, after {after}\n")
    })?;
    Ok(Outcome::Done)
}
