//! The arrays that mark ghosts: cells that other pieces own, and hidden cells and points. They are
//! not arrays of the mesh.

use crate::io::dataset::{GHOST_LEVELS, GHOST_TYPE};
use std::path::Path;

use super::outline::ArraySection;
use crate::error::{Error, Result};

const DUPLICATE_CELL: i64 = 1;
const HIDDEN_CELL: i64 = 32;
const HIDDEN_POINT: i64 = 2;

/// Whether an array of cells or points marks ghosts.
pub(super) fn is_ghosts(name: &str) -> bool {
    name == GHOST_TYPE || name == GHOST_LEVELS
}

/// What an array of ghosts marks that is not to be read, and what to do about it. Points that other
/// pieces own are read: the cells of this piece need them.
pub(super) fn refused_ghosts(
    section: ArraySection,
    name: &str,
    values: &[f64],
) -> Option<(&'static str, &'static str)> {
    let bits = values.iter().fold(0, |bits, &value| bits | value as i64);
    let hidden = "write the cells that are not hidden as an unstructured grid";
    match (section, name) {
        (ArraySection::CellData, GHOST_LEVELS) if bits == 0 => None,
        (ArraySection::CellData, _) if name == GHOST_LEVELS || bits & DUPLICATE_CELL != 0 => {
            Some(("ghost cells", "write it without ghost levels; ghosts repeat cells of others"))
        }
        (ArraySection::CellData, _) => {
            (bits & HIDDEN_CELL != 0).then_some(("hidden cells", hidden))
        }
        (ArraySection::PointData, GHOST_TYPE) => {
            (bits & HIDDEN_POINT != 0).then_some(("hidden points, which hide their cells", hidden))
        }
        _ => None,
    }
}

/// Refuses what an array of ghosts marks, if that is not to be read; `line` is where it stands.
///
/// # Errors
/// For ghost cells, and for hidden cells and points.
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
