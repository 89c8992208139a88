//! `subsolid refine`

mod pieces;

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::cluster::Ranks;
use subsolid::jobs::refine::RefineRequest;
use subsolid::mesh::SolidMesh;
use subsolid::{Error, Result, io};

use super::model::ModelArguments;
use super::output::{SolidOutput, check_mesh_names};
use super::pieces::piece_size;
use super::{Console, Outcome};

/// Refine a control mesh, with its creases and attributes
///
/// Children of hexahedron c are cells 8c to 8c + 7, child i at corner i (VTK order),
/// with axes parallel to the parent's.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid refine model.mesh --levels 2 -o fine.vtu
  mpirun -n 8 subsolid --mpi refine model.mesh --levels 4 -o fine.pvtu
  subsolid refine model.mesh --levels 0 --reorient -o right.vtu
  subsolid refine model.vtu --levels 0 --weld -o joined.vtu
  subsolid refine model.vtu --levels 0 --weld=1e-6 -o joined.vtu
  subsolid refine model.vtu --levels 0 --split-nonmanifold -o parts.vtu
  subsolid refine model.mesh --vertex-rule joy-maccracken -o fine.vtk")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    request: RefineRequest,
    /// Merge vertices with equal coordinates first, or those within DISTANCE of one another (in
    /// length units), so that cells that do not share vertices become one solid; the first vertex
    /// of each place keeps its attributes; use --levels 0 to do only this
    #[arg(long, value_name = "DISTANCE", num_args = 0..=1, require_equals = true,
          default_missing_value = "0")]
    weld: Option<f64>,
    #[command(flatten)]
    output: SolidOutput,
    /// Maximum number of cells per piece of a .pvtu. Pieces are refined one at a time: the whole
    /// refined mesh is never in memory [default: 262144]
    #[arg(long, value_name = "N", value_parser = piece_size)]
    piece_cells: Option<usize>,
}

pub fn run(arguments: Arguments, ranks: Option<&Ranks<'_>>, console: &Console) -> Result<Outcome> {
    let Arguments { model, request, output, .. } = &arguments;
    let format = output.check(model)?;
    let in_pieces = format == io::Format::Pvtu && request.levels > 0;
    if ranks.is_some() && !in_pieces {
        return Err(Error::request("ranks write a .pvtu of 1 level or more").with_help(
            "end the name of the output in .pvtu and give --levels, or leave --mpi out",
        ));
    }
    if arguments.piece_cells.is_some() && !in_pieces {
        let help = match format {
            io::Format::Pvtu => "give --levels 1 or more, or leave the option out",
            _ => "end the name of the output in .pvtu, or leave the option out",
        };
        return Err(
            Error::request("--piece-cells is for a .pvtu of 1 level or more").with_help(help)
        );
    }
    model.check_ranks(ranks)?;
    let mut mesh = model.read_welded(arguments.weld, console)?;
    request.repair(&mut mesh, &mut console.notes())?;
    if in_pieces {
        return pieces::run(&arguments, &mesh, ranks, console);
    }
    if request.levels == 0 {
        // cells without a topology are written as they are
        model.check_cells(&mesh, console)?;
    } else {
        model.check_hexahedra(&mesh, console)?;
    }
    check_mesh_names(format, &mesh)?;
    let mesh = model.refined(mesh, request.levels, request.vertex_rule, console)?;
    output.write(&mesh, format, console)?;
    WrittenMesh::of(&mesh, &output.path).report(console)
}

/// A control mesh that was written.
#[derive(Serialize, JsonSchema)]
pub struct WrittenMesh {
    /// Name of the file written.
    output: String,
    /// Number of its control points.
    vertices: usize,
    /// Number of its cells.
    cells: usize,
}

impl WrittenMesh {
    pub fn of(mesh: &SolidMesh, output: &Path) -> Self {
        let (vertices, cells) = (mesh.points.len(), mesh.cells.len());
        Self { output: output.display().to_string(), vertices, cells }
    }

    /// Reports to machines; people have seen the status line.
    pub fn report(&self, console: &Console) -> Result<Outcome> {
        console.report_json(self)?;
        Ok(Outcome::Done)
    }
}
