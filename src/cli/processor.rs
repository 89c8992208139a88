//! The processor that a choice selects on this machine.

use subsolid::Result;
use subsolid::backend::{Backend, Choice};
use subsolid::plan::Cost;

use super::Console;

/// The GPU in double precision that a job of this cost runs on, if one does; says which processor
/// `auto` took.
///
/// # Errors
/// If a GPU is asked for by name that is not there.
pub fn gpu_for(choice: Choice, cost: &Cost, console: &Console) -> Result<Option<Box<dyn Backend>>> {
    subsolid::jobs::gpu_for(choice, cost, &mut console.notes())
}
