//! Which whole numbers the cells of a mesh have in an array: ids of materials.

use crate::error::IdKind;
use crate::error::{Error, Result};
use crate::mesh::CellArray;

/// Maximum number of materials: one byte a pixel, with 0 for none.
pub const MAX_MATERIALS: usize = 255;

/// The whole numbers that cells have in an array.
#[derive(Clone, Debug, PartialEq)]
pub struct CellIds {
    name: String,
    width: usize,
    // ascending, each once, no more than can be materials and one
    ids: Vec<i64>,
    // the first cell with a value that is not a whole number
    other: Option<(u32, f64)>,
}

impl CellIds {
    /// The ids in an array of the cells.
    pub fn of(array: &CellArray) -> Self {
        let other = array.values.iter().position(|x| x.fract() != 0.0);
        let cell = |at: usize| ((at / array.width.max(1)) as u32, array.values[at]);
        let ids = array.values.iter().map(|&x| x as i64).collect();
        Self {
            name: array.group_name().unwrap_or(&array.name).to_owned(),
            width: array.width,
            ids: distinct(ids),
            other: other.map(cell),
        }
    }

    /// Name of the array, or of the group of cells.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The numbers, ascending; some of those that are too many for materials.
    pub(super) fn ids(&self) -> Result<&[i64]> {
        let Self { name, width, ids, other } = self;
        if *width == 1 && other.is_none() {
            return Ok(ids);
        }
        let place = other.map(|(cell, x)| message!(": ", IdKind::Cell.id(cell), " has {x}"));
        Err(Error::request(message!(
            "{name:?} has no whole number per cell",
            place.unwrap_or_default()
        ))
        .with_help("give an array of material ids"))
    }
}

/// Ids, ascending and each once, some of more than can be materials.
fn distinct(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(MAX_MATERIALS + 1);
    ids
}
