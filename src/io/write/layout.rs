//! Names, widths and types of the arrays of a dataset, in which all pieces of a file agree.

use serde::{Deserialize, Serialize};

use super::xml;
use crate::io::dataset::{Array, Dataset};

/// What all pieces share: the attributes of their arrays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PieceLayout {
    pub points: String,
    pub point_arrays: Vec<String>,
    pub cell_arrays: Vec<String>,
}

impl PieceLayout {
    pub(super) fn of(piece: &Dataset) -> Self {
        let attributes = |arrays: &[Array]| arrays.iter().map(xml::array_attributes).collect();
        Self {
            points: xml::points_attributes(&piece.points),
            point_arrays: attributes(&piece.point_arrays),
            cell_arrays: attributes(&piece.cell_arrays),
        }
    }
}
