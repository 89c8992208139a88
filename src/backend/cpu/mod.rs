//! The CPU backend: rayon over leaves, SIMD width chosen at run time, in double
//! precision (the reference) or in single precision with the arithmetic of the
//! GPU kernels (cell-local coordinates, fused multiply-adds).
//!
//! A thread gets 8,192 samples or more, about 15 µs of work. Tried without benefit: waking threads
//! for any amount of work (24 cells take 28 to 42 µs instead of 27, 192 cells 203 to 227 instead of
//! 54).

mod explain;
mod grid;
mod operations;
mod quantities;
mod scattered;
mod surface;
mod vectors;

pub(crate) use operations::Host;

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use rayon::prelude::*;

use crate::interrupt::stop_point;
use crate::numbers::{Real, counted};
use crate::simd::Simd;

use super::{
    Backend, Evaluator, LaunchReport, Limit, Precision, SparseVectors, SurfaceEvaluator,
    SurfaceProcessor, SurfaceRefiner, SurfaceTask, check_controls,
};
use crate::error::{Error, Result, option, option_name};
use crate::limit::LocalPoints;
use crate::mesh::{Controls, SurfaceMesh};
use crate::pages;
use crate::plan::{Plan, Samples};
use crate::scheme::Stencils;
use crate::surface::{SurfaceOptions, SurfacePlan};

/// Maximum number of threads of a job; there is no machine with more cores.
const MAX_THREADS: usize = 4096;
/// Threads for each core at most: more wait for one another for minutes.
const MAX_THREADS_A_CORE: usize = 32;

/// Refuses a number of threads that is of no use on this machine.
///
/// # Errors
/// [`Error::Request`] with the largest number.
pub fn check_threads(count: usize) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = MAX_THREADS.min(MAX_THREADS_A_CORE.saturating_mul(cores));
    if (1..=most).contains(&count) {
        return Ok(());
    }
    Err(Error::request(message!(option("threads", count), " is out of range")).with_help(message!(
        "ask for 1 to {most} threads here, {MAX_THREADS_A_CORE} for each of ",
        counted(cores, "core"),
        ", or leave ",
        option_name("threads"),
        " out"
    )))
}

/// The processor this program runs on.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    precision: Precision,
    simd: Simd,
}

impl Default for Cpu {
    fn default() -> Self {
        Self::new(Precision::F64)
    }
}

impl Cpu {
    /// The CPU at a precision, with the widest SIMD instructions it has.
    pub fn new(precision: Precision) -> Self {
        Self { precision, simd: Simd::detect() }
    }

    /// The CPU with chosen SIMD instructions, which it must have.
    #[must_use]
    pub fn with_simd(mut self, simd: Simd) -> Self {
        self.simd = simd;
        self
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        let bits = match self.precision {
            Precision::F32 => 32,
            Precision::F64 => 64,
        };
        let threads = counted(rayon::current_num_threads(), "thread");
        format!("CPU, f{bits}, {}, {threads}", self.simd.name())
    }

    fn prepare<'p>(&self, plan: &'p Plan<'_>) -> Result<Box<dyn Evaluator + 'p>> {
        Ok(match self.precision {
            Precision::F32 => Box::new(CpuPlan::<f32>::new(plan, self.simd)?),
            Precision::F64 => Box::new(CpuPlan::<f64>::new(plan, self.simd)?),
        })
    }

    fn refine_surface(
        &self,
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
    ) -> Result<Box<dyn SurfaceRefiner>> {
        Ok(Box::new(SurfacePlan::new(mesh, options)?))
    }

    fn process_surface(&self, mesh: &SurfaceMesh) -> Result<Box<dyn SurfaceProcessor>> {
        mesh.check()?;
        Ok(Box::new(mesh.clone()))
    }

    fn vectors<'s>(&self, rows: &'s Stencils) -> Result<Box<dyn SparseVectors + 's>> {
        Ok(Box::new(vectors::CpuVectors::new(rows)))
    }

    fn prepare_surface<'s>(&self, task: SurfaceTask<'s>) -> Result<Box<dyn SurfaceEvaluator + 's>> {
        match self.precision {
            Precision::F32 => surface::prepare::<f32>(task),
            Precision::F64 => surface::prepare::<f64>(task),
        }
    }

    fn time_writing(&self, bytes: usize, repeats: usize) -> Result<Vec<f64>> {
        let mut memory = pages::zeros::<u8>(bytes);
        let part = bytes.div_ceil(rayon::current_num_threads()).max(1);
        // not zeros, which some machines write faster than data
        let mut fill = |value: u8| memory.par_chunks_mut(part).for_each(|part| part.fill(value));
        fill(1);
        let mut seconds = Vec::with_capacity(repeats);
        for repeat in 0..repeats {
            let start = Instant::now();
            fill(repeat as u8 | 1);
            seconds.push(start.elapsed().as_secs_f64());
        }
        black_box(&mut memory);
        Ok(seconds)
    }
}

