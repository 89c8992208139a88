//! Where subcommands that take solids and surfaces write the mesh.

use std::path::{Path, PathBuf};

use clap::Args;
use subsolid::Result;
use subsolid::io::{Format, GlbOptions, SurfaceFormat};
use subsolid::jobs::surface_file::{GlbRequest, write_surface};
use subsolid::mesh::{SolidMesh, SurfaceMesh};

use super::Console;
use super::gltf::{axes, units};
use super::model::ModelArguments;
use super::output::{FormatOption, write_mesh};
use super::unused::refuse_for_solids;

#[derive(Args)]
#[command(mut_arg("unit", units), mut_arg("up", axes))]
pub struct MeshOutput {
    /// File to write; of a solid .vtu, .pvtu, .vtk, .csv, .npz, .msh, .mesh, .inp or .exo, of a surface .obj, .ply, .vtp,
    /// .stl, .glb or .3mf
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Compress .vtu, .pvtu and .npz
    #[arg(long)]
    compress: bool,
    #[command(flatten)]
    format: FormatOption,
    #[command(flatten)]
    glb: GlbRequest,
}

impl MeshOutput {
    /// Refuses options of `.glb` where the output is none, before anything is read.
    pub fn glb(&self) -> Result<GlbOptions> {
        self.glb.options(&self.output)
    }

    /// The format of a solid; checks that it can be written, over none of the inputs.
    pub fn of_solid(&self, model: &ModelArguments, others: &[&Path]) -> Result<Format> {
        let format = model.check_output(&self.output, self.format.format, others)?;
        format.check_compress(self.compress)?;
        Ok(format)
    }

    /// The format of a surface; checks that it can be written, over none of the inputs.
    pub fn of_surface(&self, model: &ModelArguments, others: &[&Path]) -> Result<SurfaceFormat> {
        refuse_for_solids(&[
            (self.compress, "--compress"),
            (self.format.format.is_some(), "--format"),
        ])?;
        let format = model.surface_output(&self.output)?;
        model.check_no_input(&self.output, others)?;
        Ok(format)
    }

    /// Writes a solid.
    pub fn write_solid(&self, mesh: &SolidMesh, format: Format, console: &Console) -> Result<()> {
        write_mesh(mesh, &self.output, format, self.compress, console)
    }

    /// Writes a surface; says what its format leaves out.
    pub fn write_surface(&self, mesh: &SurfaceMesh, console: &Console) -> Result<()> {
        write_surface(&self.output, mesh, &self.glb()?, &mut console.notes()).map(drop)
    }

    /// The name of the file, for reports.
    pub fn name(&self) -> String {
        self.output.display().to_string()
    }
}
