//! The work of slicing: which layers, in which order, into which files.
//!
//! Layers are made in parallel, a bounded number at a time, and handed on in their
//! order, so that memory does not grow with the stack and files do not depend on the
//! number of threads.
//!
//! Each is made by a thread of its own, none of rayon's: a source may lock a device and
//! share out work while it holds the lock. A thread of rayon's that waits for such work
//! takes up other work, which could be a layer that waits for the same lock: a deadlock.

use std::iter;
use std::ops::{ControlFlow, Range};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::output::{KeptLayers, LayerOutput, Output, OutputLayer};
use super::source::LayerSource;
use super::stack::Stack;
use crate::error::{Error, IdKind, Result};
use crate::interrupt::stop_point;

/// Layers at work at a time, for every thread.
const LAYERS_A_THREAD: usize = 4;

/// Time between two checkpoints; longer if they take long themselves.
const CHECKPOINT: Duration = Duration::from_millis(250);

/// Slices a range of the layers of `stack`, all of which `source` can cut, into `outputs`.
///
/// ```
/// # let directory = tempfile::tempdir().unwrap();
/// # let directory = directory.path();
/// use std::ops::ControlFlow;
/// use subsolid::slice::output::SvgStack;
/// use subsolid::slice::{Job, Setting, SliceOptions, Slicer, SolidSource, fingerprint};
///
/// let mesh = subsolid::read("models/bracket.vtk")?;
/// let solid = subsolid::Solid::new(&mesh)?;
/// let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default())?;
/// let setting = Setting::new(slicer.frame(), 0.5, None)?;
/// let setting = Setting { model_sha256: fingerprint(&mesh), ..setting };
/// let source = SolidSource::new(&solid, mesh.controls(), slicer)?;
/// let drawings = Box::new(SvgStack::open(directory, &setting, false)?);
/// let (stack, layers) = (setting.stack.clone(), 0..setting.stack.count());
/// let job = Job { source: &source, stack, layers, outputs: vec![drawings] };
/// let report = job.run(|_layers_done| ControlFlow::Continue(()))?;
/// assert_eq!(report.made, setting.stack.count());
/// # Ok::<(), subsolid::Error>(())
/// ```
pub struct Job<'a> {
    /// Source of the layers.
    pub source: &'a dyn LayerSource,
    /// All layers of the model.
    pub stack: Stack,
    /// Numbers of the layers to slice.
    pub layers: Range<usize>,
    /// What they become.
    pub outputs: Vec<Box<dyn Output + 'a>>,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobReport {
    /// Layers that were made.
    pub made: usize,
    /// Layers for which nothing was left to do.
    pub skipped: usize,
}

/// What every output made of a layer.
type LayerOutputs = Vec<Option<LayerOutput>>;

impl Job<'_> {
    /// Layers whose results are held at a time.
    pub fn layers_at_once(layers: usize) -> usize {
        layers.min(LAYERS_A_THREAD * rayon::current_num_threads())
    }

    /// Slices. `progress` is called with the number of layers done; if it breaks, the job stops as
    /// if it had failed.
    ///
    /// # Errors
    /// [`Error::Request`] for layers that the stack lacks, or when stopped; the error of the source
    /// or an output. Files of single layers that were completed stay, files of all layers do not
    /// appear.
    pub fn run(mut self, progress: impl FnMut(usize) -> ControlFlow<()>) -> Result<JobReport> {
        self.run_layers(progress).map_err(|error| {
            // complete layers are listed even if a later one fails
            let error = self.checkpoint().err().unwrap_or(error);
            self.outputs.iter().filter_map(|output| output.kept()).fold(error, KeptLayers::add_to)
        })
    }

    fn run_layers(
        &mut self,
        mut progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<JobReport> {
        let Range { start, end } = self.layers;
        if start >= end || end > self.stack.count() {
            let last = self.stack.count() - 1;
            return Err(Error::request(message!(
                "layers ",
                IdKind::Layer.number(start),
                " to {end} of 0 to {last}"
            ))
            .with_help("ask for layers that the model has"));
        }
        let mut report = JobReport::default();
        let mut saved = Checkpoint::new();
        let window = Self::layers_at_once(end - start);
        for first in (start..end).step_by(window) {
            let layers = first..end.min(first + window);
            for parts in self.make_all(layers.clone()) {
                let parts = parts?;
                if parts.iter().any(Option::is_some) {
                    report.made += 1
                } else {
                    report.skipped += 1
                }
                let pairs = self.outputs.iter_mut().zip(parts);
                pairs
                    .filter_map(|(output, part)| Some((output, part?)))
                    .try_for_each(|(output, part)| output.take(part))?;
            }
            if progress(layers.end - start).is_break() {
                return Err(Error::request(message!(
                    "stopped before ",
                    IdKind::Layer.id(layers.end)
                )));
            }
            if saved.is_due() {
                saved.time(|| self.checkpoint())?;
            }
        }
        self.outputs.iter_mut().try_for_each(|output| output.finish())?;
        Ok(report)
    }

    /// [`Job::run`] for a share of the layers that may be none: its files are there then, too.
    ///
    /// # Errors
    /// As [`Job::run`].
    pub fn run_share(
        mut self,
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<JobReport> {
        if self.layers.is_empty() {
            self.outputs.iter_mut().try_for_each(|output| output.finish())?;
            return Ok(JobReport::default());
        }
        self.run(progress)
    }

    /// What the outputs make of some layers.
    fn make_all(&self, layers: Range<usize>) -> Vec<Result<LayerOutputs>> {
        let threads = rayon::current_num_threads().min(layers.len());
        let next = AtomicUsize::new(layers.start);
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|k| layers.contains(k));
        let work = || iter::from_fn(take).map(|k| (k, self.make(k))).collect::<Vec<_>>();
        let mut made: Vec<_> = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .flat_map(|w| w.join().unwrap_or_else(|e| resume_unwind(e)))
                .collect()
        });
        made.sort_unstable_by_key(|&(k, _)| k);
        made.into_iter().map(|(_, made)| made).collect()
    }

    /// What each output makes of a layer; nothing where nothing is left to do.
    fn make(&self, index: usize) -> Result<LayerOutputs> {
        stop_point();
        let cut = OutputLayer::new(index, &self.stack, self.source);
        let make = |output: &dyn Output| {
            if output.is_done(index) { Ok(None) } else { output.make(&cut).map(Some) }
        };
        self.outputs.iter().map(|output| make(output.as_ref())).collect()
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.outputs.iter_mut().try_for_each(|output| output.checkpoint())
    }
}

/// When to say on the disk how far the job is.
struct Checkpoint {
    last: Instant,
    pause: Duration,
}

impl Checkpoint {
    fn new() -> Self {
        Self { last: Instant::now(), pause: CHECKPOINT }
    }

    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.pause
    }

    fn time(&mut self, checkpoint: impl FnOnce() -> Result<()>) -> Result<()> {
        let start = Instant::now();
        checkpoint()?;
        self.last = Instant::now();
        self.pause = CHECKPOINT.max(20 * start.elapsed());
        Ok(())
    }
}
