//! What a single file holds in all, and a file that pieces go to.

use std::io;

use super::SideGroup;
use crate::error::{Error, Result};
use crate::io::dataset::{Array, ArrayData, Dataset};

/// What a file of several pieces will hold in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOutline {
    /// Points of all pieces.
    pub points: usize,
    /// Cells of all pieces.
    pub cells: usize,
    /// Names of the point arrays of 64-bit integers with values beyond 32 bits: a `.vtk` file
    /// has others in 32 bits.
    pub wide_point_arrays: Vec<String>,
    /// Names of the cell arrays of 64-bit integers with values beyond 32 bits.
    pub wide_cell_arrays: Vec<String>,
    /// Groups of sides of the cells, for formats of [`MeshFormat`](crate::io::MeshFormat).
    pub side_groups: Vec<SideGroup>,
}

impl FileOutline {
    /// The outline of a dataset that is the whole file.
    pub fn of(dataset: &Dataset) -> Self {
        Self {
            points: dataset.points.len(),
            cells: dataset.cells.len(),
            wide_point_arrays: wide(&dataset.point_arrays),
            wide_cell_arrays: wide(&dataset.cell_arrays),
            side_groups: Vec::new(),
        }
    }

    /// Refuses integers beyond 32 bits that the outline does not name.
    pub(super) fn check_wide(&self, piece: &Dataset) -> Result<()> {
        let known = [&self.wide_point_arrays, &self.wide_cell_arrays];
        let found = [wide(&piece.point_arrays), wide(&piece.cell_arrays)];
        for (found, known) in found.iter().zip(known) {
            if let Some(name) = found.iter().find(|&name| !known.contains(name)) {
                return Err(Error::request(format!(
                    "array {name:?} has integers beyond 32 bits, which its outline does not say"
                ))
                .with_help("name it among the wide arrays"));
            }
        }
        Ok(())
    }
}

/// Names of the arrays with integers beyond 32 bits.
pub fn wide(arrays: &[Array]) -> Vec<String> {
    let is_wide = |array: &&Array| match &array.data {
        ArrayData::I64(values) => values.iter().any(|&value| i32::try_from(value).is_err()),
        _ => false,
    };
    arrays.iter().filter(is_wide).map(|array| array.name.clone()).collect()
}

/// Points and cells of all pieces.
#[derive(Clone, Copy)]
pub struct TotalCounts {
    pub points: usize,
    pub cells: usize,
}

/// A file that is being written.
pub trait SingleFile {
    /// Adds a piece, which has been checked, after `cells_before` cells.
    fn push(&mut self, piece: &Dataset, cells_before: usize) -> io::Result<()>;

    /// Writes the rest.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
