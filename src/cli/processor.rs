//! The options that choose a processor, and the processor that they select on this machine.

use clap::Args;
use subsolid::backend::{
    Backend, Choice, Cpu, Precision, Strategy, SurfaceProcessor, choose, devices,
};
use subsolid::memory::gigabytes;
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
    /// The processor chosen for a job; says which one `auto` took.
    pub fn choose(
        &self,
        precision: Precision,
        cost: &Cost,
        console: &Console,
    ) -> Result<Box<dyn Backend>> {
        if self.backend.is_several() {
            return choose(self.backend, precision, self.strategy);
        }
        let processor = Processor::find_for(self.backend, cost)?;
        let backend = processor.backend(precision, self.strategy)?;
        if self.backend == Choice::Auto {
            processor.tell(&backend.name(), console);
        }
        if processor.gpu().is_none() && self.strategy != Strategy::Auto {
            console.warn("--strategy applies to GPUs only and is ignored");
        }
        Ok(backend)
    }
}

/// The processor that a choice comes to on this machine.
pub enum Processor {
    /// The CPU; the reason, if a GPU was looked for.
    Cpu(Option<String>),
    /// The GPU of this number.
    Gpu(usize),
}

impl Processor {
    /// Looks for it; `auto` takes the one that ends a job of this cost first. A GPU is not even
    /// started for a job that the CPU ends before.
    ///
    /// # Errors
    /// If a GPU is asked for by name that is not there.
    pub fn find_for(choice: Choice, cost: &Cost) -> Result<Self> {
        let threads = rayon::current_num_threads();
        if choice != Choice::Auto || !cost.suits_cpu(threads) {
            return Self::find(choice);
        }
        let (cpu, gpu) = (cost.on_cpu(threads), cost.on_gpu(threads));
        Ok(Self::Cpu(Some(format!("about {}; a GPU would take {}", seconds(cpu), seconds(gpu)))))
    }

    /// Looks for it; `auto` takes the first NVIDIA GPU that works.
    ///
    /// # Errors
    /// If a GPU is asked for by name that is not there.
    pub fn find(choice: Choice) -> Result<Self> {
        let works = |ordinal| choose(Choice::Cuda(ordinal), Precision::F32, Strategy::default());
        match choice {
            Choice::Cpu => Ok(Self::Cpu(None)),
            Choice::Cuda(ordinal) => works(ordinal).map(|_| Self::Gpu(ordinal)),
            Choice::Devices(_) | Choice::AllDevices => {
                Err(Error::request("only `evaluate` runs on several GPUs")
                    .with_help("give one, for instance --backend cuda:0"))
            }
            Choice::Auto => {
                let devices = match devices() {
                    Ok(devices) => devices,
                    Err(why) => return Ok(Self::Cpu(Some(words(&why.message())))),
                };
                let mut why = Error::request("the NVIDIA driver shows no device");
                for device in devices {
                    match works(device.ordinal) {
                        Ok(_) => return Ok(Self::Gpu(device.ordinal)),
                        Err(error) => why = error,
                    }
                }
                Ok(Self::Cpu(Some(words(&why.message()))))
            }
        }
    }

    /// The number of the GPU, if it is one.
    pub fn gpu(&self) -> Option<usize> {
        match self {
            Self::Cpu(_) => None,
            Self::Gpu(ordinal) => Some(*ordinal),
        }
    }

    /// Why it is the CPU, if a GPU was looked for.
    pub fn why_not_gpu(&self) -> Option<&str> {
        match self {
            Self::Cpu(why) => why.as_deref(),
            Self::Gpu(_) => None,
        }
    }

    /// The processor at work.
    pub fn backend(&self, precision: Precision, strategy: Strategy) -> Result<Box<dyn Backend>> {
        choose(self.gpu().map_or(Choice::Cpu, Choice::Cuda), precision, strategy)
    }

    /// The GPU in double precision, if it is one.
    pub fn gpu_backend(&self) -> Result<Option<Box<dyn Backend>>> {
        let gpu = self.gpu().map(|_| self.backend(Precision::F64, Strategy::default()));
        gpu.transpose()
    }

    /// The GPU in double precision that a job of this cost runs on, if one does; says which
    /// processor `auto` took.
    ///
    /// # Errors
    /// If a GPU is asked for by name that is not there.
    pub fn gpu_for(
        choice: Choice,
        cost: &Cost,
        console: &Console,
    ) -> Result<Option<Box<dyn Backend>>> {
        let mut processor = Self::find_for(choice, cost)?;
        let mut gpu = processor.gpu_backend()?.filter(|gpu| gpu.device().is_some());
        let memory = gpu.as_ref().and_then(|gpu| gpu.device()).map(|device| device.info().memory);
        if let (Choice::Auto, Some(memory)) = (choice, memory.filter(|&memory| !cost.fits(memory)))
        {
            let [need, has] = [cost.on_device as u128, memory.into()].map(gigabytes);
            let why = format!("the job needs {need} of the GPU's memory, which has {has}");
            (processor, gpu) = (Self::Cpu(Some(why)), None);
        }
        if choice == Choice::Auto {
            let name = gpu.as_ref().map_or_else(|| Cpu::default().name(), |gpu| gpu.name());
            processor.tell(&name, console);
        }
        Ok(gpu)
    }

    /// A surface brought to the processor that a choice comes to for a job of this cost; says
    /// which one `auto` took.
    ///
    /// # Errors
    /// If a GPU is asked for by name that is not there, or the surface cannot be brought to it.
    pub fn for_surface(
        choice: Choice,
        cost: &Cost,
        mesh: &SurfaceMesh,
        console: &Console,
    ) -> Result<Box<dyn SurfaceProcessor>> {
        let processor = Self::find_for(choice, cost)?;
        let backend = processor.backend(Precision::F64, Strategy::default())?;
        if choice == Choice::Auto {
            processor.tell(&backend.name(), console);
        }
        backend.process_surface(mesh)
    }

    /// Says which processor was taken, and why no GPU.
    pub fn tell(&self, name: &str, console: &Console) {
        let why = self.why_not_gpu().map(|why| format!(" ({why})")).unwrap_or_default();
        console.status("Chose", format!("{name}{why}"));
    }
}

/// Refuses a GPU for what is done on the CPU alone.
pub fn check_of_solid(choice: Choice, what: &str) -> Result<()> {
    match choice {
        Choice::Auto | Choice::Cpu => Ok(()),
        _ => Err(Error::request(format!("{what} on the CPU alone"))
            .with_help("omit --backend, or give --backend cpu")),
    }
}

fn seconds(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}
