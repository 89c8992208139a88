//! Several devices at work on one plan, a thread each.

use std::ops::Range;
use std::sync::Arc;

use super::limit::{arrays, row_count};
use super::operations::Operations;
use super::{
    Backend, BackendInfo, Evaluator, LaunchReport, Limit, Precision, SparseVectors,
    SurfaceEvaluator, SurfaceProcessor, SurfaceRefiner, SurfaceTask, check_controls,
};
use crate::error::{Error, Result, option_name};
use crate::mesh::{Controls, SurfaceMesh};
use crate::numbers::Real;
use crate::plan::{Plan, Samples, shares};
use crate::result_buffer::ResultBuffer;
use crate::scheme::Stencils;
use crate::surface::SurfaceOptions;

/// Number of times that a device that fails is given half as much, before that is an error.
const MAX_SHARE_HALVINGS: u32 = 6;

/// A backend that threads may share.
pub type SharedBackend = Arc<dyn Backend + Send + Sync>;

/// Several backends of one precision as one: of every range of elements each evaluates a run that
/// [costs about its share](Plan::element_costs), on a thread of its own, and writes its results to
/// their place among all. So the results are bitwise as of one backend, in the same order.
///
/// A backend that fails, for instance for lack of memory, is given smaller runs, down to one part
/// in 64; then the error names it. Surfaces and [operations](super::operations) run on the first
/// backend alone.
#[derive(Clone)]
pub struct MultiDevice {
    members: Vec<SharedBackend>,
    shares: Vec<f64>,
    precision: Precision,
}

impl MultiDevice {
    /// Backends that all compute in `precision`; the same one may be there more than once. Devices
    /// share the work by the rates of their memories, where these are known of all, else evenly.
    ///
    /// # Errors
    /// [`Error::Request`] if there is none.
    pub fn new(members: Vec<SharedBackend>, precision: Precision) -> Result<Self> {
        if members.is_empty() {
            return Err(Error::request("no devices to share the work").with_help("name some"));
        }
        let rates: Option<Vec<f64>> = members.iter().map(|own| own.info().bandwidth).collect();
        let shares = rates.unwrap_or_else(|| vec![1.0; members.len()]);
        Ok(Self { members, shares, precision })
    }

    fn first(&self) -> &SharedBackend {
        &self.members[0]
    }
}

impl Backend for MultiDevice {
    fn name(&self) -> String {
        let names: Vec<String> = self.members.iter().map(|member| member.name()).collect();
        names.join(" and ")
    }

    fn info(&self) -> BackendInfo {
        self.first().info()
    }

    fn prepare<'p>(&self, plan: &'p Plan<'_>) -> Result<Box<dyn Evaluator + 'p>> {
        let count = match plan.samples() {
            Samples::Tensor(_) => plan.solid().elements().len(),
            Samples::Points(points) => points.len(),
        };
        let prepare = |member: &SharedBackend| {
            let evaluator = match plan.samples() {
                Samples::Tensor(_) => Some(member.prepare(plan).map_err(|e| named(member, e))?),
                Samples::Points(_) => None,
            };
            Ok(BackendShare { backend: member.clone(), evaluator })
        };
        let members: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                self.members.iter().map(|member| scope.spawn(move || prepare(member))).collect();
            threads.into_iter().map(joined).collect::<Result<_>>()
        })?;
        let costs = match plan.samples() {
            Samples::Tensor(_) => plan.element_costs(),
            Samples::Points(_) => vec![1.0; count],
        };
        let (shares, precision) = (self.shares.clone(), self.precision);
        Ok(Box::new(SharedPlan { plan, members, costs, shares, precision }))
    }

    fn refine_surface(
        &self,
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
    ) -> Result<Box<dyn SurfaceRefiner>> {
        self.first().refine_surface(mesh, options)
    }

    fn prepare_surface<'s>(&self, task: SurfaceTask<'s>) -> Result<Box<dyn SurfaceEvaluator + 's>> {
        self.first().prepare_surface(task)
    }

    fn process_surface(&self, mesh: &SurfaceMesh) -> Result<Box<dyn SurfaceProcessor>> {
        self.first().process_surface(mesh)
    }

    fn vectors<'s>(&self, rows: &'s Stencils) -> Result<Box<dyn SparseVectors + 's>> {
        self.first().vectors(rows)
    }

    fn operations(&self) -> &dyn Operations {
        self.first().operations()
    }

    fn time_writing(&self, bytes: usize, repeats: usize) -> Result<Vec<f64>> {
        let all: f64 = self.shares.iter().sum();
        let write = |member: &SharedBackend, share: f64| {
            let own = (bytes as f64 * share / all) as usize;
            member.time_writing(own, repeats).map_err(|e| named(member, e))
        };
        std::thread::scope(|scope| {
            let members = self.members.iter().zip(&self.shares);
            let threads: Vec<_> =
                members.map(|(m, &share)| scope.spawn(move || write(m, share))).collect();
            slowest(threads.into_iter().map(joined))
        })
    }
}

