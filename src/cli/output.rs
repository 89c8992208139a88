//! What outputs can be, and what they leave out.

use std::path::Path;

use subsolid::mesh::{CellArray, SolidMesh};
use subsolid::numbers::counted;
use subsolid::{Error, Result, io};

use super::Console;

/// Refuses an output whose ending is none of those that a subcommand writes; `why` says what it
/// writes. Standard output needs none.
pub fn check_ending(output: &Path, known: &[&str], why: &str) -> Result<()> {
    let ending = output.extension().unwrap_or_default();
    if output == Path::new("-") || known.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let known: Vec<String> = known.iter().map(|known| format!(".{known}")).collect();
    let listed = match &known[..] {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => known.concat(),
    };
    Err(Error::request(format!("{}: {why}", output.display()))
        .with_help(format!("end the name of the output in {listed}")))
}

/// Refuses attributes that the format of the output does not keep apart.
pub fn check_names(format: io::Format, mesh: &SolidMesh) -> Result<()> {
    if format == io::Format::Csv {
        io::check_table_attributes(&mesh.attributes)?;
    }
    io::check_names(format, mesh.attributes.iter().map(|attribute| attribute.name.as_str()))?;
    io::check_names(format, mesh.cell_data.iter().map(|array| array.name.as_str()))
}

/// Names the cell arrays whose names are those of the output's own arrays.
pub fn warn_left_out(names: &[&str], console: &Console) {
    if !names.is_empty() {
        console.warn(format!(
            "cell arrays {} are left out: the output's own arrays have these names; rename them",
            names.join(", ")
        ));
    }
}

/// Names the groups of faces that an output has no place for, and the arrays of cells where
/// `keeps_cell_arrays` is false.
pub fn warn_of_lost_data(
    mesh: &SolidMesh,
    keeps_cell_arrays: bool,
    output: &Path,
    console: &Console,
) {
    let of_faces = mesh.face_groups.iter().map(|group| group.name.as_str()).collect();
    let lost = if keeps_cell_arrays { &[] } else { mesh.cell_data.as_slice() };
    let of_cells: Vec<&str> = lost.iter().filter_map(CellArray::group_name).collect();
    let arrays = lost.iter().filter(|array| array.group_name().is_none());
    let arrays = arrays.map(|array| array.name.as_str()).collect();
    for (kind, names) in
        [("groups of faces", of_faces), ("groups of cells", of_cells), ("arrays of cells", arrays)]
    {
        if !names.is_empty() {
            let names = names.join(", ");
            console.warn(format!("{}: left out the {kind} {names}", output.display()));
        }
    }
}

/// Says that a table of points holds no cells, nor the creases, of `mesh`.
pub fn warn_of_table(format: io::Format, output: &Path, mesh: &SolidMesh, console: &Console) {
    if format == io::Format::Csv {
        let SolidMesh { cells, creases, .. } = mesh;
        // corners are a column
        let all = [(cells.len(), "cell"), (creases.edges.len(), "crease")];
        let lost = all.iter().filter(|(count, _)| *count > 0);
        let lost: Vec<String> = lost.map(|&(count, what)| counted(count, what)).collect();
        console.warn(format!("{}: left out {}", output.display(), lost.join(", ")));
        warn_of_lost_data(mesh, false, output, console);
    }
}

/// What a control mesh has, for people.
pub fn counts(mesh: &SolidMesh) -> String {
    format!("{}, {}", counted(mesh.points.len(), "vertex"), counted(mesh.cells.len(), "cell"))
}
