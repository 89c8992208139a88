//! Clouds of points that are joined.

use super::dataset::{ArrayData, Dataset, DatasetCells, Points};
use crate::error::{Error, Result};

impl Dataset {
    /// Appends the points of another [`Dataset::point_cloud`] with the same arrays.
    ///
    /// # Errors
    /// [`Error::Request`] for other arrays.
    pub fn append_points(&mut self, more: Self) -> Result<()> {
        let other = || {
            Error::request("points of other arrays are to be appended")
                .with_help("append points that have the same arrays")
        };
        if self.point_arrays.len() != more.point_arrays.len() {
            return Err(other());
        }
        match (&mut self.points, more.points) {
            (Points::F32(own), Points::F32(more)) => own.extend(more),
            (Points::F64(own), Points::F64(more)) => own.extend(more),
            _ => return Err(other()),
        }
        for (own, more) in self.point_arrays.iter_mut().zip(more.point_arrays) {
            match (&mut own.data, more.data) {
                _ if own.width != more.width => return Err(other()),
                (ArrayData::F32(own), ArrayData::F32(more)) => own.extend(more),
                (ArrayData::F64(own), ArrayData::F64(more)) => own.extend(more),
                (ArrayData::I32(own), ArrayData::I32(more)) => own.extend(more),
                (ArrayData::I64(own), ArrayData::I64(more)) => own.extend(more),
                (ArrayData::U8(own), ArrayData::U8(more)) => own.extend(more),
                _ => return Err(other()),
            }
        }
        let DatasetCells::Uniform { size: 1, connectivity, .. } = &mut self.cells else {
            return Err(other());
        };
        connectivity.extend(connectivity.len() as u32..self.points.len() as u32);
        Ok(())
    }
}
