//! What outputs can be, and what they leave out.

use std::path::Path;
use std::time::Instant;

use subsolid::jobs::output;
pub use subsolid::jobs::output::{check_ending, check_mesh_names};
use subsolid::mesh::SolidMesh;
use subsolid::{Result, io};

use super::Console;

/// Writes a control mesh, and says what its format leaves out.
pub fn write_mesh(
    mesh: &SolidMesh,
    path: &Path,
    format: io::Format,
    compress: bool,
    console: &Console,
) -> Result<()> {
    output::warn_of_losses(&format.losses(mesh), path, &mut console.notes());
    let start = Instant::now();
    console.during("Writing", || io::write(path, mesh, io::WriteOptions { compress }))?;
    console.wrote(path.display(), mesh.counts(), start);
    Ok(())
}
