//! Measures a machine: the experiments of Besler et al. (2022, section 5).

mod chart;
mod contender;
mod figures;
mod machine;
mod measure;
mod model;
mod page;
mod results;

pub use machine::Machine;
pub use model::ModelSummary;
pub use results::{Accuracy, BenchReport, Spread, Timing};

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::output::written;
use super::{Notes, since};
use crate::backend::{Choice, Processor};
use crate::error::{Error, Result, option};
use crate::io::atomic;
use crate::memory::decimal_bytes;
use crate::plan::MAX_SAMPLES;
use contender::{Contender, WriteTimes};
use model::{BenchModel, names};

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct BenchRequest {
    /// Control meshes of solids: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, Gmsh .msh, .ovm or Abaqus
    /// .inp
    #[cfg_attr(feature = "cli", arg(required = true, value_name = "MODEL"))]
    pub models: Vec<PathBuf>,
    /// Samples along each axis of a cell, 2 to 64; figure 13 measures more values
    #[cfg_attr(feature = "cli", arg(long, value_name = "N,N", value_delimiter = ','))]
    #[cfg_attr(feature = "cli", arg(default_value = "4,8"))]
    pub samples: Vec<usize>,
    /// Levels of refinement, 0 to 8
    #[cfg_attr(feature = "cli", arg(long, value_name = "N,N", value_delimiter = ','))]
    #[cfg_attr(feature = "cli", arg(default_value = "0,1,2"))]
    pub levels: Vec<usize>,
    /// Processor, beside the CPU: auto (the first NVIDIA GPU that works), cpu, cuda or
    /// cuda:N
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
    /// Number of runs, of which the median is reported, 1 to 10000
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 20))]
    #[cfg_attr(feature = "cli", arg(value_parser = clap::value_parser!(u16).range(1..=10_000)))]
    pub repeats: u16,
}

impl Default for BenchRequest {
    fn default() -> Self {
        let (samples, levels) = (vec![4, 8], vec![0, 1, 2]);
        Self { models: Vec::new(), samples, levels, backend: Choice::default(), repeats: 20 }
    }
}

impl BenchRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// [`Error::Request`] for numbers out of range, and a model that can be read once only.
    pub fn check(&self) -> Result<()> {
        if let Some(n) = self.samples.iter().filter(|&n| !(2..=MAX_SAMPLES).contains(n)).min() {
            return Err(Error::request(message!(option("samples", n), " is out of range"))
                .with_help(format!(
                    "give 2 to {MAX_SAMPLES} samples along each axis, such as 4,8"
                )));
        }
        if let Some(n) = self.levels.iter().filter(|&&n| n > 8).min() {
            return Err(Error::request(message!(option("levels", n), " is out of range"))
                .with_help("give levels up to 8, such as 0,1,2"));
        }
        if self.models.iter().any(|model| model == Path::new("-")) {
            return Err(Error::request(
                "the model is standard input, `-`: it is read more than once",
            )
            .with_help("write the model to a file"));
        }
        if self.models.is_empty() || self.samples.is_empty() || self.levels.is_empty() {
            return Err(
                Error::request("nothing to measure").with_help("name a model, samples and levels")
            );
        }
        if !(1..=10_000).contains(&self.repeats) {
            return Err(Error::request(message!(
                option("repeats", self.repeats),
                " is out of range"
            ))
            .with_help("give 1 to 10000"));
        }
        Ok(())
    }

    /// Measures all processors on all models; `command` is what the report says it was asked by.
    ///
    /// # Errors
    /// As [`BenchRequest::check`], of reading and refining the models, and of the processors.
    /// What does not fit into memory is left out, and the report says so.
    pub fn run(&self, command: &str, notes: &mut dyn Notes) -> Result<BenchReport> {
        self.check()?;
        let [samples, levels] = [&self.samples, &self.levels].map(|list| {
            let mut list = list.clone();
            list.sort_unstable();
            list.dedup();
            list
        });
        let processor = Processor::find_one(self.backend)?;
        let contenders = Contender::all(&processor)?;
        for contender in &contenders {
            notes.status("Measuring", contender.name.clone());
        }
        let repeats = self.repeats.into();
        let mut results = BenchReport {
            machine: Machine::new(&processor, command)?,
            repeats,
            models: Vec::new(),
            timings: Vec::new(),
            accuracy: Vec::new(),
            left_out: Vec::new(),
        };
        if processor.strategies().is_empty() {
            let asked = || "the CPU was asked for".into();
            let why = processor.why_not_gpu().map_or_else(asked, |why| notes.words(why));
            let note = format!("he kernels of a GPU, figures 9 and 10 among them: {why}");
            notes.status("Skipped", format!("t{note}"));
            results.left_out.push(format!("T{note}."));
        }
        let mut write_times = WriteTimes::new(repeats);
        let jobs = measure::jobs(&samples, &levels);
        let (mut done, all) = (0, self.models.len() * (jobs.len() + 1));
        for (path, name) in self.models.iter().zip(names(&self.models)) {
            for jobs in jobs.chunk_by(|a, b| a.level == b.level) {
                let start = Instant::now();
                let model = BenchModel::load(path, &name, jobs[0].level)?;
                let (what, since) = (model.describe(), since(start));
                notes.status("Read", format!("{}: {what} in {since}", path.display()));
                results.models.push(model.summary());
                for job in jobs {
                    measure::run(&model, job, &contenders, &mut write_times, &mut results, notes)?;
                    done += 1;
                    notes.progress(done, all)?;
                }
            }
            let least = BenchModel::load(path, &name, levels[0])?;
            measure::accuracy(
                &least,
                samples[samples.len() - 1],
                &contenders,
                &mut results,
                notes,
            )?;
            done += 1;
            notes.progress(done, all)?;
        }
        Ok(results)
    }
}

impl BenchReport {
    /// Writes the plots as a page that needs nothing else.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn write_page(&self, path: &Path, notes: &mut dyn Notes) -> Result<()> {
        let start = Instant::now();
        let page = page::page(self);
        atomic::write(path, |out| {
            out.write_all(page.as_bytes()).map_err(|e| atomic::refused(path, e))
        })?;
        let size = decimal_bytes(page.len() as u128);
        notes.status("Wrote", written(path.display(), size, start));
        Ok(())
    }
}
