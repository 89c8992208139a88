//! `subsolid smooth`

use clap::Args;
use subsolid::Result;
use subsolid::io::ControlMesh;
use subsolid::jobs::smooth::SmoothRequest;
use subsolid::scheme::VertexRule;

use super::json::Written;
use super::mesh_output::MeshOutput;
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::output::check_mesh_names;
use super::{Console, Outcome};

/// Smooth a surface by curvature flow, or an attribute of a solid
///
/// A surface of triangles moves along its mean curvature; its boundary stays. Normals in the
/// file are recomputed. For a solid, --attribute is smoothed: every step moves values toward the
/// mean of their neighbors.
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(after_help = "\
Examples:
  subsolid smooth scan.ply --time 0.01 --steps 3 -o smooth.ply
  subsolid smooth part.vtu --attribute hardness --steps 10 -o smooth.vtu
  subsolid smooth part.vtu --attribute hardness --fix-boundary -o smooth.vtu")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    request: SmoothRequest,
    #[command(flatten)]
    output: MeshOutput,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, request, output } = &arguments;
    output.glb()?;
    let smoothed = match model.open(console)? {
        ControlMesh::Surface(mut mesh) => {
            request.check_surface()?;
            output.of_surface(model, &[])?;
            let smoothed = request.run_surface(&mut mesh, &mut console.notes())?;
            output.write_surface(&mesh, console)?;
            smoothed
        }
        ControlMesh::Solid(mesh) => {
            request.check_solid()?;
            let format = output.of_solid(model, &[])?;
            let mut mesh = model.prepare(mesh, 0, VertexRule::default(), console)?;
            check_mesh_names(format, &mesh)?;
            let topology = model.topology(&mesh, console)?;
            let smoothed = request.run_solid(&mut mesh, &topology, &mut console.notes())?;
            output.write_solid(&mesh, format, console)?;
            smoothed
        }
    };
    console.report_json(&Written::of(&output.output, smoothed))?;
    Ok(Outcome::Done)
}
