//! What archives hold.

use serde::{Deserialize, Serialize};

use crate::io::plain_name;
use crate::mesh::CellArray;

/// Arrays of cells that archives of volumes have of their own; their names are reserved in all.
const OWN_CELL_ARRAYS: [&str; 3] = ["volume", "remainder_parameter_volume", "remainder_volume"];

/// Which arrays to write, beside those that say what the leaves are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Store {
    /// Basis functions and their derivatives, once for all leaves that share them: all that is
    /// needed to compute the rest.
    #[default]
    Tables,
    /// Positions, measures and inverse Jacobians at every quadrature point.
    Geometry,
    /// Both.
    All,
}

impl Store {
    pub(super) fn has_tables(self) -> bool {
        self != Self::Geometry
    }

    pub(super) fn has_geometry(self) -> bool {
        self != Self::Tables
    }
}

/// What to write.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExportOptions<'a> {
    /// The arrays to write.
    pub store: Store,
    /// Write `physical/gradients`, and `physical/second` if the quadrature has second
    /// derivatives: by far the most data, 98 KB a regular cell at 4³ points.
    pub physical_derivatives: bool,
    /// Compress.
    pub compress: bool,
    /// Arrays of the mesh's cells to write too, as `cell/NAME`, but for [`Self::left_out`].
    pub cell_data: &'a [CellArray],
}

impl<'a> ExportOptions<'a> {
    /// Names of the cell arrays that are not written: archives have their own of these names.
    #[must_use]
    pub fn left_out(&self) -> Vec<&'a str> {
        self.cell_data.iter().filter(|array| is_own(array)).map(|array| &array.name[..]).collect()
    }
}

pub(super) fn is_own(array: &CellArray) -> bool {
    OWN_CELL_ARRAYS.contains(&&plain_name(&array.name)[..])
}
