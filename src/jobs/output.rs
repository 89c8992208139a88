//! What jobs say of their outputs, and limits of them.

use std::borrow::Borrow;
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use super::{Notes, since};
use crate::error::{Error, Result, option};
pub use crate::io::check_ending;
use crate::io::{Format, JobPart, check_names, check_table_attributes, lost_data};
use crate::memory::decimal_bytes;
use crate::mesh::SolidMesh;
use crate::view::{FigureTable, Page};
use crate::volume::left_out_notice;

/// Refuses attributes and arrays of cells whose names a format does not hold or keep apart.
///
/// # Errors
/// As [`check_names`] and, for a table, [`check_table_attributes`].
pub fn check_mesh_names(format: Format, mesh: &SolidMesh) -> Result<()> {
    if format == Format::Csv {
        check_table_attributes(&mesh.attributes)?;
    }
    check_names(format, mesh.attributes.iter().map(|attribute| attribute.name.as_str()))?;
    check_names(format, mesh.cell_data.iter().map(|array| array.name.as_str()))
}

/// The name of a file, or of what `-` stands for.
pub fn named(name: impl Display, standard: &str) -> String {
    let name = name.to_string();
    if name == "-" || name.starts_with("-.") { standard.into() } else { name }
}

/// What there is to say of a file that was written since `start`, and what it holds.
pub fn written(name: impl Display, what: impl Display, start: Instant) -> String {
    format!("{}: {what} in {}", named(name, "<standard output>"), since(start))
}

/// How a part of an output is called.
pub fn part_of(output: &Path, part: JobPart) -> String {
    format!("part {part} of {}", output.display())
}

/// The elements of pieces that follow one another.
pub fn covered(pieces: &[Range<usize>]) -> Range<usize> {
    match (pieces.first(), pieces.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    }
}

/// Says beforehand how many bytes will be written; refuses more than `most` GB, the option
/// `max_size`.
///
/// # Errors
/// As [`check_size`].
pub fn announce(output: &Path, bytes: u64, most: f64, notes: &mut dyn Notes) -> Result<()> {
    check_size(output, bytes, most)?;
    let size = decimal_bytes(bytes.into());
    notes.status("Planned", format!("{}: about {size} before compression", output.display()));
    Ok(())
}

/// Refuses an output of more than `most` GB, the option `max_size`.
///
/// # Errors
/// [`Error::Request`] with both sizes.
pub fn check_size(output: &Path, bytes: u64, most: f64) -> Result<()> {
    if bytes as f64 <= 1e9 * most {
        return Ok(());
    }
    let needed = (bytes as f64 / 1e8).ceil() / 10.0;
    let size = decimal_bytes(bytes.into());
    Err(Error::request(message!(
        format!("{} would have {size} before compression, more than ", output.display()),
        option("max_size", most)
    ))
    .with_help(message!("give ", option("max_size", needed), ", or ask for less")))
}

/// Names the groups of faces that an output has no place for, and the arrays of cells where
/// `keeps_cell_arrays` is false.
pub fn warn_of_lost_data(
    mesh: &SolidMesh,
    keeps_cell_arrays: bool,
    output: Option<&Path>,
    notes: &mut dyn Notes,
) {
    let of = output.map(|output| format!("{}: ", output.display())).unwrap_or_default();
    for loss in lost_data(mesh, keeps_cell_arrays) {
        notes.warn(format!("{of}left out {loss}").into());
    }
}

/// Says what an output leaves out.
pub fn warn_of_losses(losses: &[String], output: &Path, notes: &mut dyn Notes) {
    for loss in losses {
        notes.warn(format!("{}: left out {loss}", output.display()).into());
    }
}

/// Names the columns of a table that are not read.
pub fn warn_of_ignored<S: Borrow<str>>(table: &Path, ignored: &[S], notes: &mut dyn Notes) {
    if !ignored.is_empty() {
        let names = ignored.join(", ");
        notes.warn(format!("{}: the columns {names} are not read", table.display()).into());
    }
}

/// Names the cell arrays with names of the output's own arrays.
pub fn warn_left_out(names: &[&str], notes: &mut dyn Notes) {
    left_out_notice(names).into_iter().for_each(|notice| notes.warn(notice.into()));
}

/// Checks that a report can be written as a page, before any work is done for it.
///
/// # Errors
/// [`Error::Request`] for another ending, and what writing refuses.
pub fn check_page(path: &Path) -> Result<()> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    if ending != "html" && ending != "htm" {
        return Err(Error::request(format!("{}: a report is a page", path.display()))
            .with_help("end its name in .html"));
    }
    crate::io::atomic::check(path)
}

/// Writes a page with tables beside the picture of the model.
///
/// # Errors
/// What the system refuses.
pub fn write_page(
    path: &Path,
    mut page: Page,
    tables: Vec<FigureTable>,
    notes: &mut dyn Notes,
) -> Result<()> {
    tables.into_iter().for_each(|table| page.add_table(table));
    let start = Instant::now();
    let bytes = page.write(path)?;
    notes.status("Wrote", written(path.display(), decimal_bytes(bytes.into()), start));
    Ok(())
}
