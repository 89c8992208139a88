//! The processor that a choice comes to on this machine.

use std::sync::Arc;
use std::thread::JoinHandle;

use super::choice::Choice;
use super::surface::runs_on_gpu;
use super::{Backend, Cpu, DeviceInfo, MultiDevice, Precision, SharedBackend, Strategy};
use crate::error::{Command, Error, Message, Result, option, option_name};
use crate::memory::decimal_bytes;
use crate::mesh::SurfaceMesh;
use crate::numbers::sorted_unique;
use crate::plan::Cost;
use crate::surface::{SurfaceOptions, refined_counts};

/// All GPUs that this program can use.
///
/// # Errors
/// [`Error::Request`] if there is no driver or no device, with what to install.
pub fn devices() -> Result<Vec<DeviceInfo>> {
    gpu::devices()
}

/// The processor chosen. `strategy` concerns GPUs alone.
///
/// # Errors
/// [`Error::Request`] if a GPU is asked for that is not there or cannot compile its
/// kernels; [`Choice::Auto`] takes the CPU then.
pub fn choose(
    choice: Choice,
    precision: Precision,
    strategy: Strategy,
) -> Result<Box<dyn Backend>> {
    let shared = |ordinal: usize| gpu::open(ordinal, precision, strategy);
    let gpu = |ordinal| shared(ordinal).map(|gpu| Box::new(gpu) as Box<dyn Backend>);
    match choice {
        Choice::Devices(_) | Choice::AllDevices => match &ordinals(choice)?[..] {
            &[one] => gpu(one),
            several => {
                let open = |&ordinal: &usize| Ok(Arc::new(shared(ordinal)?) as SharedBackend);
                let members: Result<Vec<_>> = several.iter().map(open).collect();
                Ok(Box::new(MultiDevice::new(members?, precision)?))
            }
        },
        Choice::Cpu => Ok(Box::new(Cpu::new(precision))),
        Choice::Cuda(ordinal) => gpu(ordinal),
        Choice::Auto => Processor::find(choice)?.backend(precision, strategy),
    }
}

/// The processor that a choice comes to on this machine, which says what [`Choice::Auto`] took.
#[derive(Clone, Debug)]
pub struct Processor {
    // not `Auto`
    choice: Choice,
    why_not_gpu: Option<Message>,
}

impl Processor {
    /// The processor; of [`Choice::Auto`] the first NVIDIA GPU that works, else the CPU.
    ///
    /// # Errors
    /// [`Error::Request`] if one GPU is asked for that is not there.
    pub fn find(choice: Choice) -> Result<Self> {
        match choice {
            Choice::Auto => Ok(match first_gpu() {
                Ok(ordinal) => Self { choice: Choice::Cuda(ordinal), why_not_gpu: None },
                Err(why) => Self { choice: Choice::Cpu, why_not_gpu: Some(why.message()) },
            }),
            Choice::Cuda(ordinal) => {
                gpu::open(ordinal, Precision::F32, Strategy::default())?;
                Ok(Self { choice, why_not_gpu: None })
            }
            _ => Ok(Self { choice, why_not_gpu: None }),
        }
    }

    /// The processor for a job of this cost, on `threads` threads of the CPU; of [`Choice::Auto`]
    /// the one that ends it first. A GPU is not even started for a job that the CPU ends before.
    ///
    /// # Errors
    /// As [`Processor::find`].
    pub fn find_for(choice: Choice, cost: &Cost, threads: usize) -> Result<Self> {
        if choice != Choice::Auto || !cost.suits_cpu(threads) {
            return Self::find(choice);
        }
        let [cpu, gpu] = [cost.on_cpu(threads), cost.on_gpu(threads)].map(seconds);
        Ok(Self::cpu_because(format!("about {cpu}; a GPU would take {gpu}")))
    }

    /// [`Processor::find`] for a job that one GPU at most runs.
    ///
    /// # Errors
    /// As [`Processor::find`]; [`Error::Request`] for several GPUs.
    pub fn find_one(choice: Choice) -> Result<Self> {
        refuse_several(choice)?;
        Self::find(choice)
    }

    /// Refuses one GPU that is asked for by name and is not there, before any work.
    ///
    /// # Errors
    /// As [`Processor::find_one`].
    pub fn check_one(choice: Choice) -> Result<()> {
        if choice.allows_cpu() { Ok(()) } else { Self::find_one(choice).map(drop) }
    }