/// A plan with its tables in the precision and layout of the kernels.
struct CpuPlan<'p, T> {
    plan: &'p Plan<'p>,
    simd: Simd,
    grid: grid::BatchKernels<'p, T>,
}

impl<'p, T: Real> CpuPlan<'p, T> {
    fn new(plan: &'p Plan<'p>, simd: Simd) -> Result<Self> {
        Ok(Self { plan, simd, grid: grid::BatchKernels::new(plan)? })
    }
}

/// Brings results `[result][component]` from `origin`, if there is one, to where they are.
fn add_origin<T: Real>(results: &mut [T], origin: &[f64]) {
    if origin.iter().all(|&x| x == 0.0) {
        return;
    }
    results.par_chunks_mut(origin.len() << 12).for_each(|results| {
        stop_point();
        for result in results.chunks_exact_mut(origin.len()) {
            for (x, o) in result.iter_mut().zip(origin) {
                *x = T::from_f64(x.to_f64() + o);
            }
        }
    });
}

// SAFETY: nothing of a limit is kept after the call that fills it.
unsafe impl<T: Real> Evaluator for CpuPlan<'_, T> {
    fn evaluate(
        &mut self,
        controls: Controls<'_>,
        elements: Range<usize>,
        limit: &mut Limit,
    ) -> Result<()> {
        self.plan.check_range(&elements)?;
        let solid = self.plan.solid();
        check_controls(solid, self.plan.want(), controls, T::PRECISION)?;
        let results = self.plan.result_count(&elements);
        let widths: Vec<usize> = controls.attributes.iter().map(|a| a.width).collect();
        limit.begin(elements.clone(), self.plan.want(), &widths);

        let Limit { positions, derivatives, attributes, attribute_derivatives, .. } = limit;
        let LocalPoints { points, origin } =
            solid.local_points(controls.positions.as_flattened(), 3)?;
        let mut outputs = vec![positions.numbers::<T>().reserve(3 * results)];
        outputs.extend(derivatives.iter_mut().map(|d| d.numbers::<T>().reserve(3 * results)));
        self.run(&points, 3, &elements, &mut outputs)?;
        add_origin(outputs[0], &origin);
        let of_attributes = attributes.iter_mut().zip(attribute_derivatives);
        for (attribute, (values, derivatives)) in controls.attributes.iter().zip(of_attributes) {
            let width = attribute.width;
            let LocalPoints { points, origin } = solid.local_points(&attribute.values, width)?;
            let all = std::iter::once(values).chain(derivatives);
            let mut outputs: Vec<&mut [T]> =
                all.map(|v| v.numbers::<T>().reserve(width * results)).collect();
            self.run(&points, width, &elements, &mut outputs)?;
            add_origin(outputs[0], &origin);
        }
        quantities::evaluate::<T>(self.plan, &elements, &widths, limit);
        let replaced = self.plan.replaced(&elements);
        if replaced.is_empty() {
            return Ok(());
        }
        let inputs = std::iter::once((controls.positions.as_flattened(), 3))
            .chain(controls.attributes.iter().map(|a| (&a.values[..], a.width)));
        let derivatives =
            std::iter::once(&mut limit.derivatives).chain(&mut limit.attribute_derivatives);
        for ((values, width), derivatives) in inputs.zip(derivatives) {
            let points = solid.local_points(values, width)?.points;
            let mut outputs: Vec<&mut [T]> =
                derivatives.iter_mut().map(|d| &mut **d.numbers::<T>()).collect();
            scattered::replace(self.plan, &replaced, &points, width, &mut outputs);
        }
        Ok(())
    }

    fn time(
        &mut self,
        controls: &[Controls<'_>],
        elements: Range<usize>,
        repeats: usize,
    ) -> Result<Vec<f64>> {
        let mut limit = Limit::default();
        let mut seconds = Vec::with_capacity(repeats);
        for (repeat, &controls) in controls.iter().cycle().take(repeats + 1).enumerate() {
            let start = Instant::now();
            self.evaluate(controls, elements.clone(), &mut limit)?;
            if repeat > 0 {
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
        Ok(seconds)
    }

    fn explain(
        &mut self,
        attributes: &[usize],
        elements: Range<usize>,
    ) -> Result<Vec<LaunchReport>> {
        explain::explain::<T>(self.plan, attributes, &elements)
    }
}

impl<T: Real> CpuPlan<'_, T> {
    /// Evaluates as many quantities as there are outputs (value, then derivatives)
    /// of `points: [point of all levels][width]`.
    fn run(
        &mut self,
        points: &[f64],
        width: usize,
        elements: &Range<usize>,
        outputs: &mut [&mut [T]],
    ) -> Result<()> {
        match self.plan.samples() {
            Samples::Tensor(_) => self.grid.run(self.simd, points, width, elements, outputs),
            Samples::Points(_) => {
                scattered::run(self.plan, self.simd, points, width, outputs);
                Ok(())
            }
        }
    }
}
