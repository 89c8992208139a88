//! `subsolid slice`

mod model;
mod outputs;
mod values;

use std::ops::{ControlFlow, Range, RangeInclusive};
use std::path::PathBuf;
use std::time::Instant;

use clap::{ArgGroup, Args};
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::backend::{Choice, start};
use subsolid::cluster::{Ranks, ThreadGroup};
use subsolid::numbers::counted;
use subsolid::plan::{Cost, LayersJob};
use subsolid::scheme::Scheme;
use subsolid::slice::{
    Axis, DeviceSource, Job, JobReport, LayerFrame, LayerSource, Setting, Stack, merge_layers,
};
use subsolid::{Error, Result};

use super::cluster::{all_rows, own_choice};
use super::console::since;
use super::json::JsonReport;
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::pieces::{part, share};
use super::processor::Processor;
use super::surface::scheme_names;
use super::{Console, Outcome};
use model::Model;
use outputs::{ImageArguments, OutputArguments};
use values::{Span, WantedAttribute};

/// What `--strict` refuses, of solids and surfaces.
const STRICT: &str = "Refuse left-handed and folded hexahedra, inverted cells of other kinds and surfaces \
                      that face inward instead of warning about them";

/// Part of the model's height by which --origin may lie above its lowest point: rounding.
const ORIGIN_SLACK: f64 = 1e-6;

/// Cut the limit volume into layers, for additive manufacturing
///
/// The model is a solid, or a closed surface whose limit by --scheme is sliced.
///
/// Layer k is the slab from k to k + 1 layer heights above the lowest point of the limit, or above
/// --origin, and is cut at mid-height. Layers are numbered from the bottom of the whole model
/// regardless of --range, so that a partial run gives the same files as a full run.
#[derive(Args)]
#[command(group = ArgGroup::new("outputs").required(true).multiple(true)
    .args(["png", "bmp", "svg", "layered_svg", "cli", "vtp", "pvtu", "zip", "sl1"]))]
#[command(group = ArgGroup::new("images").args(["png", "bmp", "zip", "sl1"]).multiple(true))]
#[command(group = ArgGroup::new("a_material").args(["materials", "material_id"]).multiple(true))]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(mut_arg("strict", |strict| strict.help(STRICT)))]
#[command(after_help = "\
Examples:
  subsolid slice model.vtk --layer-height 0.05 --png layers --pixel 0.05 --antialias 4
  subsolid slice model.vtk --layer-height 0.05 --png layers --pixel 0.05 --dither \\
    --attribute hardness=0:1 --zip job.zip
  subsolid slice model.vtk --layer-height 0.05 --zip job.zip --pixel 0.05 --materials steel,copper
  subsolid slice model.msh --layer-height 0.05 --png layers --pixel 0.05 --material-id MaterialIds
  subsolid slice model.vtk --layer-height 0.05 --sl1 job.sl1 --pixel 0.04725 \\
    --resolution 1440x2560 --antialias 4 --exposure 6:35:10
  subsolid slice model.vtk --layer-height 0.1 --svg drawings --cli job.cli --vtp job.vtp
  subsolid slice model.obj --layer-height 0.05 --png layers --pixel 0.05
  subsolid slice part.stl --scheme linear --layer-height 0.05 --png layers --pixel 0.05
  subsolid slice model.vtk --layer-height 0.1 --range 2:2.5 --axis x --svg drawings --resume")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// Subdivision scheme of a surface; bilinear (also called linear) slices its polygons as they
    /// are [default: catmull-clark]
    #[arg(long, value_parser = scheme_names())]
    scheme: Option<Scheme>,
    /// Height of a layer, in length units of the model
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    layer_height: f64,
    /// Height of the bottom of layer 0, in length units of the model, at or below the lowest point
    /// of the limit [default: the lowest point]
    #[arg(long, value_name = "Z", allow_hyphen_values = true)]
    origin: Option<f64>,
    /// Slice only layers whose mid-height lies between Z0 and Z1; either may be omitted
    #[arg(long, value_name = "Z0:Z1", allow_hyphen_values = true)]
    range: Option<Span>,
    /// Axis that layers are stacked along
    #[arg(long, value_enum, default_value_t)]
    axis: Axis,
    /// Maximum distance of contours from the limit surface, in length units [default: 1e-5 of the
    /// longest side of the bounding box, or 2^-46 of the largest coordinate if that is more]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Length unit of the model, for formats that use millimeters: um, mm, cm, m, in, ft, or the
    /// millimeters in it, 1e-9 to 1e9
    #[arg(long, value_name = "UNIT", default_value = "mm", value_parser = values::millimeters,
          allow_hyphen_values = true)]
    unit: f64,
    #[command(flatten)]
    outputs: Box<OutputArguments>,
    #[command(flatten)]
    images: Box<ImageArguments>,
    /// Attribute, array or group of cells (a material) to write too: images of its own (its
    /// range, or the values B and W, from black to white) and a point array of --vtp and --pvtu; of
    /// several components NAME_0, NAME_1, …; may be repeated
    #[arg(long, value_name = "NAME[=B:W]")]
    attribute: Vec<WantedAttribute>,
    /// Make part I of N of the layers, for several machines at once: 1/N to N/N, in any order, then
    /// `subsolid merge` with the directory. Layers that exist are not recomputed
    #[arg(long, value_name = "I/N", value_parser = part)]
    pieces: Option<(usize, usize)>,
    /// Skip layers whose files exist
    #[arg(long)]
    resume: bool,
    /// Processor of the pixels: auto (the fastest for this job), cpu, cuda or cuda:N;
    /// coverage is bitwise identical, attributes agree to rounding
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
}

