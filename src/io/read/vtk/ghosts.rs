//! The arrays that mark ghosts. Cells that other pieces own are left out; hidden cells of a solid are
//! its ghosts ([`GHOSTS`](crate::mesh::GHOSTS)); hidden cells of a surface and hidden points are
//! refused.

use std::path::Path;

use super::grid::UnstructuredGrid;
use super::outline::ArraySection;
use crate::error::{Error, Result};
use crate::io::dataset::GHOST_LEVELS;
use crate::mesh::{GHOSTS, HIDDEN_CELL};

const DUPLICATE_CELL: i64 = 1;
/// Cells that finer ones stand for, and hidden cells.
const NOT_SHOWN: i64 = 16 | 32;
const HIDDEN_POINT: i64 = 2;

/// The values of the mesh's array of ghosts, from those of a file.
pub(super) fn as_ghosts(values: &[f64]) -> Vec<f64> {
    let value = |&value: &f64| if value as i64 & NOT_SHOWN == 0 { 0.0 } else { HIDDEN_CELL.into() };
    values.iter().map(value).collect()
}

/// Whether an array of cells or points marks ghosts.
pub(super) fn is_ghosts(name: &str) -> bool {
    name == GHOSTS || name == GHOST_LEVELS
}

/// Whether an array marks a cell that another piece owns.
fn is_duplicate(name: &str, value: f64) -> bool {
    name == GHOST_LEVELS && value > 0.0 || name == GHOSTS && value as i64 & DUPLICATE_CELL != 0
}

impl UnstructuredGrid {
    /// Leaves the cells out that an array of ghosts marks.
    pub fn mark_ghosts(&mut self, name: &str, values: &[f64]) {
        self.ghosts.resize(self.types.len(), false);
        for (ghost, &value) in self.ghosts.iter_mut().zip(values) {
            *ghost |= is_duplicate(name, value);
        }
    }
}

/// What an array of ghosts of a solid marks that is not to be read, and what to do about it. Points
/// that other pieces own are read: the cells of this piece need them.
pub(super) fn refused_ghosts(
    section: ArraySection,
    name: &str,
    values: &[f64],
) -> Option<(&'static str, &'static str)> {
    let bits = values.iter().fold(0, |bits, &value| bits | value as i64);
    let are_hidden =
        section == ArraySection::PointData && name == GHOSTS && bits & HIDDEN_POINT != 0;
    are_hidden.then_some((
        "hidden points, which hide their cells",
        "write the cells that are not hidden as an unstructured grid",
    ))
}

/// Refuses what an array of ghosts marks, if that is not to be read; `line` is where it stands.
///
/// # Errors
/// For hidden points.
pub(super) fn check_ghosts(
    path: &Path,
    section: ArraySection,
    name: &str,
    values: &[f64],
    line: Option<usize>,
) -> Result<()> {
    match refused_ghosts(section, name, values) {
        Some((what, help)) => {
            Err(Error::file(path, line, format!("the piece has {what}")).with_help(help))
        }
        None => Ok(()),
    }
}

/// [`check_ghosts`] of the faces of a surface, which no other piece may own either.
pub(super) fn check_face_ghosts(
    path: &Path,
    section: ArraySection,
    name: &str,
    values: &[f64],
    line: Option<usize>,
) -> Result<()> {
    let is_of_cells = section == ArraySection::CellData;
    if is_of_cells && name == GHOSTS && values.iter().any(|&value| value as i64 & NOT_SHOWN != 0) {
        return Err(Error::file(path, line, "the piece has hidden cells")
            .with_help("write the cells that are not hidden as a surface of their own"));
    }
    let is_duplicate = |&value: &f64| is_of_cells && is_duplicate(name, value);
    if values.iter().any(is_duplicate) {
        return Err(Error::file(path, line, "the piece has ghost cells")
            .with_help("write it without ghost levels; ghosts repeat cells of others"));
    }
    check_ghosts(path, section, name, values, line)
}
