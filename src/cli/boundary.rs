//! `subsolid boundary`

use std::path::PathBuf;

use clap::Args;
use subsolid::scheme::VertexRule;
use subsolid::surface::boundary_with_topology;
use subsolid::{Result, io};

use super::gltf::GlbArguments;
use super::model::ModelArguments;
use super::output::{warn_of_losses, warn_of_lost_data};
use super::surface_output::write;
use super::{Console, Outcome};

/// Write the surface that bounds a solid, with its creases
///
/// Refined as a Catmull-Clark surface it is the boundary of the refined solid. Creases
/// become tags of .obj files.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid boundary model.vtk -o skin.obj
  subsolid boundary model.vtk --crease-angle 40 -o skin.obj
  subsolid surface skin.obj --levels 3 -o fine.obj")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// File to write: .obj, .ply, .vtp, .stl or .glb
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    glb: GlbArguments,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let output = &arguments.output;
    let glb = arguments.glb.options(output)?;
    let format = io::check_surface_output(output)?;
    arguments.model.check_no_input(output, &[])?;
    let solid = arguments.model.load(0, VertexRule::default(), console)?;
    let surface = boundary_with_topology(&solid, &arguments.model.topology(&solid, console)?)?;
    warn_of_lost_data(&solid, false, output, console);
    warn_of_losses(&format.losses(&surface), output, console);
    write(output, &surface, &glb, None, console)
}
