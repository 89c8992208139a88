//! `subsolid slice`

mod arguments;
mod model;
mod outputs;
mod values;

use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::backend::{Backend, Choice, start};
use subsolid::cluster::Ranks;
use subsolid::numbers::counted;
use subsolid::plan::{Cost, LayersJob};
use subsolid::slice::{
    Channel, DeviceSource, Job, JobReport, LayerFrame, LayerSource, PixelGrid, Setting,
    merge_layers, thin_walls,
};

use super::cluster::{all_rows, own_choice};
use super::console::since;
use super::json::JsonReport;
use super::processor::gpu_for;
use super::wording::words;
use super::{Console, Outcome};
use model::Model;
use outputs::OutputArguments;
use values::WantedAttribute;

pub use arguments::Arguments;

pub fn run(
    mut arguments: Arguments,
    ranks: Option<&Ranks<'_>>,
    console: &Console,
) -> Result<Outcome> {
    let OutputArguments { png, bmp, svg, .. } = &*arguments.outputs;
    let directories = [png, bmp, svg].into_iter().flatten().cloned().collect::<Vec<_>>();
    arguments.model.check_ranks(ranks)?;
    arguments.take_part(ranks)?;
    let a = &arguments;
    let _starting = start(a.backend)?;
    let start = Instant::now();
    let (model, slicer) = Model::load(a, console)?;
    let slices = RequestedLayers::new(a, slicer.frame(), &model, console)?;
    let RequestedLayers { setting, layers, .. } = &slices;
    let gpu = slices.gpu(&model, ranks, console)?;
    let on_cpu = model.source(slicer, a.outputs.pvtu.is_some())?;
    let device = gpu.as_ref().and_then(|gpu| gpu.device());
    let on_gpu = device.map(|device| DeviceSource::new(&on_cpu, device)).transpose()?;
    let source: &dyn LayerSource = match &on_gpu {
        Some(source) => source,
        None => &on_cpu,
    };
    let wanted: Vec<_> = a.attributes().map(WantedAttribute::pair).collect();
    let attributes = Channel::choose(&wanted, source.channels())?;
    let (channels, ids) = (source.channels(), model.material_ids.as_ref());
    let images = a.images.options(&a.outputs, setting, slices.grid, &attributes, channels, ids)?;
    if let (Some(grid), true) = (slices.grid, a.images.is_sampled(&a.outputs))
        && let Some(notice) = thin_walls(source, &setting.stack, layers.clone(), &grid)?
    {
        console.warn(words(&notice));
    }
    let of_all = counted(setting.stack.count(), "layer");
    console.status("Prepared", format!("{} of {of_all} in {}", layers.len(), since(start)));

    let start = Instant::now();
    let (grid, resume) = (slices.grid, a.resume);
    let chosen: Vec<usize> = attributes.iter().map(|&(channel, _)| channel).collect();
    let mut outputs = a.outputs.open_images(setting, images.as_ref(), channels, resume)?;
    outputs.extend(a.outputs.open_others(setting, layers, grid, &chosen, channels, resume)?);
    let job = Job { source, stack: setting.stack, layers: layers.clone(), outputs };
    let done = run_job(job, console)?;
    a.outputs.archive()?;
    let mut report = slices.report(&done);
    if let Some(ranks) = ranks {
        report.join(ranks, &directories)?;
        report.first_layer = a.all_layers(&setting.stack)?.start;
    }
    report.seconds = start.elapsed().as_secs_f64();
    report.say(start, console)?;
    Ok(Outcome::Done)
}

/// The layers that are asked of a model.
struct RequestedLayers<'a> {
    a: &'a Arguments,
    setting: Setting,
    layers: Range<usize>,
    // of outputs that have pixels
    grid: Option<PixelGrid>,
}

