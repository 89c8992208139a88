//! Local levels of refinement on the device, by `kernels/common/refine.cu`.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::driver::buffer::Buffer;
use super::driver::functions::Functions;
use super::driver::launch::{Argument, Launch};
use super::driver::program::Kernels;
use super::driver::sources::{REFINE, Variant};
use crate::backend::Precision;
use crate::error::{Error, Result};
use crate::scheme::Stencils;

/// Stencils of one level over the level before.
pub(super) struct LevelStencils {
    starts: Buffer<u64>,
    columns: Buffer<u32>,
    weights: Buffer<f64>,
    /// Points that the stencils make.
    pub rows: usize,
    /// Where the points of the level before and of this level begin.
    pub coarse: usize,
    pub fine: usize,
}

impl LevelStencils {
    /// Brings stencils to the device.
    pub fn new(
        stream: &Arc<CudaStream>,
        stencils: &Stencils,
        [coarse, fine]: [usize; 2],
    ) -> Result<Self> {
        let (ends, columns, weights) = stencils.arrays();
        let ends = ends.iter().map(|&end| end as u64);
        let starts: Vec<u64> = std::iter::once(0).chain(ends).collect();
        Ok(Self {
            starts: Buffer::of(stream, &starts)?,
            columns: Buffer::of(stream, columns)?,
            weights: Buffer::of(stream, weights)?,
            rows: stencils.len(),
            coarse,
            fine,
        })
    }

    /// Bytes of the stencils on the device.
    pub fn bytes(&self) -> usize {
        self.starts.len() * size_of::<u64>()
            + self.columns.len() * (size_of::<u32>() + size_of::<f64>())
    }

    /// The launch that makes the level's points; `points`: address of all levels' points,
    /// `[point][width]`.
    pub fn launch(&self, functions: &Functions, points: u64, width: usize) -> Result<Launch> {
        const THREADS: u32 = 128;
        let numbers = self.rows * width;
        if u32::try_from(numbers).is_err() {
            let text = "refined points have more numbers than a launch has threads";
            return Err(Error::request(text)
                .with_help("refine the mesh less, or give attributes of fewer numbers"));
        }
        Kernels::new(functions, Variant::new(&REFINE, Precision::F64)).items(
            "refine",
            numbers,
            THREADS,
            vec![
                Argument::Address(points),
                Argument::Address(self.starts.address(0)),
                Argument::Address(self.columns.address(0)),
                Argument::Address(self.weights.address(0)),
                Argument::Number(self.rows as u32),
                Argument::Number(width as u32),
                Argument::Long(self.coarse as u64),
                Argument::Long(self.fine as u64),
            ],
        )
    }
}
