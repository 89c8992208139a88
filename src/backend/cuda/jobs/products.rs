//! Products of element matrices on the device.

use std::sync::Arc;

use super::leaves::Leaves;
use super::system::System;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::program::Program;
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::cuda::resident::Resident;
use crate::backend::operations::{LeafProducts, ProductArrays, SystemArrays};
use crate::error::{Error, Result};
use crate::mesh::check_value_count;
use crate::numbers::Iterates;

/// Leaves, and vectors that come from the host.
pub(super) struct Products {
    leaves: Arc<Leaves>,
    program: Program,
    transfer: Transfer,
    x: Buffer<f64>,
    y: Buffer<f64>,
}

impl Products {
    /// As [`Leaves::new`].
    pub fn new(gpu: &Cuda, arrays: &ProductArrays) -> Result<Self> {
        let leaves = Arc::new(Leaves::new(gpu, arrays)?);
        let (stream, count) = (&leaves.stream, leaves.count);
        let [x, y] = [Buffer::empty(stream, count)?, Buffer::zeros(stream, count)?];
        let program = Program::new(leaves.launches(x.address(0), y.address(0))?.into());
        Ok(Self { transfer: Transfer::new(stream.clone())?, program, leaves, x, y })
    }
}

impl LeafProducts for Resident<Products> {
    fn multiply(&self, x: &[f64], y: &mut [f64]) -> Result<()> {
        let mut own = self.lock();
        let Products { leaves, program, transfer, x: from, y: to } = &mut *own;
        check_value_count(x, 1, from.len())?;
        check_value_count(y, 1, to.len())?;
        from.fill(&leaves.stream, x)?;
        // SAFETY: the arrays are as large as the counts say, and live as long as the program.
        unsafe { program.run(&leaves.stream) }?;
        transfer.copy(vec![(to.address(0), bytemuck::cast_slice_mut(y))])
    }

    fn system<'a>(
        &'a self,
        arrays: &SystemArrays<'a>,
    ) -> Result<Box<dyn Iterates<Error = Error> + 'a>> {
        // unlocked while work is shared out; products of both come one after another on one stream
        let leaves = self.lock().leaves.clone();
        Ok(Box::new(System::new(&leaves, arrays)?))
    }
}
