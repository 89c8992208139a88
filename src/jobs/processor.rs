//! The processors of jobs, and what is said of them.

use super::Notes;
use crate::backend::{Backend, Choice, Cpu, Processor};
use crate::error::Result;
use crate::plan::Cost;

/// The GPU in double precision that a job of this cost runs on, if one does; says which processor
/// [`Choice::Auto`] took.
///
/// # Errors
/// Those of [`Processor::find_device`].
pub fn gpu_for(
    choice: Choice,
    cost: &Cost,
    notes: &mut dyn Notes,
) -> Result<Option<Box<dyn Backend>>> {
    let (processor, gpu) = Processor::find_device(choice, cost, rayon::current_num_threads())?;
    if choice == Choice::Auto {
        let name = gpu.as_ref().map_or_else(|| Cpu::default().name(), |gpu| gpu.name());
        say_chosen(&processor, &name, notes);
    }
    Ok(gpu)
}

/// Says which processor was taken, and why no GPU.
pub(super) fn say_chosen(processor: &Processor, name: &str, notes: &mut dyn Notes) {
    let why = processor.why_not_gpu().map(|why| format!(" ({why})")).unwrap_or_default();
    notes.status("Chose", format!("{name}{why}"));
}