pub fn run(
    mut arguments: Arguments,
    ranks: Option<&Ranks<'_>>,
    console: &Console,
) -> Result<Outcome> {
    let OutputArguments { png, bmp, svg, .. } = &*arguments.outputs;
    let directories = [png, bmp, svg].into_iter().flatten().cloned().collect::<Vec<_>>();
    arguments.take_part(ranks)?;
    let a = &arguments;
    let _starting = start(a.backend)?;
    let start = Instant::now();
    let group = ThreadGroup::alone();
    let alone = Ranks::new(&group);
    let (mut model, outline) = Model::load(a, ranks.unwrap_or(&alone), console)?;
    let setting = a.setting(outline.frame(), model.sha256.clone())?;
    a.images.check_fit(&setting, console)?;
    a.outputs.warn_of_single(&setting, console);
    let layers = a.layers(&setting.stack)?;
    let grid = a.images.grid(&setting)?;
    // a covered pixel is that near to what covers it, in the plane of the layer's middle
    let reach = setting.tolerance + a.layer_height + grid.map_or(0.0, |grid| grid.pitch);
    let slicer = outline.into_slicer(&mut model, a, (&setting.stack, &layers), reach)?;
    let pixels = grid.map_or(0, |grid| layers.len() * grid.size[0] * grid.size[1]);
    let numbers = model.wanted.iter().map(|attribute| attribute.width).sum();
    let job = LayersJob { cells: model.cells, layers: layers.len(), pixels, attributes: numbers };
    let cost = Cost::layers(job);
    let choice = ranks.map_or(Ok(a.backend), |ranks| own_choice(a.backend, &cost, ranks))?;
    let has_pixels = a.outputs.has_pixels() && !layers.is_empty();
    let gpu = Processor::gpu_for(if has_pixels { choice } else { Choice::Cpu }, &cost, console)?;
    let on_cpu = model.source(slicer, a.outputs.pvtu.is_some())?;
    let device = gpu.as_ref().and_then(|gpu| gpu.device());
    let on_gpu = device.map(|device| DeviceSource::new(&on_cpu, device)).transpose()?;
    let source: &dyn LayerSource = match &on_gpu {
        Some(source) => source,
        None => &on_cpu,
    };
    let attributes = values::choose(&a.attribute, source.channels())?;
    let named = (source.channels(), model.material_ids.as_ref());
    let images = a.images.options(&a.outputs, &setting, &attributes, named)?;
    let count = layers.len();
    console.status(
        "Prepared",
        format!("{count} of {} in {}", counted(setting.stack.count(), "layer"), since(start)),
    );

    let start = Instant::now();
    let opened = a.outputs.open(
        &setting,
        &layers,
        (grid, images.as_ref()),
        &attributes,
        source,
        a.resume,
    )?;
    let job = Job { source, stack: setting.stack, layers: layers.clone(), outputs: opened };
    let done = run_job(job, console)?;
    a.outputs.archive()?;
    let mut report = Report {
        outputs: a.outputs.paths().map(|path| path.display().to_string()).collect(),
        layers_of_model: setting.stack.count(),
        first_layer: layers.start,
        layers: count,
        made: done.made,
        skipped: done.skipped,
        layer_height: a.layer_height,
        resolution: grid.map(|grid| grid.size),
        tolerance: setting.tolerance,
        seconds: 0.0,
    };
    if let Some(ranks) = ranks {
        report.join(ranks, &directories)?;
        report.first_layer = a.all_layers(&setting.stack)?.start;
    }
    report.seconds = start.elapsed().as_secs_f64();
    report.say(start, console)?;
    Ok(Outcome::Done)
}

