//! The bilateral filter: operators over rows.

use cudarc::driver::DeviceRepr;

use super::{POINT, ResidentSurface};
use crate::backend::cuda::driver::sources::{DENOISE, REACH};
use crate::backend::cuda::query::AttributeLayout;
use crate::backend::cuda::query::operator::ATTRIBUTE;
use crate::error::{Error, Result};
use crate::numbers::Real;
use crate::query::Op;
use crate::topology::order::EntityKind;

/// Words of the arguments of `kernels/process/reach.cuh` and `denoise.cuh`.
pub(super) const REACH_WORDS: usize = 1 + ATTRIBUTE;
pub(super) const DENOISE_WORDS: usize = 2 + 2 * ATTRIBUTE;

impl<T: Real + DeviceRepr> ResidentSurface<T> {
    /// Moves the points by a sweep of the bilateral filter, as
    /// [`denoise`](crate::process::surface::denoise).
    ///
    /// # Errors
    /// [`Error::Request`] for 0 rings, too little memory, or if a kernel fails.
    pub fn denoise(&mut self, rings: usize) -> Result<()> {
        if rings == 0 {
            return Err(Error::request("denoising needs at least 1 ring of neighbors")
                .with_help("ask for 1 ring or more"));
        }
        self.query.store_ring(rings)?;
        let normals = self.device_normals()?;
        let of_normals = self.seconds;
        let query = &self.query;
        let reach_of = query.compiled(Op::VV, REACH.text, REACH_WORDS, T::PRECISION)?;
        let filter = query.compiled(Op::VV, DENOISE.text, DENOISE_WORDS, T::PRECISION)?;
        let reach =
            query.empty_attribute::<T>(EntityKind::Vertex, 1, AttributeLayout::Interleaved)?;
        let moved =
            query.empty_attribute::<T>(EntityKind::Vertex, POINT, AttributeLayout::Interleaved)?;
        let points = self.points.values.address(0);
        let mut launches =
            Vec::from_iter(query.visit(&reach_of, &[points.into(), (&reach).into()])?);
        let arguments =
            [points.into(), (&normals).into(), (&reach).into(), moved.values.address(0).into()];
        launches.push(query.visit_rows(&filter, query.stored_ring(rings)?, &arguments)?);
        let start = self.start()?;
        self.query.steps.enqueue(&launches)?;
        self.note_time(&start)?;
        self.seconds += of_normals;
        self.points = moved;
        self.note_moved();
        Ok(())
    }
}
