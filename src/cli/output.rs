//! What outputs can be, and what they leave out.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use subsolid::io::MeshFormat;
use subsolid::jobs::output;
pub use subsolid::jobs::output::{check_ending, check_mesh_names};
use subsolid::mesh::SolidMesh;
use subsolid::{Result, io};

use super::Console;
use super::model::ModelArguments;

/// Which format an ending stands for.
#[derive(Args)]
pub struct FormatOption {
    /// Format of a .msh, msh (text) unless given, or of a .mesh, which needs one
    #[arg(long, value_enum)]
    pub format: Option<MeshFormat>,
}

/// The file of a control mesh of a solid.
#[derive(Args)]
pub struct SolidOutput {
    /// File to write: .vtu, .pvtu, .vtk, .csv or .npz; .msh, .mesh, .inp or .exo for finite-element
    /// programs
    #[arg(id = "output", long = "output", short, value_name = "OUT")]
    pub path: PathBuf,
    /// Compress .vtu, .pvtu and .npz
    #[arg(long)]
    pub compress: bool,
    #[command(flatten)]
    format: FormatOption,
}

impl SolidOutput {
    /// The format; checks that the file can be written, and is not the model.
    pub fn check(&self, model: &ModelArguments) -> Result<io::Format> {
        model.check_no_input(&self.path, &[])?;
        self.check_alone()
    }

    /// [`SolidOutput::check`] where there is no model.
    pub fn check_alone(&self) -> Result<io::Format> {
        let format = io::check_output_as(&self.path, self.format.format)?;
        format.check_compress(self.compress)?;
        Ok(format)
    }

    /// Writes a mesh, and says what its format leaves out.
    pub fn write(&self, mesh: &SolidMesh, format: io::Format, console: &Console) -> Result<()> {
        write_mesh(mesh, &self.path, format, self.compress, console)
    }
}

/// Writes a control mesh, and says what its format leaves out.
pub fn write_mesh(
    mesh: &SolidMesh,
    path: &Path,
    format: io::Format,
    compress: bool,
    console: &Console,
) -> Result<()> {
    let options = io::WriteOptions { compress, format: format.of_exchange() };
    output::warn_of_losses(&format.losses(mesh), path, &mut console.notes());
    let start = Instant::now();
    console.during("Writing", || io::write(path, mesh, options))?;
    console.wrote(path.display(), mesh.counts(), start);
    Ok(())
}
