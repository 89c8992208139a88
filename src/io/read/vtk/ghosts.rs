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

/// What a file with hidden points has, and what to do about it.
pub(super) const HIDDEN_POINTS: [&str; 2] = [
    "hidden points, which hide their cells",
    "write the cells that are not hidden as an unstructured grid",
];

/// Whether an array of points hides some. Points that other pieces own are read: the cells of this
/// piece need them.
pub(super) fn hides_points(name: &str, values: &[f64]) -> bool {
    name == GHOSTS && values.iter().any(|&value| value as i64 & HIDDEN_POINT != 0)
}

/// Refuses an array of points, at `line`, that hides some.
///
/// # Errors
/// For hidden points.
pub(super) fn check_point_ghosts(
    path: &Path,
    name: &str,
    values: &[f64],
    line: Option<usize>,
) -> Result<()> {
    if !hides_points(name, values) {
        return Ok(());
    }
    let [what, help] = HIDDEN_POINTS;
    Err(Error::file(path, line, format!("the piece has {what}")).with_help(help))
}

/// Refuses an array of ghosts of a surface, which hides no face or point, and has no face of another
/// piece.
pub(super) fn check_face_ghosts(
    path: &Path,
    section: ArraySection,
    name: &str,
    values: &[f64],
    line: Option<usize>,
) -> Result<()> {
    if section == ArraySection::PointData {
        return check_point_ghosts(path, name, values, line);
    }
    if name == GHOSTS && values.iter().any(|&value| value as i64 & NOT_SHOWN != 0) {
        return Err(Error::file(path, line, "the piece has hidden cells")
            .with_help("write the cells that are not hidden as a surface of their own"));
    }
    if values.iter().any(|&value| is_duplicate(name, value)) {
        return Err(Error::file(path, line, "the piece has ghost cells")
            .with_help("write it without ghost levels; ghosts repeat cells of others"));
    }
    Ok(())
}
