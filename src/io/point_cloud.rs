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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Array;

    fn cloud(values: &[i32]) -> Dataset {
        let points: Vec<[f64; 3]> = values.iter().map(|&x| [x.into(), 0.5, -1.0]).collect();
        let mut dataset = Dataset::point_cloud(points);
        let pairs: Vec<f64> = values.iter().flat_map(|&x| [x.into(), 1.0 / 3.0]).collect();
        dataset.point_arrays = vec![
            Array::new("id", 1, values.to_vec()),
            Array::new("pair", 2, pairs),
            Array::new("byte", 1, values.iter().map(|&x| x as u8).collect::<Vec<u8>>()),
        ];
        dataset
    }

    #[test]
    fn points_are_appended() {
        let mut all = cloud(&[4, 5]);
        all.append_points(cloud(&[])).unwrap();
        all.append_points(cloud(&[6, 7, 8])).unwrap();
        assert_eq!(all, cloud(&[4, 5, 6, 7, 8]));
    }

    #[test]
    fn points_of_other_arrays_are_refused() {
        let mut fewer = cloud(&[1]);
        fewer.point_arrays.pop();
        assert!(fewer.append_points(cloud(&[1, 2])).is_err());
        let mut other = cloud(&[1]);
        other.point_arrays[0] = Array::new("id", 1, vec![1.0]);
        assert!(cloud(&[3]).append_points(other).is_err());
    }
}