/// A backend at work on a plan.
struct BackendShare<'p> {
    backend: SharedBackend,
    /// The evaluator for a grid of samples; none for scattered samples, whose part is not known
    /// yet.
    evaluator: Option<Box<dyn Evaluator + 'p>>,
}

/// A plan that several backends evaluate.
struct SharedPlan<'p> {
    plan: &'p Plan<'p>,
    members: Vec<BackendShare<'p>>,
    /// The cost of each element, or of each scattered sample.
    costs: Vec<f64>,
    shares: Vec<f64>,
    precision: Precision,
}

impl<'p> BackendShare<'p> {
    /// Does something with elements, or with scattered samples, of a plan.
    fn with<R>(
        &mut self,
        plan: &Plan<'_>,
        range: Range<usize>,
        work: impl FnOnce(&mut (dyn Evaluator + '_), Range<usize>) -> Result<R>,
    ) -> Result<R> {
        match &mut self.evaluator {
            Some(evaluator) => work(&mut **evaluator, range),
            None => {
                let part = plan.of_rows(range);
                work(&mut *self.backend.prepare(&part)?, 0..plan.solid().elements().len())
            }
        }
    }

    /// Evaluates a range to these arrays; if that fails, half of it, and then the rest.
    fn evaluate<T: Real>(
        &mut self,
        plan: &Plan<'_>,
        controls: Controls<'_>,
        range: Range<usize>,
        mut to: Vec<&mut [T]>,
        halvings: u32,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let widths: Vec<usize> = controls.attributes.iter().map(|a| a.width).collect();
        let evaluated = self.with(plan, range.clone(), |evaluator, elements| {
            let mut limit = Limit::of(plan.want(), &widths);
            for (array, to) in arrays(&mut limit, &widths).into_iter().zip(&mut to) {
                // SAFETY: a slice is aligned and initialized; this one is not used before the limit
                // is dropped, of which the evaluator keeps nothing.
                *array.values.numbers::<T>() =
                    unsafe { ResultBuffer::over(to.as_mut_ptr(), to.len()) };
            }
            evaluator.evaluate(controls, elements, &mut limit)
        });
        match evaluated {
            Err(_) if halvings > 0 && range.len() > 1 => {
                let middle = range.start + range.len() / 2;
                let mut limit = Limit::of(plan.want(), &widths);
                let shapes = arrays(&mut limit, &widths);
                let (first, second) = (range.start..middle, middle..range.end);
                let halves = to.into_iter().zip(&shapes).map(|(to, array)| {
                    to.split_at_mut(array.width * row_count(plan, array.quantity, &first))
                });
                let (low, high): (Vec<_>, Vec<_>) = halves.unzip();
                self.evaluate(plan, controls, first, low, halvings - 1)?;
                self.evaluate(plan, controls, second, high, halvings - 1)
            }
            evaluated => evaluated,
        }
    }
}

impl SharedPlan<'_> {
    /// The elements, or scattered samples, of a request.
    fn rows(&self, elements: Range<usize>) -> Range<usize> {
        match self.plan.samples() {
            Samples::Tensor(_) => elements,
            Samples::Points(points) => 0..points.len(),
        }
    }

    /// The part of each member, in order.
    fn parts(&self, rows: &Range<usize>) -> Vec<Range<usize>> {
        let parts = shares(&self.costs[rows.clone()], &self.shares);
        parts.into_iter().map(|part| rows.start + part.start..rows.start + part.end).collect()
    }

    fn evaluate_to<T: Real>(
        &mut self,
        controls: Controls<'_>,
        elements: Range<usize>,
        limit: &mut Limit,
    ) -> Result<()> {
        let plan = self.plan;
        let parts = self.parts(&self.rows(elements.clone()));
        let widths: Vec<usize> = controls.attributes.iter().map(|a| a.width).collect();
        limit.begin(elements.clone(), plan.want(), &widths);
        let mut to: Vec<Vec<&mut [T]>> = parts.iter().map(|_| Vec::new()).collect();
        for array in arrays(limit, &widths) {
            let all = row_count(plan, array.quantity, &self.rows(elements.clone()));
            let mut rest = array.values.numbers::<T>().reserve(array.width * all);
            for (part, to) in parts.iter().zip(&mut to) {
                let numbers = array.width * row_count(plan, array.quantity, part);
                let (own, later) = rest.split_at_mut(numbers);
                to.push(own);
                rest = later;
            }
        }
        std::thread::scope(|scope| {
            let members = self.members.iter_mut().zip(parts).zip(to);
            let threads: Vec<_> = members
                .map(|((member, part), to)| {
                    scope.spawn(move || {
                        let done = member.evaluate(plan, controls, part, to, MAX_SHARE_HALVINGS);
                        done.map_err(|error| named(&member.backend, error))
                    })
                })
                .collect();
            threads.into_iter().try_for_each(joined)
        })
    }
}

// SAFETY: the members keep no part of the buffers that they fill, by the promise of `Evaluator`.
unsafe impl Evaluator for SharedPlan<'_> {
    fn evaluate(
        &mut self,
        controls: Controls<'_>,
        elements: Range<usize>,
        limit: &mut Limit,
    ) -> Result<()> {
        self.plan.check_range(&elements)?;
        check_controls(self.plan.solid(), self.plan.want(), controls, self.precision)?;
        match self.precision {
            Precision::F32 => self.evaluate_to::<f32>(controls, elements, limit),
            Precision::F64 => self.evaluate_to::<f64>(controls, elements, limit),
        }
    }