impl<'a> RequestedLayers<'a> {
    /// Refuses or warns of what does not fit the model.
    fn new(a: &'a Arguments, frame: LayerFrame, model: &Model, console: &Console) -> Result<Self> {
        let setting = a.setting(frame, model.sha256.clone())?;
        let grid = a.images.grid(&setting)?;
        a.outputs.warn_of_single(&setting, console);
        let layers = a.layers(&setting.stack)?;
        Ok(Self { a, setting, layers, grid })
    }

    /// The GPU that the pixels are made on, if it is one.
    fn gpu(
        &self,
        model: &Model,
        ranks: Option<&Ranks<'_>>,
        console: &Console,
    ) -> Result<Option<Box<dyn Backend>>> {
        let (backend, layers) = (self.a.backend, self.layers.len());
        let pixels = self
            .grid
            .map_or(0, |grid| layers.saturating_mul(grid.size[0]).saturating_mul(grid.size[1]));
        let attributes = model.wanted.iter().map(|attribute| attribute.width).sum();
        let cost = Cost::layers(LayersJob { cells: model.cells, layers, pixels, attributes });
        let choice = ranks.map_or(Ok(backend), |ranks| own_choice(backend, &cost, ranks))?;
        let has_pixels = self.a.outputs.has_pixels() && layers > 0;
        gpu_for(if has_pixels { choice } else { Choice::Cpu }, &cost, console)
    }

    fn report(&self, done: &JobReport) -> Report {
        Report {
            outputs: self.a.outputs.paths().map(|path| path.display().to_string()).collect(),
            layers_of_model: self.setting.stack.count(),
            first_layer: self.layers.start,
            layers: self.layers.len(),
            made: done.made,
            skipped: done.skipped,
            layer_height: self.a.layer_height,
            resolution: self.grid.map(|grid| grid.size),
            tolerance: self.setting.tolerance,
            seconds: 0.0,
        }
    }
}

/// Runs a job of any number of layers: a part without layers is a part.
fn run_job(job: Job<'_>, console: &Console) -> Result<JobReport> {
    let bar = console.bar(job.layers.len());
    let done = job.run_share(|done| {
        bar.set_position(done as u64);
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    Ok(done)
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Files and directories written.
    outputs: Vec<String>,
    /// Number of layers of the whole model.
    layers_of_model: usize,
    /// First layer of this run; layer 0 is at the bottom.
    first_layer: usize,
    /// Number of layers of this run.
    layers: usize,
    /// Number of layers made.
    made: usize,
    /// Number of layers that existed already.
    skipped: usize,
    /// Height of a layer, in length units.
    layer_height: f64,
    /// Columns and rows of images.
    resolution: Option<[usize; 2]>,
    /// Maximum distance of contours from the limit surface, in length units.
    tolerance: f64,
    /// Duration of the whole job, in seconds.
    seconds: f64,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.slice/1";
}

impl Report {
    /// Makes this the report of all ranks, whose parts of the directories become one.
    fn join(&mut self, ranks: &Ranks<'_>, directories: &[PathBuf]) -> Result<()> {
        let own = [self.layers, self.made, self.skipped].map(|count| count as f64);
        let all = all_rows(ranks, own)?;
        let sum = |i: usize| all.iter().map(|numbers| numbers[i] as usize).sum();
        (self.layers, self.made, self.skipped) = (sum(0), sum(1), sum(2));
        self.outputs = directories.iter().map(|path| path.display().to_string()).collect();
        ranks.agree(if ranks.is_first() {
            directories.iter().try_for_each(|path| merge_layers(path).map(drop))
        } else {
            Ok(())
        })
    }

    fn say(&self, start: Instant, console: &Console) -> Result<()> {
        let (made, time) = (counted(self.made, "layer"), since(start));
        console.status("Sliced", format!("{made}, {} already existed, in {time}", self.skipped));
        for output in &self.outputs {
            console.wrote(output, counted(self.layers, "layer"), start);
        }
        console.report_json(self)
    }
}