    /// What program number `rank` of those of this machine asks for where all of them are asked for
    /// `choice`, for a job of this cost each: of several GPUs every one takes one in turn.
    ///
    /// # Errors
    /// As [`devices`], if all GPUs are asked for.
    pub fn share(choice: Choice, rank: usize, cost: &Cost) -> Result<Choice> {
        let own = |ordinals: &[usize]| {
            let own = ordinals.get(rank % ordinals.len().max(1));
            own.map_or(Choice::Auto, |&ordinal| Choice::Cuda(ordinal))
        };
        let all = || -> Result<Vec<usize>> { Ok(devices()?.iter().map(|d| d.ordinal).collect()) };
        Ok(match choice {
            Choice::Cpu | Choice::Cuda(_) => choice,
            Choice::Devices(list) => own(list.ordinals()),
            Choice::AllDevices => own(&all()?),
            Choice::Auto if cost.suits_cpu(rayon::current_num_threads()) => choice,
            Choice::Auto => match all() {
                Ok(ordinals) if Self::find_one(own(&ordinals)).is_ok() => own(&ordinals),
                _ => choice,
            },
        })
    }

    /// [`Processor::find_for`] for a job that one GPU at most runs.
    ///
    /// # Errors
    /// As [`Processor::find_one`].
    pub fn find_one_for(choice: Choice, cost: &Cost, threads: usize) -> Result<Self> {
        refuse_several(choice)?;
        Self::find_for(choice, cost, threads)
    }

    /// The processor of a surface's refinement; of [`Choice::Auto`] the CPU where
    /// [GPUs do not refine it](runs_on_gpu).
    ///
    /// # Errors
    /// As [`Processor::find_one`].
    pub fn find_for_surface(
        choice: Choice,
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
        threads: usize,
    ) -> Result<Self> {
        if choice == Choice::Auto && !runs_on_gpu(mesh, options) {
            return Ok(Self::cpu_because("the CPU alone runs this scheme and method on this mesh"));
        }
        let faces = refined_counts(mesh, options).faces as usize;
        Self::find_one_for(choice, &Cost::surface(faces), threads)
    }

    /// [`Processor::find_one_for`], and that processor at work in double precision; of
    /// [`Choice::Auto`] the CPU where a GPU's memory is too small for the job.
    ///
    /// # Errors
    /// As [`Processor::find_one`] and [`choose`].
    pub fn open_for(
        choice: Choice,
        cost: &Cost,
        threads: usize,
    ) -> Result<(Self, Box<dyn Backend>)> {
        let processor = Self::find_one_for(choice, cost, threads)?;
        let backend = processor.backend(Precision::F64, Strategy::default())?;
        let memory = backend.info().memory;
        if choice == Choice::Auto && !processor.is_cpu() && !cost.fits(memory) {
            let [need, has] = [cost.on_device as u128, memory.into()].map(decimal_bytes);
            let why = format!("the job needs {need} of the GPU's memory, which has {has}");
            return Ok((Self::cpu_because(why), Box::new(Cpu::default())));
        }
        Ok((processor, backend))
    }

    /// The CPU, and why no GPU.
    fn cpu_because(why_not_gpu: impl Into<Message>) -> Self {
        Self { choice: Choice::Cpu, why_not_gpu: Some(why_not_gpu.into()) }
    }

    /// The strategies that the processor has for an evaluation; the CPU has none to choose from.
    pub fn strategies(&self) -> &'static [Strategy] {
        const ALL: &[Strategy] =
            &[Strategy::Thread, Strategy::Warp, Strategy::Hybrid, Strategy::Auto];
        if self.is_cpu() { &[] } else { ALL }
    }

    /// Properties of the GPU, if it is one.
    ///
    /// # Errors
    /// As [`devices`].
    pub fn device_info(&self) -> Result<Option<DeviceInfo>> {
        let Choice::Cuda(number) = self.choice else { return Ok(None) };
        Ok(devices()?.into_iter().find(|device| device.ordinal == number))
    }

    fn is_cpu(&self) -> bool {
        self.choice == Choice::Cpu
    }

    /// Why it is the CPU, if it might have been a GPU.
    pub fn why_not_gpu(&self) -> Option<&Message> {
        self.why_not_gpu.as_ref()
    }

    /// What to say of a strategy that is asked for where it has no effect.
    pub fn strategy_notice(&self, strategy: Strategy) -> Option<Message> {
        let is_ignored = self.is_cpu() && strategy != Strategy::Auto;
        is_ignored
            .then(|| message!(option_name("strategy"), " applies to GPUs only and is ignored"))
    }

    /// The processor at work. `strategy` concerns GPUs alone.
    ///
    /// # Errors
    /// As [`choose`].
    pub fn backend(&self, precision: Precision, strategy: Strategy) -> Result<Box<dyn Backend>> {
        choose(self.choice, precision, strategy)
    }
}

