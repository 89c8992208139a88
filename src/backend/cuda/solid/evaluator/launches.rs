//! The launches of an evaluation, without the results that they write to.

use std::ops::Range;

use super::{Input, ResidentPlan, ResidentSamples};
use crate::backend::cuda::driver::launch::{Argument, Launch, LaunchJob, Pass};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{ORIGIN, Variant};
use crate::backend::cuda::level_stencils::LevelStencils;
use crate::backend::cuda::solid::grid::PreparedGrid;
use crate::backend::cuda::solid::launch_kind::EvaluationLaunch;
use crate::error::Result;
use crate::numbers::Real;
use crate::plan::{Want, wanted_orders};
use cudarc::driver::DeviceRepr;

/// Components of grids that one pass evaluates at most.
const MAX_GRID_COMPONENTS: usize = 4;

/// Components of grids with derivatives that one pass evaluates at most.
const MAX_DERIVATIVE_COMPONENTS: usize = 3;

/// Components of scattered points that one pass evaluates at most: their kernels need more
/// registers a component.
pub(in crate::backend::cuda) const MAX_POINT_COMPONENTS: usize = 3;

impl<T: Real + DeviceRepr> ResidentPlan<'_, T> {
    /// The passes of an evaluation, each with the number of its input. `address`: of an
    /// output of an input.
    pub(super) fn passes(
        &self,
        range: &Range<usize>,
        address: impl Fn(usize, usize) -> u64,
    ) -> Vec<(usize, Pass, LaunchJob)> {
        let most = match self.samples {
            ResidentSamples::Grid(_) => MAX_GRID_COMPONENTS,
            ResidentSamples::Scattered(_) => MAX_POINT_COMPONENTS,
        };
        let mut passes = Vec::new();
        for (index, input) in self.inputs.iter().enumerate() {
            let want = self.plan.want().of_input(index);
            let most =
                if want == Want::POSITION { most } else { most.min(MAX_DERIVATIVE_COMPONENTS) };
            for offset in (0..input.width).step_by(most) {
                let strided = input.width > most;
                let pass = Pass { width: (input.width - offset).min(most), strided, want };
                let mut job = LaunchJob {
                    points: input.points.address(0),
                    stride: input.width as u32,
                    offset: offset as u32,
                    first_element: range.start as u32,
                    samples: self.plan.samples_per_element() as u32,
                    ..LaunchJob::default()
                };
                let outputs = wanted_orders(want).len();
                for (output, to) in job.outputs.iter_mut().enumerate().take(outputs) {
                    *to = address(index, output);
                }
                passes.push((index, pass, job));
            }
        }
        passes
    }

    /// The launches of one pass; those that clear its results come before.
    pub(super) fn launches(
        &self,
        work: Option<&PreparedGrid>,
        pass: Pass,
        job: LaunchJob,
    ) -> Result<Vec<EvaluationLaunch>> {
        match (&self.samples, work) {
            (ResidentSamples::Grid(grid), Some(work)) => grid.launches(work, pass, job, &self.main),
            (ResidentSamples::Scattered(points), _) => points.launches(pass, job),
            (ResidentSamples::Grid(_), None) => Ok(Vec::new()),
        }
    }

    /// The launches that refine the control points, level after level.
    pub(super) fn refine(&self) -> Result<Vec<Launch>> {
        let levels = self.levels.iter().filter(|level| level.rows > 0);
        let both = levels.flat_map(|level| self.inputs.iter().map(move |input| (level, input)));
        let launch = |(level, input): (&LevelStencils, &Input)| {
            level.launch(&self.functions, input.points.address(0), input.width)
        };
        both.map(launch).collect()
    }

    /// The launches that bring values from their input's origin to where they are. `address`:
    /// of the values of an input, `results` in number.
    pub(super) fn add_origins(
        &self,
        results: usize,
        address: impl Fn(usize) -> u64,
    ) -> Result<Vec<Launch>> {
        const THREADS: u32 = 128;
        const BLOCKS: usize = 1 << 12;
        let kernels = Kernels::new(&self.functions, Variant::new(&ORIGIN, T::PRECISION));
        let mut launches = Vec::new();
        for (index, input) in self.inputs.iter().enumerate() {
            let Some(origin) = &input.origin else { continue };
            let numbers = results * input.width;
            if numbers == 0 {
                continue;
            }
            let blocks = numbers.div_ceil(THREADS as usize).min(BLOCKS) as u32;
            launches.push(kernels.blocks(
                "add_origin",
                blocks,
                THREADS,
                vec![
                    Argument::Address(address(index)),
                    Argument::Address(origin.on_device.address(0)),
                    Argument::Long(numbers as u64),
                    Argument::Number(input.width as u32),
                ],
            )?);
        }
        Ok(launches)
    }
}
