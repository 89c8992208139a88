//! `subsolid boundary`

use std::path::PathBuf;

use clap::Args;
use subsolid::Result;
use subsolid::jobs::boundary::BoundaryRequest;
use subsolid::scheme::VertexRule;

use super::gltf::{axes, units};
use super::model::ModelArguments;
use super::{Console, Outcome};

/// Write the surface that bounds a solid, with its creases
///
/// Refined as a Catmull-Clark surface it is the boundary of the refined solid. Creases
/// become tags of .obj files.
#[derive(Args)]
#[command(mut_arg("unit", units), mut_arg("up", axes))]
#[command(after_help = "\
Examples:
  subsolid boundary model.vtk -o skin.obj
  subsolid boundary model.vtk --crease-angle 40 -o skin.obj
  subsolid surface skin.obj --levels 3 -o fine.obj")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// File to write: .obj, .ply, .vtp, .stl, .glb or .3mf; .msh, .mesh, .inp or .exo for finite-element
    /// programs, with the groups of faces
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    request: BoundaryRequest,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, output, request } = &arguments;
    request.check(output)?;
    model.check_no_input(output, &[])?;
    let mesh = model.load(0, VertexRule::default(), console)?;
    let topology = model.topology(&mesh, console)?;
    let written = request.run(&mesh, &topology, output, &mut console.notes())?;
    console.report_json(&written)?;
    Ok(Outcome::Done)
}
