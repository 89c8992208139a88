//! What outputs can be, and what they leave out.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use subsolid::io::MeshFormat;
use subsolid::jobs::output;
pub use subsolid::jobs::output::{check_ending, check_mesh_names};
use subsolid::mesh::SolidMesh;
use subsolid::{Result, io};

use super::Console;

/// Which format an ending stands for.
#[derive(Args)]
pub struct FormatOption {
    /// Format of a .msh, msh (text) unless given, or of a .mesh, which needs one
    #[arg(long, value_enum)]
    pub format: Option<MeshFormat>,
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
