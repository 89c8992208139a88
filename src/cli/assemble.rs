//! `subsolid assemble`

use std::path::PathBuf;

use clap::Args;
use subsolid::Result;
use subsolid::backend::start;
use subsolid::jobs::assemble::AssembleRequest;
use subsolid::scheme::VertexRule;

use super::model::ModelArguments;
use super::{Console, Outcome};

/// Write finite element matrices and load vectors: mass, stiffness, elasticity
///
/// Unknowns are the vertices of the control mesh; those of elasticity 3 v + d, displacement d of
/// vertex v. Sides are the parts of the boundary between infinitely sharp edges, as
/// `subsolid quadrature --boundary` numbers them; groups of faces have the names that the file
/// gives them. The folder gets mass, stiffness, elasticity (.npz or .mtx) and model.npz: points,
/// load (vertices, 3), and the vertices of each side and of each group of faces.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid assemble part.vtk --stiffness --mass -o heat
  subsolid assemble beam.vtk --crease-angle 40 --elasticity 210e9,0.3 --load 5=0,0,-1e5 -o beam
  subsolid assemble part.vtk --elasticity 70e9,0.33 --body 0,0,-26500 --format mtx -o part")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    #[command(flatten)]
    request: AssembleRequest,
    /// Folder to write to
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, levels, request, output } = &arguments;
    request.check(Some(output))?;
    let _starting = start(request.backend)?;
    let mesh = model.load(*levels, VertexRule::default(), console)?;
    let solid = model.analyze(&mesh, console)?;
    let assembly = request.run(&mesh, &solid, Some(output), &mut console.notes())?;
    console.report_json(&assembly.report)?;
    Ok(Outcome::Done)
}
