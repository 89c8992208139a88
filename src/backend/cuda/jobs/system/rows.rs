//! Sparse matrices in slices of a warp; see `kernels/process/slices.cuh`.

use std::sync::Arc;

use cudarc::driver::CudaStream;
use rayon::prelude::*;

use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::Argument;
use crate::error::{Error, Result};
use crate::numbers::Csr;

/// Rows of a slice: a warp.
const LANES: usize = 32;

/// `Rows` in the kernels.
pub(super) struct SlicedRows {
    pub count: usize,
    slices: Buffer<u32>,
    columns: Buffer<u32>,
    values: Buffer<f64>,
}

impl SlicedRows {
    /// Brings a matrix to a device.
    pub fn new<V: Copy + Into<f64> + Sync>(
        stream: &Arc<CudaStream>,
        matrix: &Csr<V>,
    ) -> Result<Self> {
        let count = matrix.rows();
        let rows = |slice: usize| slice * LANES..count.min((slice + 1) * LANES);
        let length = |row: usize| matrix.starts[row + 1] - matrix.starts[row];
        let widths = (0..count.div_ceil(LANES)).map(|slice| rows(slice).map(length).max());
        let widths: Vec<usize> = widths.map(Option::unwrap_or_default).collect();
        let all: usize = widths.iter().sum();
        if u32::try_from(all).is_err() {
            return Err(Error::request("a sparse matrix is too large for one device").or_cpu());
        }
        let (mut columns, mut values) = (vec![0; all * LANES], vec![0.0; all * LANES]);
        let (mut columns_left, mut values_left) = (&mut columns[..], &mut values[..]);
        let mut rooms = Vec::with_capacity(widths.len());
        let mut starts: Vec<u32> = Vec::with_capacity(widths.len() + 1);
        starts.push(0);
        for (slice, width) in widths.iter().enumerate() {
            let own = std::mem::take(&mut columns_left).split_at_mut(width * LANES);
            let other = std::mem::take(&mut values_left).split_at_mut(width * LANES);
            rooms.push((slice, own.0, other.0));
            (columns_left, values_left) = (own.1, other.1);
            starts.push(starts[slice] + *width as u32);
        }
        rooms.into_par_iter().with_min_len(64).for_each(|(slice, columns, values)| {
            for (lane, row) in rows(slice).enumerate() {
                for (k, (column, value)) in matrix.row(row).enumerate() {
                    (columns[k * LANES + lane], values[k * LANES + lane]) = (column, value.into());
                }
            }
        });
        let slices = Buffer::of(stream, &starts)?;
        let (columns, values) = (Buffer::of(stream, &columns)?, Buffer::of(stream, &values)?);
        Ok(Self { count, slices, columns, values })
    }

    pub fn words(&self) -> Argument {
        let arrays = [self.slices.address(0), self.columns.address(0), self.values.address(0)];
        let [slices, columns, values] = arrays;
        Argument::Words(Box::new([slices, columns, values, self.count as u64]))
    }
}
