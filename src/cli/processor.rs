//! The options that choose a processor, and the processor that they select on this machine.

use clap::Args;
use subsolid::Result;
use subsolid::backend::{Backend, Choice, Precision, Processor, Strategy};
use subsolid::jobs::say_chosen;
use subsolid::plan::Cost;

use super::Console;
use super::wording::words;

#[derive(Args)]
pub struct ProcessorArguments {
    /// Processor: auto (the fastest for this job), cpu, cuda, cuda:N, several GPUs (cuda:0,1)
    /// or all of them (cuda:all)
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub backend: Choice,
    /// Kernels on a GPU
    #[arg(long, value_enum, default_value_t)]
    pub strategy: Strategy,
}

impl ProcessorArguments {
    /// Whether kernels of a GPU are chosen.
    pub fn has_strategy(&self) -> bool {
        self.strategy != Strategy::Auto
    }

    /// The processor chosen for a job; says which one `auto` took.
    pub fn choose(
        &self,
        precision: Precision,
        cost: &Cost,
        console: &Console,
    ) -> Result<Box<dyn Backend>> {
        let processor = Processor::find_for(self.backend, cost, rayon::current_num_threads())?;
        let backend = processor.backend(precision, self.strategy)?;
        if self.backend == Choice::Auto {
            say_chosen(&processor, &backend.name(), &mut console.notes());
        }
        if let Some(notice) = processor.strategy_notice(self.strategy) {
            console.warn(words(&notice));
        }
        Ok(backend)
    }
}
