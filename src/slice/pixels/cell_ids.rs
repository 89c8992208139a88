//! Which whole numbers the cells of a mesh have in an array: ids of materials.

use crate::cluster::Ranks;
use crate::error::IdKind;
use crate::error::{Error, Result};
use crate::mesh::CellArray;
use crate::parts::DistributedMesh;
use crate::parts::exchange::{next, next_id, next_number};

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
    ///
    /// # Errors
    /// [`Error::Request`] if the array has several components or a value that is not a whole
    /// number, with the cell.
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

    /// The ids in an array of the cells of a mesh that ranks hold together; `None` if there is no
    /// such array.
    ///
    /// # Errors
    /// Those of other ranks.
    pub fn shared(ranks: &Ranks<'_>, mesh: &DistributedMesh, name: &str) -> Result<Option<Self>> {
        let Some(array) = mesh.block().cell_data.iter().find(|array| array.is_named(name)) else {
            return Ok(None); // on all ranks: they have the same arrays
        };
        let first = mesh.cells().range(ranks.rank()).start as u32;
        let mut all = Self::of(array);
        let (cell, value) = all.other.map_or((u32::MAX, 0.0), |(cell, x)| (first + cell, x));
        let mut bytes = cell.to_ne_bytes().to_vec();
        bytes.extend(value.to_ne_bytes());
        bytes.extend(all.ids.iter().flat_map(|id| id.to_ne_bytes()));
        (all.ids, all.other) = (Vec::new(), None);
        for bytes in ranks.all_gather(Ok(bytes))? {
            let mut rest = &bytes[..];
            let found = (next_id(&mut rest)?, next_number(&mut rest)?);
            if found.0 != u32::MAX {
                all.other.get_or_insert(found);
            }
            while !rest.is_empty() {
                all.ids.push(i64::from_ne_bytes(next(&mut rest)?));
            }
        }
        all.ids = distinct(all.ids);
        Ok(Some(all))
    }
}

/// Ids, ascending and each once, some of more than can be materials.
fn distinct(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(MAX_MATERIALS + 1);
    ids
}
