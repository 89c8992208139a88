//! Points with their arrays as bytes, for another rank that has the same arrays.

use super::dataset::{ArrayData, Dataset, DatasetCells, Points};
use crate::error::{Error, Result};

impl Dataset {
    /// The points and the values of their arrays, as they lie in memory.
    pub fn point_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.points.len() as u64).to_ne_bytes().to_vec();
        bytes.extend_from_slice(self.points.bytes());
        self.point_arrays.iter().for_each(|array| bytes.extend_from_slice(array.data.bytes()));
        bytes
    }

    /// Appends the points of [`Dataset::point_bytes`] to a [`Dataset::point_cloud`] with the same
    /// arrays.
    ///
    /// # Errors
    /// [`Error::Request`] for bytes of other arrays.
    pub fn append_points(&mut self, bytes: &[u8]) -> Result<()> {
        let other = || {
            Error::request("points of other arrays are to be appended")
                .with_help("append the bytes of points that have the same arrays")
        };
        let (count, mut rest) = bytes.split_first_chunk().ok_or_else(other)?;
        let (before, count) = (self.points.len(), u64::from_ne_bytes(*count) as usize);
        let mut next = |size: usize| {
            let (own, left) = rest.split_at_checked(count.checked_mul(size)?)?;
            rest = left;
            Some(own)
        };
        match &mut self.points {
            Points::F32(points) => extend(points, next(12).ok_or_else(other)?),
            Points::F64(points) => extend(points, next(24).ok_or_else(other)?),
        }
        for array in &mut self.point_arrays {
            let own = next(array.width * array.data.value_size()).ok_or_else(other)?;
            match &mut array.data {
                ArrayData::F32(values) => extend(values, own),
                ArrayData::F64(values) => extend(values, own),
                ArrayData::I32(values) => extend(values, own),
                ArrayData::I64(values) => extend(values, own),
                ArrayData::U8(values) => values.extend_from_slice(own),
            }
        }
        match &mut self.cells {
            DatasetCells::Uniform { size: 1, connectivity, .. } if rest.is_empty() => {
                connectivity.extend(before as u32..(before + count) as u32);
                Ok(())
            }
            _ => Err(other()),
        }
    }
}

fn extend<T: bytemuck::Pod>(values: &mut Vec<T>, bytes: &[u8]) {
    values.extend(bytemuck::pod_collect_to_vec::<u8, T>(bytes));
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
        all.append_points(&cloud(&[]).point_bytes()).unwrap();
        all.append_points(&cloud(&[6, 7, 8]).point_bytes()).unwrap();
        assert_eq!(all, cloud(&[4, 5, 6, 7, 8]));
    }

    #[test]
    fn bytes_of_other_arrays_are_refused() {
        let bytes = cloud(&[1, 2]).point_bytes();
        assert!(cloud(&[1]).append_points(&bytes[..bytes.len() - 1]).is_err());
        assert!(cloud(&[1]).append_points(&[bytes.clone(), vec![0]].concat()).is_err());
        assert!(cloud(&[1]).append_points(&[]).is_err());
        let mut fewer = cloud(&[1]);
        fewer.point_arrays.pop();
        assert!(fewer.append_points(&bytes).is_err());
    }
}
