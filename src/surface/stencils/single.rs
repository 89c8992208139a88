//! All levels as one sparse matrix, R = R_{l−1} … R₀ (Mlakar et al. 2020, section 6.3):
//! compressed rows, columns ascending, padded to whole groups of entries.
//!
//! It is read once an evaluation, from memory if it is large, and is in large pages: in
//! 4 KiB pages evaluations took up to twice as long, by how the system had laid them out.
//!
//! Measured without gain: other orders of columns. The matrix is in large pages: 89 to 90
//! Mpoint/s, against 54 to 90 in pages of 4 KiB.

mod product;

use crate::interrupt::stop_point;
use crate::numbers::Real;
use std::ops::Range;

use rayon::prelude::*;

use crate::pages;
use crate::scheme::point::Point;

/// Entries a row is padded to a multiple of: 16 bytes of columns.
pub const GROUP: usize = 4;

/// Rows a work item covers.
const TASK_ROWS: usize = 2048;

/// A matrix of weights: refined points from control points.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleMatrix<T> {
    /// Groups of row r: `ends[r - 1]..ends[r]`; 64 bits, since the entries of a large
    /// result pass 2^32 long before its points do.
    ends: Vec<u64>,
    /// `columns[group][entry]`: control points; padding repeats the first.
    columns: Vec<[u32; GROUP]>,
    /// `weights[group][entry]`: 0 in padding.
    weights: Vec<[T; GROUP]>,
}

impl<T: Real> SingleMatrix<T> {
    /// The matrix of no level: every control point is its own.
    pub fn identity(controls: usize) -> Self {
        let (zero, one) = (T::default(), T::from_f64(1.0));
        Self {
            ends: (1..=controls as u64).collect(),
            columns: (0..controls as u32).map(|v| [v; GROUP]).collect(),
            weights: vec![std::array::from_fn(|i| if i == 0 { one } else { zero }); controls],
        }
    }

    /// The weights in another precision.
    pub(super) fn rounded<U: Real>(&self) -> SingleMatrix<U> {
        SingleMatrix {
            ends: self.ends.clone(),
            columns: self.columns.clone(),
            weights: self.weights.par_iter().map(|w| w.map(|w| U::from_f64(w.to_f64()))).collect(),
        }
    }

    /// Number of refined points.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The groups of a row.
    fn groups(&self, row: usize) -> Range<usize> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        start..self.ends[row] as usize
    }

    /// Columns and weights of a row, without its padding.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> (&[u32], &[T]) {
        stop_point();
        let groups = self.groups(row);
        let columns = self.columns[groups.clone()].as_flattened();
        // padding does not ascend
        let len = 1 + columns.windows(2).take_while(|pair| pair[0] < pair[1]).count();
        (&columns[..len], &self.weights[groups].as_flattened()[..len])
    }

    /// Bytes that an evaluation reads of the matrix.
    pub fn bytes(&self) -> usize {
        8 * self.ends.len() + (4 + size_of::<T>()) * GROUP * self.columns.len()
    }

    /// The refined points: Σ weight · point in the order of the columns.
    pub fn evaluate(&self, controls: &[Point<T>]) -> Vec<Point<T>> {
        let mut refined = pages::zeros(self.len());
        self.evaluate_into(controls, &mut refined);
        refined
    }

    /// [`SingleMatrix::evaluate`] into `len()` points.
    pub fn evaluate_into(&self, controls: &[Point<T>], refined: &mut [Point<T>]) {
        // a fourth component makes points whole vectors
        let controls: Vec<[T; 4]> =
            controls.par_iter().map(|&[x, y, z]| [x, y, z, T::default()]).collect();
        refined.par_chunks_mut(TASK_ROWS).enumerate().for_each(|(part, out)| {
            stop_point();
            let first = part * TASK_ROWS;
            let mut start = if first == 0 { 0 } else { self.ends[first - 1] as usize };
            for (out, &end) in out.iter_mut().zip(&self.ends[first..]) {
                let end = end as usize;
                let mut sum = [T::default(); 4];
                for (columns, weights) in
                    self.columns[start..end].iter().zip(&self.weights[start..end])
                {
                    for (&column, &weight) in columns.iter().zip(weights) {
                        let point = controls[column as usize];
                        sum = std::array::from_fn(|d| sum[d] + weight * point[d]);
                    }
                }
                *out = [sum[0], sum[1], sum[2]];
                start = end;
            }
        });
    }
}
