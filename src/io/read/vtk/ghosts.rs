//! The arrays that mark ghosts: cells that other pieces own, and hidden cells and points. They are
//! not arrays of the mesh.

use std::path::Path;

use super::grid::UnstructuredGrid;
use super::outline::ArraySection;
use crate::error::{Error, Result};
use crate::io::dataset::{GHOST_LEVELS, GHOST_TYPE};

const DUPLICATE_CELL: i64 = 1;
const HIDDEN_CELL: i64 = 32;
const HIDDEN_POINT: i64 = 2;

/// Whether an array of cells or points marks ghosts.
pub(super) fn is_ghosts(name: &str) -> bool {
    name == GHOST_TYPE || name == GHOST_LEVELS
}

/// Whether an array marks a cell that another piece owns.
fn is_duplicate(name: &str, value: f64) -> bool {
    name == GHOST_LEVELS && value > 0.0 || name == GHOST_TYPE && value as i64 & DUPLICATE_CELL != 0
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

/// What an array of ghosts marks that is not to be read, and what to do about it. Points that other
/// pieces own are read: the cells of this piece need them.
pub(super) fn refused_ghosts(
    section: ArraySection,
    name: &str,
    values: &[f64],
) -> Option<(&'static str, &'static str)> {
    let bits = values.iter().fold(0, |bits, &value| bits | value as i64);
    let what = match (section, name) {
        (ArraySection::CellData, GHOST_TYPE) if bits & HIDDEN_CELL != 0 => "hidden cells",
        (ArraySection::PointData, GHOST_TYPE) if bits & HIDDEN_POINT != 0 => {
            "hidden points, which hide their cells"
        }
        _ => return None,
    };
    Some((what, "write the cells that are not hidden as an unstructured grid"))
}

/// Refuses what an array of ghosts marks, if that is not to be read; `line` is where it stands.
///
/// # Errors
/// For hidden cells and points.
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
    let is_duplicate =
        |&value: &f64| section == ArraySection::CellData && is_duplicate(name, value);
    if values.iter().any(is_duplicate) {
        return Err(Error::file(path, line, "the piece has ghost cells")
            .with_help("write it without ghost levels; ghosts repeat cells of others"));
    }
    check_ghosts(path, section, name, values, line)
}