    /// All members at once; each repeat takes as long as its slowest.
    fn time(
        &mut self,
        controls: &[Controls<'_>],
        elements: Range<usize>,
        repeats: usize,
    ) -> Result<Vec<f64>> {
        self.plan.check_range(&elements)?;
        let (plan, parts) = (self.plan, self.parts(&self.rows(elements)));
        std::thread::scope(|scope| {
            let members = self.members.iter_mut().zip(parts);
            let threads: Vec<_> = members
                .filter(|(_, part)| !part.is_empty())
                .map(|(member, part)| {
                    scope.spawn(move || {
                        let time = |evaluator: &mut (dyn Evaluator + '_), elements| {
                            evaluator.time(controls, elements, repeats)
                        };
                        let seconds = member.with(plan, part, time);
                        seconds.map_err(|error| named(&member.backend, error))
                    })
                })
                .collect();
            slowest(threads.into_iter().map(joined))
        })
    }

    fn explain(
        &mut self,
        attributes: &[usize],
        elements: Range<usize>,
    ) -> Result<Vec<LaunchReport>> {
        self.plan.check_range(&elements)?;
        let (plan, parts) = (self.plan, self.parts(&self.rows(elements)));
        let mut all = Vec::new();
        for (member, part) in self.members.iter_mut().zip(parts) {
            all.extend(
                member.with(plan, part, |evaluator, elements| {
                    evaluator.explain(attributes, elements)
                })?,
            );
        }
        Ok(all)
    }
}

/// An error of one of several devices.
fn named(backend: &SharedBackend, error: Error) -> Error {
    let leave = || message!("leave this device out of ", option_name("backend"));
    let help = error.help().cloned().unwrap_or_else(leave);
    Error::request(message!(backend.name(), ": ", error.message())).with_help(help)
}

/// What a thread returned; its panic goes on here.
fn joined<R>(thread: std::thread::ScopedJoinHandle<'_, R>) -> R {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The longest time of each repeat.
fn slowest(members: impl Iterator<Item = Result<Vec<f64>>>) -> Result<Vec<f64>> {
    let mut all: Vec<f64> = Vec::new();
    for seconds in members {
        let seconds = seconds?;
        all.resize(all.len().max(seconds.len()), 0.0);
        all.iter_mut().zip(seconds).for_each(|(longest, s)| *longest = longest.max(s));
    }
    Ok(all)
}
