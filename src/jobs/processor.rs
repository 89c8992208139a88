//! The processors of jobs, and notes about them.

use serde::{Deserialize, Serialize};

use super::Notes;
use crate::backend::{Backend, Choice, Precision, Processor, Strategy, SurfaceProcessor};
use crate::error::{Error, Result, option, option_name};
use crate::interrupt::stop_point;
use crate::mesh::{CellLengths, SolidMesh, SurfaceMesh};
use crate::plan::{Cost, SurfaceJob};

/// The processor of an evaluation, and the precision of its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct ProcessorRequest {
    /// Precision of the arithmetic
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub precision: Precision,
    /// Processor: auto (the fastest for this job), cpu, cuda, cuda:N, several GPUs (cuda:0,1)
    /// or all of them (cuda:all)
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
    /// Kernels on a GPU
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub strategy: Strategy,
}

impl ProcessorRequest {
    /// The processor of a job of this cost; says which one [`Choice::Auto`] took, and that the CPU
    /// has no strategies.
    ///
    /// # Errors
    /// As [`Processor::find_for`] and [`Processor::backend`].
    pub fn choose(&self, cost: &Cost, notes: &mut dyn Notes) -> Result<Box<dyn Backend>> {
        let processor = Processor::find_for(self.backend, cost, rayon::current_num_threads())?;
        let backend = processor.backend(self.precision, self.strategy)?;
        say_chosen(self.backend, &processor, &*backend, notes);
        if let Some(notice) = processor.strategy_notice(self.strategy) {
            notes.warn(notice);
        }
        Ok(backend)
    }

    /// Warns where cells of a mesh, refined `levels` times, are so small beside their distance from
    /// the origin that single precision, if asked for, does not keep points apart.
    pub fn warn_of_rounding(&self, mesh: &SolidMesh, levels: usize, notes: &mut dyn Notes) {
        if self.precision == Precision::F64 {
            return;
        }
        if let Some(loss) = CellLengths::new(mesh).single_precision_loss(levels) {
            let single = option("precision", "f32");
            notes.warn(message!("{loss}. Omit ", single, ", or move the model to the origin"));
        }
    }
}

/// The processor in double precision that a job of this cost runs on; says which one
/// [`Choice::Auto`] took.
///
/// # Errors
/// As [`Processor::open_for`].
pub fn backend_for(choice: Choice, cost: &Cost, notes: &mut dyn Notes) -> Result<Box<dyn Backend>> {
    let (processor, backend) = Processor::open_for(choice, cost, rayon::current_num_threads())?;
    say_chosen(choice, &processor, &*backend, notes);
    Ok(backend)
}

/// A surface on the processor that a choice comes to for `times` times a job; says which one
/// [`Choice::Auto`] took.
///
/// # Errors
/// If a GPU is asked for by name that is not there, or the surface cannot be brought to it.
pub(super) fn surface_processor(
    mesh: &SurfaceMesh,
    choice: Choice,
    (job, times): (SurfaceJob, usize),
    notes: &mut dyn Notes,
) -> Result<Box<dyn SurfaceProcessor>> {
    let cost = Cost::processing(mesh.points.len(), job, times);
    let processor = Processor::find_one_for(choice, &cost, rayon::current_num_threads())?;
    let backend = processor.backend(Precision::F64, Strategy::default())?;
    say_chosen(choice, &processor, &*backend, notes);
    backend.process_surface(mesh)
}

/// Takes equal steps that move the points of a surface.
pub(super) fn take_steps(
    mesh: &mut SurfaceMesh,
    mut processor: Box<dyn SurfaceProcessor>,
    steps: usize,
    step: impl Fn(&mut dyn SurfaceProcessor) -> Result<()>,
    notes: &mut dyn Notes,
) -> Result<()> {
    for done in 1..=steps {
        stop_point();
        step(&mut *processor)?;
        notes.progress(done, steps)?;
    }
    processor.update(mesh)
}

/// Refuses a GPU for a job that only the CPU does.
pub(super) fn check_cpu(choice: Choice, what: &str) -> Result<()> {
    if choice.allows_cpu() {
        return Ok(());
    }
    let (backend, cpu) = (option_name("backend"), option("backend", "cpu"));
    Err(Error::request(format!("{what} on the CPU alone")).with_help(message!(
        "omit ",
        backend,
        ", or give ",
        cpu
    )))
}

/// Refuses the first option that is given of those `whose` it is.
pub(super) fn refuse_options(options: &[(bool, &str)], whose: &str) -> Result<()> {
    match options.iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, name)) => Err(Error::request(message!(option_name(name), " is for ", whose))
            .with_help(message!("leave ", option_name(name), " out"))),
    }
}

/// Says which processor [`Choice::Auto`] took, if that is the choice, and why no GPU.
pub fn say_chosen(
    choice: Choice,
    processor: &Processor,
    backend: &dyn Backend,
    notes: &mut dyn Notes,
) {
    if choice == Choice::Auto {
        let why = processor.why_not_gpu().map(|why| format!(" ({why})")).unwrap_or_default();
        notes.status("Chose", format!("{}{why}", backend.name()));
    }
}
