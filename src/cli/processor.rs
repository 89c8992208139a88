//! The options that choose a processor, and the processor that they select on this machine.

use clap::Args;
use subsolid::backend::{Backend, Choice, Cpu, Precision, Processor, Strategy, SurfaceProcessor};
use subsolid::mesh::SurfaceMesh;
use subsolid::plan::Cost;
use subsolid::{Error, Result};

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
            tell(&processor, &backend.name(), console);
        }
        if let Some(notice) = processor.strategy_notice(self.strategy) {
            console.warn(words(&notice));
        }
        Ok(backend)
    }
}

/// The GPU in double precision that a job of this cost runs on, if one does; says which processor
/// `auto` took.
///
/// # Errors
/// If a GPU is asked for by name that is not there.
pub fn gpu_for(choice: Choice, cost: &Cost, console: &Console) -> Result<Option<Box<dyn Backend>>> {
    subsolid::jobs::gpu_for(choice, cost, &mut console.notes())
}

/// A surface brought to the processor that a choice comes to for a job of this cost; says which
/// one `auto` took.
///
/// # Errors
/// If a GPU is asked for by name that is not there, or the surface cannot be brought to it.
pub fn for_surface(
    choice: Choice,
    cost: &Cost,
    mesh: &SurfaceMesh,
    console: &Console,
) -> Result<Box<dyn SurfaceProcessor>> {
    let processor = Processor::find_one_for(choice, cost, rayon::current_num_threads())?;
    let backend = processor.backend(Precision::F64, Strategy::default())?;
    if choice == Choice::Auto {
        tell(&processor, &backend.name(), console);
    }
    backend.process_surface(mesh)
}

/// Says which processor was taken, the GPU or the CPU, and why no GPU.
pub fn tell_gpu(processor: &Processor, gpu: Option<&dyn Backend>, console: &Console) {
    tell(processor, &gpu.map_or_else(|| Cpu::default().name(), Backend::name), console);
}

/// Says which processor was taken, and why no GPU.
fn tell(processor: &Processor, name: &str, console: &Console) {
    let why = processor.why_not_gpu().map(|why| format!(" ({})", words(why))).unwrap_or_default();
    console.status("Chose", format!("{name}{why}"));
}

/// Refuses a GPU for what is done on the CPU alone.
pub fn check_of_solid(choice: Choice, what: &str) -> Result<()> {
    match choice {
        Choice::Auto | Choice::Cpu => Ok(()),
        _ => Err(Error::request(format!("{what} on the CPU alone"))
            .with_help("omit --backend, or give --backend cpu")),
    }
}
