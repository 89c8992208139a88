//! Geodesic distance by toplesets: levels and sweeps as graphs that run until they end.

use cudarc::driver::DeviceRepr;

use super::DeviceProcessor;
use crate::backend::cuda::launch::Launch;
use crate::backend::cuda::memory::Buffer;
use crate::backend::cuda::program::{Kernels, Program};
use crate::backend::cuda::query::steps::{Steps, array};
use crate::backend::cuda::sources::{TOPLESETS, Variant};
use crate::error::{Error, Result};
use crate::numbers::Real;
use crate::process::components::check_reach;
use crate::query::Op;
use crate::topology::NONE;

/// `THREADS` in the kernels.
const THREADS: u32 = 256;
/// A level is narrow, so that few blocks end it soonest; many levels are swept at once.
const LEVEL_BLOCKS: u32 = 32;
const SWEEP_BLOCKS: u32 = 528;

/// Levels, and sweeps, of a graph.
const AT_ONCE: usize = 64;

/// Places in `State` in the kernels.
const GROWN: usize = 2;
const DONE: usize = 7;
const STATE: usize = 9;

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
        let mut starts = vec![T::from_f64(f64::INFINITY); count];
        sources.iter().for_each(|&v| starts[v as usize] = T::from_f64(0.0));
        let distances = self.attribute(1, &starts)?;
        self.query.store(Op::VV)?;
        self.store_corners()?;

        let steps = &self.query.steps;
        let mut level = vec![NONE; count];
        first.iter().for_each(|&v| level[v as usize] = 0);
        let levels = steps.of(&level)?;
        let mut order = steps.empty::<u32>(count)?;
        order.fill(&steps.stream, &first)?;
        let mut ends = steps.empty::<u32>(count + 1)?;
        ends.fill(&steps.stream, &[first.len() as u32])?;
        let updated = steps.empty::<T>(count)?;
        // levels 1 to 2 are swept first
        let state = steps.of(&[first.len() as u32, 0, 0, 1, 2, NONE, 0, 0, 0])?;
        debug_assert_eq!(state.len(), STATE);
        let start = self.start()?;
        let kernels = Kernels::new(&steps.functions, Variant::new(&TOPLESETS, T::PRECISION));
        let neighbours = self.query.lists(Op::VV)?;
        let grow = || -> Result<Launch> {
            let lists = neighbours.words();
            let arguments = vec![lists, array(&order), array(&levels), array(&ends), array(&state)];
            kernels.blocks("grow", LEVEL_BLOCKS, THREADS, arguments)
        };
        let growth: Result<Vec<Launch>> = (0..AT_ONCE).map(|_| grow()).collect();
        repeat(Program::new(growth?), steps, &state, GROWN)?;

        let corners = self.corners()?;
        let mut sweeps = Vec::new();
        for _ in 0..AT_ONCE {
            let sweep = vec![
                array(&corners.slices.starts),
                array(&corners.items),
                array(&self.points.values),
                array(&order),
                array(&ends),
                array(&distances.values),
                array(&updated),
                array(&state),
            ];
            let settle = vec![
                array(&order),
                array(&levels),
                array(&ends),
                array(&updated),
                array(&distances.values),
                array(&state),
            ];
            sweeps.push(kernels.blocks("sweep", SWEEP_BLOCKS, THREADS, sweep)?);
            sweeps.push(kernels.blocks("settle", SWEEP_BLOCKS, THREADS, settle)?);
        }
        repeat(Program::new(sweeps), steps, &state, DONE)?;
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

/// Runs a program until the word `end` of a state is not 0.
fn repeat(mut program: Program, steps: &Steps, state: &Buffer<u32>, end: usize) -> Result<()> {
    loop {
        // SAFETY: the caller's arrays are alive and as long as the kernels take them to be.
        unsafe { program.run(&steps.stream)? };
        if state.read_at(&steps.stream, end)? != 0 {
            return Ok(());
        }
    }
}
