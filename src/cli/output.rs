//! What outputs can be, and what they leave out.

use std::path::Path;
use std::time::Instant;

use subsolid::jobs::output;
pub use subsolid::jobs::output::check_ending;
use subsolid::mesh::SolidMesh;
use subsolid::{Result, io};

use super::Console;

/// Refuses attributes that the format of the output does not keep apart.
pub fn check_names(format: io::Format, mesh: &SolidMesh) -> Result<()> {
    if format == io::Format::Csv {
        io::check_table_attributes(&mesh.attributes)?;
    }
    io::check_names(format, mesh.attributes.iter().map(|attribute| attribute.name.as_str()))?;
    io::check_names(format, mesh.cell_data.iter().map(|array| array.name.as_str()))
}

/// [`output::warn_left_out`] on a console.
pub fn warn_left_out(names: &[&str], console: &Console) {
    output::warn_left_out(names, &mut console.notes());
}

/// [`output::warn_of_lost_data`] on a console.
pub fn warn_of_lost_data(mesh: &SolidMesh, keeps_arrays: bool, path: &Path, console: &Console) {
    output::warn_of_lost_data(mesh, keeps_arrays, Some(path), &mut console.notes());
}

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
