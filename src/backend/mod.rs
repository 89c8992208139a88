//! Where plans are run. The CPU in double precision is the reference; every
//! backend and precision passes the same tests.

pub mod cpu;
mod limit;

pub use cpu::{Cpu, Precision};
pub use limit::{Limit, Values};

use std::ops::Range;

use crate::error::Result;
use crate::mesh::Controls;
use crate::plan::Plan;

/// A processor that evaluates plans.
pub trait Backend {
    /// What it is, in words.
    fn name(&self) -> String;

    /// Brings a plan's tables into the processor's own form, for evaluation again
    /// and again with moved control points.
    ///
    /// # Errors
    /// If the processor lacks something the plan needs.
    fn prepare<'p>(&self, plan: &'p Plan<'_>) -> Result<Box<dyn Evaluator + 'p>>;

    /// Evaluates a plan once.
    ///
    /// # Errors
    /// Those of [`Backend::prepare`] and [`Evaluator::evaluate`].
    fn evaluate(&self, plan: &Plan<'_>, controls: Controls<'_>) -> Result<Limit> {
        let mut limit = Limit::default();
        let all = 0..plan.solid().elements().len();
        self.prepare(plan)?.evaluate(controls, all, &mut limit)?;
        Ok(limit)
    }
}

/// A prepared plan.
pub trait Evaluator: Send {
    /// Evaluates the elements in a range (all of them for scattered samples) into
    /// `limit`, whose memory is reused.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if the range or the control points do not fit the plan.
    fn evaluate(
        &mut self,
        controls: Controls<'_>,
        elements: Range<usize>,
        limit: &mut Limit,
    ) -> Result<()>;
}

/// The best processor of this machine at the reference precision.
pub fn auto() -> Box<dyn Backend> {
    Box::new(Cpu::default())
}