fn refuse_several(choice: Choice) -> Result<()> {
    if choice.is_several() {
        return Err(Error::request(message!("only ", Command::Evaluate, " runs on several GPUs"))
            .with_help(message!("give one, for instance ", option("backend", "cuda:0"))));
    }
    Ok(())
}

/// The first GPU that works, or why none does.
fn first_gpu() -> Result<usize> {
    let mut why = Error::request("the NVIDIA driver shows no device");
    for DeviceInfo { ordinal, .. } in devices()? {
        match gpu::open(ordinal, Precision::F32, Strategy::default()) {
            Ok(_) => return Ok(ordinal),
            Err(error) => why = error,
        }
    }
    Err(why)
}

fn seconds(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}

/// Opens the GPU that is asked for in the background, so that [`choose`] finds it open. Nothing
/// happens for other choices.
///
/// # Errors
/// [`Error::Request`] if the GPU is not there. What fails later is reported by [`choose`].
pub fn start(choice: Choice) -> Result<DeviceOpening> {
    let ordinals = sorted_unique(ordinals(choice)?);
    ordinals.iter().try_for_each(|&ordinal| gpu::check(ordinal))?;
    let start = |ordinal| std::thread::spawn(move || gpu::start(ordinal));
    Ok(DeviceOpening(ordinals.into_iter().map(start).collect()))
}

/// The devices that a choice names.
fn ordinals(choice: Choice) -> Result<Vec<usize>> {
    Ok(match choice {
        Choice::Auto | Choice::Cpu => Vec::new(),
        Choice::Cuda(ordinal) => vec![ordinal],
        Choice::Devices(list) => list.ordinals().to_vec(),
        Choice::AllDevices => {
            let all = devices().map_err(Error::or_cpu)?;
            let all: Vec<usize> = all.into_iter().map(|device| device.ordinal).collect();
            if all.is_empty() {
                return Err(Error::request("no CUDA device: the driver shows none")
                    .with_help("check CUDA_VISIBLE_DEVICES")
                    .or_cpu());
            }
            all
        }
    })
}

/// GPUs that are being opened. Dropping it waits until they are open, since a program must not end
/// while its driver starts.
#[derive(Debug)]
#[must_use = "dropping it waits for the device"]
pub struct DeviceOpening(Vec<JoinHandle<()>>);

impl Drop for DeviceOpening {
    fn drop(&mut self) {
        for thread in self.0.drain(..) {
            let _ = thread.join();
        }
    }
}

/// GPUs by CUDA.
#[cfg(feature = "cuda")]
mod gpu {
    pub use crate::backend::cuda::{check_device as check, devices};

    use crate::backend::{Cuda, Precision, Strategy};
    use crate::error::Result;

    pub fn open(ordinal: usize, precision: Precision, strategy: Strategy) -> Result<Cuda> {
        Ok(Cuda::new(ordinal, precision)?.with_strategy(strategy))
    }

    pub fn start(ordinal: usize) {
        let _ = Cuda::open(ordinal);
    }
}

/// No GPUs.
#[cfg(not(feature = "cuda"))]
mod gpu {
    use crate::backend::{Cpu, DeviceInfo, Precision, Strategy};
    use crate::error::{Error, Result};

    pub fn devices() -> Result<Vec<DeviceInfo>> {
        Err(no_support())
    }

    // the CPU stands for the type of a GPU, and is never returned
    pub fn open(_: usize, _: Precision, _: Strategy) -> Result<Cpu> {
        Err(no_support().or_cpu())
    }

    pub fn check(_: usize) -> Result<()> {
        Err(no_support().or_cpu())
    }

    pub fn start(_: usize) {}

    fn no_support() -> Error {
        Error::request("no CUDA device: this program was built without CUDA")
            .with_help("build it with the cargo feature `cuda`")
    }
}

/// The best processor of this machine at the reference precision.
pub fn auto() -> Box<dyn Backend> {
    choose(Choice::Auto, Precision::F64, Strategy::Auto)
        .unwrap_or_else(|_| Box::new(Cpu::default()))
}
