//! Numbers of points and of cells.

use crate::io::dataset::{Array, ArrayData};

/// Numbers of points or of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct RealArray {
    pub name: String,
    /// Values an entry.
    pub width: usize,
    /// `values[entry * width + component]`.
    pub values: Vec<f64>,
}

impl RealArray {
    /// The rows of some entries of an array.
    pub fn of(array: &Array, entries: &[u32]) -> Self {
        let width = array.width;
        let value = |i: usize| match &array.data {
            ArrayData::F32(values) => f64::from(values[i]),
            ArrayData::F64(values) => values[i],
            ArrayData::I32(values) => f64::from(values[i]),
            ArrayData::I64(values) => values[i] as f64,
            ArrayData::U8(values) => f64::from(values[i]),
        };
        let row = |&entry: &u32| (0..width).map(move |d| value(entry as usize * width + d));
        let values = entries.iter().flat_map(row).collect();
        Self { name: array.name.clone(), width, values }
    }

    /// Its components as arrays of one value, named `NAME_x`, or `NAME_1` if there are not 3.
    pub fn components(&self) -> Vec<(String, Vec<f64>)> {
        let component = |d: usize| {
            let name = match self.width {
                1 => self.name.clone(),
                3 => format!("{}_{}", self.name, ["x", "y", "z"][d]),
                _ => format!("{}_{}", self.name, d + 1),
            };
            (name, self.values.iter().skip(d).step_by(self.width).copied().collect())
        };
        (0..self.width).map(component).collect()
    }
}
