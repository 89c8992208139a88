//! What is measured, and how.

use std::collections::BTreeMap;

use crate::backend::{Cpu, Precision};
use crate::compare::compare;
use crate::error::{Error, Result};
use crate::numbers::median;
use crate::plan::{Plan, Samples, Want};

use super::super::Notes;
use super::contender::{Contender, WriteTimes};
use super::model::{BenchModel, class};
use super::results::{Accuracy, BenchReport, Spread, Timing};

/// Samples along an axis over which Fig. 13 goes.
const SWEEP: [usize; 8] = [2, 3, 4, 5, 6, 8, 12, 16];

/// Evaluations of one model at one level and one number of samples.
pub struct BenchJob {
    pub level: usize,
    pub samples: usize,
    /// Whether each class is timed alone, too.
    by_class: bool,
}

/// The evaluations that the figures need of each model, by level.
pub fn jobs(samples: &[usize], levels: &[usize]) -> Vec<BenchJob> {
    let (Some(&most), Some(&least), Some(&finest)) =
        (samples.last(), levels.first(), levels.last())
    else {
        return Vec::new();
    };
    let mut jobs = BTreeMap::new();
    for n in SWEEP {
        jobs.insert((least, n), false);
    }
    for &level in levels {
        if let Some(n) = equal_points(most, level - least) {
            jobs.insert((level, n), false);
        }
    }
    // what classes are timed at comes last, so that it stays
    for &level in levels {
        for &n in samples {
            jobs.insert((level, n), level == finest);
        }
    }
    jobs.into_iter()
        .map(|((level, samples), by_class)| BenchJob { level, samples, by_class })
        .collect()
}

/// Samples along an axis after `steps` of refinement that make as many points in all as
/// twice `most` before them, if any do.
pub fn equal_points(most: usize, steps: usize) -> Option<usize> {
    let first = (2 * most).min(64);
    let n = first.checked_shr(steps as u32)?;
    (n >= 2 && n << steps == first).then_some(n)
}

/// Cells that are timed together.
struct Subject<'a> {
    model: &'a BenchModel,
    samples: usize,
    class: Option<String>,
    plan: Plan<'a>,
    elements: usize,
}

/// Times all contenders at a job.
pub fn run(
    model: &BenchModel,
    job: &BenchJob,
    contenders: &[Contender],
    write_times: &mut WriteTimes,
    results: &mut BenchReport,
    notes: &dyn Notes,
) -> Result<()> {
    let mut classes = vec![None];
    if job.by_class {
        classes.extend(model.classes().into_iter().map(Some));
    }
    for class in classes {
        let subject = Subject::new(model, job.samples, class)?;
        for contender in contenders {
            match subject.time(contender, write_times, results.repeats) {
                Ok(timing) => results.timings.push(timing),
                Err(error) => results.left_out.push(format!(
                    "{} at level {}, {}³ samples, {}, {}: {}.",
                    model.name,
                    model.level,
                    job.samples,
                    subject.class.as_deref().unwrap_or("all cells"),
                    contender.name,
                    notes.words(&error.message())
                )),
            }
        }
    }
    Ok(())
}

impl<'a> Subject<'a> {
    fn new(model: &'a BenchModel, samples: usize, of: Option<String>) -> Result<Self> {
        let mut plan = model.solid.plan(&Samples::grid(samples), Want::POSITION)?;
        if let Some(of) = &of {
            plan.retain(|solid, leaf| class(solid, leaf) == *of);
        }
        let elements = model.elements(of.as_deref());
        Ok(Self { model, samples, class: of, plan, elements })
    }

    /// Bytes of the points of `elements` elements.
    fn bytes(&self, elements: usize, precision: Precision) -> usize {
        let number = match precision {
            Precision::F32 => 4,
            Precision::F64 => 8,
        };
        elements * self.samples.pow(3) * 3 * number
    }

    fn time(
        &self,
        contender: &Contender,
        write_times: &mut WriteTimes,
        repeats: usize,
    ) -> Result<Timing> {
        // results of one class lie among those of all
        let all = self.bytes(self.model.solid.elements().len(), contender.precision);
        if all as u64 > contender.memory {
            return Err(Error::request(format!("{:.1} GB of points do not fit", all as f64 / 1e9))
                .with_help("measure fewer samples or levels, or a smaller model"));
        }
        let mut evaluator = contender.backend.prepare(&self.plan)?;
        let elements = 0..self.model.solid.elements().len();
        let mut times = evaluator.time(&self.model.controls(), elements, repeats)?;
        drop(evaluator); // and its memory, before the measurement of writing takes as much
        times.sort_by(f64::total_cmp);
        let (Some(&least), Some(&most)) = (times.first(), times.last()) else {
            return Err(
                Error::request("no time was measured").with_help("ask for one repeat or more")
            );
        };
        let bytes = self.bytes(self.elements, contender.precision);
        Ok(Timing {
            model: self.model.name.clone(),
            level: self.model.level,
            samples: self.samples,
            class: self.class.clone(),
            contender: contender.name.clone(),
            cells: self.elements,
            points: self.elements * self.samples.pow(3),
            bytes,
            seconds: Spread { median: median(times), least, most },
            writing: write_times.seconds(contender, bytes)?,
        })
    }
}

/// Compares all contenders with the CPU in double precision.
pub fn accuracy(
    model: &BenchModel,
    samples: usize,
    contenders: &[Contender],
    results: &mut BenchReport,
    notes: &dyn Notes,
) -> Result<()> {
    let reference = Cpu::new(Precision::F64);
    let plan = model.solid.plan(&Samples::grid(samples), Want::POSITION)?;
    for contender in
        contenders.iter().filter(|c| c.strategy.is_some() || c.precision == Precision::F32)
    {
        match compare(&plan, model.mesh.controls(), &*contender.backend, &reference) {
            Ok(comparison) => results.accuracy.push(Accuracy {
                model: model.name.clone(),
                level: model.level,
                samples,
                contender: contender.name.clone(),
                comparison,
            }),
            Err(error) => results.left_out.push(format!(
                "Accuracy of {} at level {}, {}: {}.",
                model.name,
                model.level,
                contender.name,
                notes.words(&error.message())
            )),
        }
    }
    Ok(())
}
