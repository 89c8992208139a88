//! Rows of vertices in slices of a warp.

use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{SLICES, Variant};
use crate::backend::cuda::query::steps::{SortStream, THREADS, array, number};
use crate::error::Result;

/// Rows of a slice: a warp.
pub(super) const LANES: usize = 32;

/// Where the rows of each slice start, in entries per row; `kernels/process/slices.cuh`.
pub(super) struct RowSlices {
    pub starts: Buffer<u32>,
    /// Items of all slices, those that fill up their rows included.
    pub items: usize,
}

impl RowSlices {
    /// Slices for `rows` rows that begin at `row_starts`, each longer by its number in `more`.
    pub fn of(
        steps: &mut SortStream,
        row_starts: &Buffer<u32>,
        rows: usize,
        more: Option<&Buffer<u32>>,
    ) -> Result<Self> {
        let count = rows.div_ceil(LANES);
        let starts = steps.empty::<u32>(count + 1)?;
        let more = Argument::Address(more.map_or(0, |more| more.address(0)));
        let arguments = vec![array(row_starts), more, number(rows), array(&starts)];
        let kernels = Kernels::new(&steps.functions, Variant::new(&SLICES, Precision::F64));
        steps.enqueue(&[kernels.items("measure_slices", rows, THREADS, arguments)?])?;
        steps.scan(&starts, count)?;
        let items = starts.read_at(&steps.stream, count)? as usize * LANES;
        Ok(Self { starts, items })
    }
}

/// The fans of faces at each vertex; `kernels/process/slices.cu`.
pub(super) struct Fans {
    pub slices: RowSlices,
    pub items: Buffer<u32>,
}