/// Runs a job of any number of layers: a part without layers is a part.
fn run_job(mut job: Job<'_>, console: &Console) -> Result<JobReport> {
    if job.layers.is_empty() {
        job.outputs.iter_mut().try_for_each(|output| output.finish())?;
        return Ok(JobReport::default());
    }
    let bar = console.bar(job.layers.len());
    let done = job.run(|done| {
        bar.set_position(done as u64);
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    Ok(done)
}

/// Millimeters in a length unit of a model.
const UNITS: RangeInclusive<f64> = 1e-9..=1e9;

impl Arguments {
    /// Makes this the job of the part that is asked for, or of the rank, and refuses, before any
    /// work, what cannot come to anything.
    fn take_part(&mut self, ranks: Option<&Ranks<'_>>) -> Result<()> {
        if let Some(ranks) = ranks {
            if self.pieces.is_some() {
                return Err(Error::request("--pieces is for one program")
                    .with_help("leave it out, or leave --mpi out"));
            }
            self.pieces = Some((ranks.rank() + 1, ranks.size()));
        }
        self.check()?;
        if let Some(part) = self.pieces {
            self.resume = true;
            self.outputs.of_job(part)?;
        }
        Ok(())
    }

    /// Refuses what does not go together.
    fn check(&self) -> Result<()> {
        // an extent that lets any height pass that any model could have
        Stack::new([0.0, self.layer_height.max(f64::MIN_POSITIVE)], self.layer_height)?;
        if !UNITS.contains(&self.unit) {
            return Err(Error::request(format!("--unit {} is out of range", self.unit)).with_help(
                "give the millimeters in a length unit, 1e-9 to 1e9: 1000 if the model is in meters",
            ));
        }
        let outputs = &self.outputs;
        let drawn =
            outputs.has_attribute_images() || outputs.pvtu.is_some() || outputs.vtp.is_some();
        if !self.attribute.is_empty() && !drawn {
            return Err(Error::request("--attribute is for images, --vtp and --pvtu")
                .with_help("give --png DIR, --vtp FILE or --pvtu FILE, or leave --attribute out"));
        }
        if self.pieces.is_some() && outputs.has_files() {
            return Err(Error::request(
                "parts and ranks are for --png, --bmp and --svg, whose layers are files",
            )
            .with_help("leave the other outputs out"));
        }
        self.check_unused()?;
        self.images.check(&self.outputs)?;
        self.outputs.check(&self.model)
    }

    /// Refuses options that none of the outputs has a use for.
    fn check_unused(&self) -> Result<()> {
        let outputs = &self.outputs;
        let (images, drawings) = (outputs.has_images(), outputs.svg.is_some());
        let drawings = drawings || outputs.layered_svg.is_some();
        let ranges = self.attribute.iter().any(|wanted| wanted.range.is_some());
        let on_gpu = self.backend.is_gpu();
        for (unused, option, of) in [
            (self.resume && !outputs.has_directories(), "--resume", "--png, --bmp and --svg"),
            (
                ranges && !outputs.has_attribute_images(),
                "a range of --attribute",
                "--png, --bmp and --zip",
            ),
            (on_gpu && !outputs.has_pixels(), "--backend cuda", "images and --pvtu"),
            (
                self.unit != 1.0 && !images && !drawings && outputs.cli.is_none(),
                "--unit",
                "images, drawings and --cli; --vtp and --pvtu keep the model's length unit",
            ),
        ] {
            if unused {
                return Err(Error::request(format!("{option} is for {of}"))
                    .with_help("leave it out, or ask for such an output"));
            }
        }
        Ok(())
    }

    /// The attributes and arrays that something is made of.
    fn wanted(&self) -> Vec<WantedAttribute> {
        let mut wanted = self.attribute.clone();
        for name in self.images.material_names() {
            if !wanted.iter().any(|known| known.name == name) {
                wanted.push(WantedAttribute::whole(name));
            }
        }
        wanted
    }

    /// Whether nothing is asked of what is inside.
    fn is_outline(&self) -> bool {
        self.wanted().is_empty() && self.outputs.pvtu.is_none()
    }

    fn setting(&self, frame: LayerFrame, model_sha256: String) -> Result<Setting> {
        let mut heights = frame.heights;
        if let Some(origin) = self.origin {
            // rounded values of the lowest point itself are taken
            let slack = ORIGIN_SLACK * (heights[1] - heights[0]);
            if !origin.is_finite() {
                return Err(Error::request(format!("--origin {origin} is not a finite number"))
                    .with_help("give a number at or below the lowest point of the model"));
            }
            if origin > heights[0] + slack {
                return Err(Error::request(format!(
                    "--origin {origin} lies above the lowest point of the model, {}",
                    heights[0] + 0.0 // no negative zero
                ))
                .with_help("give a height at or below it; --range leaves layers out"));
            }
            heights[0] = origin;
        }
        let stack = Stack::new(heights, self.layer_height)?;
        let (low, high) = (stack.low(), heights[1]);
        if stack.middle(0) >= high {
            return Err(Error::request(format!(
                "the mid-height of a layer of {:?} is not below the top of the model, which reaches from {low} to {high}",
                self.layer_height
            ))
            .with_help(format!(
                "give a layer height below {:?}, in the model's length units",
                2.0 * (high - low)
            )));
        }
        Ok(Setting {
            model: self.model.model.file_name().map(|name| name.to_string_lossy().into()),
            model_sha256,
            unit_mm: self.unit,
            axis: frame.axis,
            stack,
            plane: frame.plane,
            tolerance: frame.tolerance,
        })
    }

    fn layers(&self, stack: &Stack) -> Result<Range<usize>> {
        let all = self.all_layers(stack)?;
        Ok(self.pieces.map_or(all.clone(), |part| share(&all, part)))
    }

    /// The layers of all parts.
    fn all_layers(&self, stack: &Stack) -> Result<Range<usize>> {
        match &self.range {
            Some(Span { from, to }) => stack.within(*from, *to),
            None => Ok(0..stack.count()),
        }
    }
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Files and directories written.
    outputs: Vec<String>,
    /// Layers of the whole model.
    layers_of_model: usize,
    /// The first layer of this job, from 0 at the bottom.
    first_layer: usize,
    /// Layers of this job.
    layers: usize,
    /// Layers made.
    made: usize,
    /// Layers that were there already.
    skipped: usize,
    /// Height of a layer, in length units.
    layer_height: f64,
    /// Columns and rows of images.
    resolution: Option<[usize; 2]>,
    /// Distance that contours keep from the limit surface, in length units.
    tolerance: f64,
    /// Seconds of the whole job.
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
        ranks.agree(match ranks.is_first() {
            true => directories.iter().try_for_each(|path| merge_layers(path).map(drop)),
            false => Ok(()),
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
