//! Geodesic distance by toplesets: all sweeps in a cooperative launch.

use cudarc::driver::DeviceRepr;

use super::slices::LANES;
use super::{POINT, ResidentSurface};
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{TOPLESETS, Variant};
use crate::backend::cuda::query::AttributeLayout;
use crate::backend::cuda::query::steps::{array, number};
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::numbers::Real;
use crate::process::components::{check_reach, leave_unused};
use crate::topology::order::EntityKind;

/// `THREADS` in the kernel.
fn threads(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 1024,
        Precision::F64 => 512,
    }
}

impl<T: Real + DeviceRepr> ResidentSurface<T> {
    /// Distance of every vertex to the nearest of `sources`, as
    /// [`toplesets`](crate::process::surface::toplesets).
    ///
    /// # Errors
    /// [`Error::Mesh`] for a face that is not a triangle or has no area; [`Error::Request`] for
    /// sources that do not exist, vertices that no face joins to one, too little memory, or if a
    /// kernel fails.
    pub fn toplesets(&mut self, sources: &[u32]) -> Result<Vec<T>> {
        self.check_triangles()?;
        let count = self.mesh.points.len();
        check_reach(count, self.faces().iter(), sources.iter().copied())?;
        let first = self.ids(sources)?;
        self.store_fans()?;
        let distances =
            self.query.empty_attribute::<T>(EntityKind::Vertex, 1, AttributeLayout::Interleaved)?;

        let steps = &self.query.steps;
        let sources = steps.of(&first)?;
        let [even, odd] = [steps.empty::<T>(POINT * count)?, steps.empty::<T>(POINT * count)?];
        let slices = count.div_ceil(LANES);
        let sweeps = Buffer::<u32>::zeros(&steps.stream, slices)?;
        let state = steps.of(&[0_u32; 3])?;
        let fans = self.fans()?;
        let kernels = Kernels::new(&steps.functions, Variant::new(&TOPLESETS, T::PRECISION));
        let arguments = vec![
            Argument::Words(Box::new([
                fans.slices.starts.address(0),
                fans.items.address(0),
                self.points.values.address(0),
                even.address(0),
                odd.address(0),
                sweeps.address(0),
                count as u64,
            ])),
            array(&sources),
            number(first.len()),
            array(&distances.values),
            array(&state),
        ];
        let threads = threads(T::PRECISION);
        let held = kernels.resident_blocks("march", threads, 1)?;
        let launch = kernels.blocks("march", held.min(slices as u32), threads, arguments)?;
        let start = self.start()?;
        loop {
            steps.enqueue_cooperative(&launch)?;
            let [sweep, last, _] = state.read(&steps.stream)?[..] else { break };
            if last < sweep {
                break;
            }
        }
        self.note_time(&start)?;
        self.iterations = 0;

        let mut found = self.query.read(&distances)?;
        leave_unused(&mut found, self.faces().vertices());
        if let Some(v) = found.iter().position(|&d| d == T::from_f64(f64::INFINITY)) {
            return Err(Error::mesh(message!("no distance reaches ", Vertex.id(v)))
                .with_help("look for faces without area around it"));
        }
        Ok(found)
    }
}
