//! Geodesic distance by toplesets: all sweeps in a cooperative launch.

use cudarc::driver::DeviceRepr;

use super::DeviceProcessor;
use crate::backend::cuda::launch::Argument;
use crate::backend::cuda::memory::Buffer;
use crate::backend::cuda::program::Kernels;
use crate::backend::cuda::query::steps::{THREADS, array};
use crate::backend::cuda::sources::{TOPLESETS, Variant};
use crate::error::{Error, Result};
use crate::numbers::Real;
use crate::process::components::check_reach;

/// Blocks a multiprocessor: more take longer to wait for one another.
const BLOCKS: u32 = 2;

impl<T: Real + DeviceRepr> DeviceProcessor<T> {
    /// Distance of every vertex to the nearest of `sources`, as
    /// [`toplesets`](crate::process::surface::toplesets).
    ///
    /// # Errors
    /// [`Error::Mesh`] for a face that is no triangle or has no area; [`Error::Request`] for
    /// sources that do not exist, vertices that no face joins to one, too little memory, or if a
    /// kernel fails.
    pub fn toplesets(&mut self, sources: &[u32]) -> Result<Vec<T>> {
        self.check_triangles()?;
        let count = self.mesh.points.len();
        check_reach(count, self.mesh.faces.iter(), sources.iter().copied())?;
        let first = self.ids(sources)?;
        let distances = self.attribute(1, &vec![T::from_f64(f64::INFINITY); count])?;
        self.store_fans()?;

        let steps = &self.query.steps;
        let mut sources = steps.empty::<u32>(count)?;
        sources.fill(&steps.stream, &first)?;
        let others = steps.empty::<u32>(count)?;
        let sweeps = Buffer::<u32>::zeros(&steps.stream, count)?;
        let updated = steps.empty::<T>(count)?;
        let state = steps.of(&[0, first.len() as u32, 0, 0])?;
        let fans = self.fans()?;
        let kernels = Kernels::new(&steps.functions, Variant::new(&TOPLESETS, T::PRECISION));
        let arguments = vec![
            array(&fans.slices.starts),
            array(&fans.items),
            array(&self.points.values),
            Argument::Words(Box::new([
                sources.address(0),
                others.address(0),
                sweeps.address(0),
                distances.values.address(0),
                updated.address(0),
            ])),
            array(&state),
        ];
        let blocks = kernels.resident_blocks("march", THREADS, BLOCKS)?;
        let launch = kernels.blocks("march", blocks, THREADS, arguments)?;
        let start = self.start()?;
        loop {
            steps.enqueue_cooperative(&launch)?;
            let [sweep, even, odd, _] = state.read(&steps.stream)?[..] else { break };
            if [even, odd][sweep as usize % 2] == 0 {
                break;
            }
        }
        self.note_time(&start)?;
        self.iterations = 0;

        let mut found = self.query.read(&distances)?;
        let mut used = vec![false; count];
        self.mesh.faces.vertices().iter().for_each(|&v| used[v as usize] = true);
        let is_finite = |x: T| x < T::from_f64(f64::INFINITY);
        if let Some(v) = (0..count).find(|&v| used[v] && !is_finite(found[v])) {
            return Err(Error::mesh(format!("no distance reaches vertex {v}"))
                .with_help("look for faces without area around it"));
        }
        found.iter_mut().zip(used).filter(|(_, used)| !used).for_each(|(d, _)| *d = T::default());
        Ok(found)
    }
}
