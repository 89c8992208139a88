//! The options of `subsolid slice`, and what goes together.

use std::ops::Range;

use clap::{ArgGroup, Args};
use subsolid::backend::Choice;
use subsolid::cluster::Ranks;
use subsolid::io::JobPart;
use subsolid::scheme::Scheme;
use subsolid::slice::{Axis, LayerFrame, Setting, Stack};
use subsolid::{Error, Result};

use super::outputs::{ImageArguments, OutputArguments};
use super::values::{self, Span, WantedAttribute};
use crate::cli::list::List;
use crate::cli::model::{ModelArguments, SOLID_OR_SURFACE};
use crate::cli::names::scheme_names;

/// What `--strict` refuses, of solids and surfaces.
const STRICT: &str = "Refuse left-handed and folded hexahedra, inverted cells of other kinds and surfaces \
                      that face inward instead of warning about them";

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
#[command(group = ArgGroup::new("framed").args(["resolution", "pixel_origin"]).multiple(true))]
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
  subsolid slice part.stl --layer-height 0.05 --png layers --pixel 0.05
  subsolid slice part.stl --scheme loop --weld=1e-3 --layer-height 0.1 --cli job.cli
  subsolid slice model.vtk --layer-height 0.1 --range 2:2.5 --axis x --svg drawings --resume")]
pub struct Arguments {
    #[command(flatten)]
    pub(super) model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) levels: usize,
    /// Subdivision scheme of a surface; bilinear (also called linear) slices its polygons as they
    /// are [default: linear of .stl, else catmull-clark]
    #[arg(long, value_parser = scheme_names())]
    pub(super) scheme: Option<Scheme>,
    /// Merge vertices with equal coordinates first, or those within DISTANCE of one another (in
    /// length units), so that gaps between faces or cells close
    #[arg(long, value_name = "DISTANCE", num_args = 0..=1, require_equals = true,
          default_missing_value = "0")]
    pub(super) weld: Option<f64>,
    /// Height of a layer, in length units of the model
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub(super) layer_height: f64,
    /// Height of the bottom of layer 0, in length units of the model, at or below the lowest point
    /// of the limit [default: the lowest point]
    #[arg(long, value_name = "Z", allow_hyphen_values = true)]
    pub(super) origin: Option<f64>,
    /// Slice only layers whose mid-height is at least Z0 and below Z1; either may be omitted
    #[arg(long, value_name = "Z0:Z1", allow_hyphen_values = true)]
    pub(super) range: Option<Span>,
    /// Axis that layers are stacked along
    #[arg(long, value_enum, default_value_t)]
    pub(super) axis: Axis,
    /// Maximum distance of contours from the limit surface, in length units [default: 1e-5 of the
    /// longest side of the bounding box, or 2^-46 of the largest coordinate if that is more]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(super) tolerance: Option<f64>,
    /// Length unit of the model, for formats that use millimeters: um, mm, cm, m, in, ft, or the
    /// millimeters in it, 1e-9 to 1e9
    #[arg(long, value_name = "UNIT", default_value = "mm", value_parser = values::millimeters,
          allow_hyphen_values = true)]
    pub(super) unit: f64,
    #[command(flatten)]
    pub(super) outputs: Box<OutputArguments>,
    #[command(flatten)]
    pub(super) images: Box<ImageArguments>,
    /// Attribute, array or group of cells (a material) to write too: images of its own (its
    /// range, or the values B and W, from black to white) and a point array of --vtp and --pvtu; of
    /// several components NAME_0, NAME_1, …
    #[arg(long, value_name = "NAME[=B:W],…")]
    attribute: Vec<List<WantedAttribute>>,
    /// Make part I of N of the layers, for several machines at once: 1/N to N/N, in any order, then
    /// `subsolid merge` with the directory. Layers that exist are not recomputed
    #[arg(long, value_name = "I/N")]
    pub(super) pieces: Option<JobPart>,
    /// Skip layers whose files exist
    #[arg(long)]
    pub(super) resume: bool,
    /// Processor of the pixels: auto (the fastest for this job), cpu, cuda or cuda:N;
    /// coverage is bitwise identical, attributes equal up to rounding
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(super) backend: Choice,
}

impl Arguments {
    /// Makes this the job of the part that is asked for, or of the rank, and refuses, before any
    /// work, what cannot come to anything.
    pub(super) fn take_part(&mut self, ranks: Option<&Ranks<'_>>) -> Result<()> {
        if let Some(ranks) = ranks {
            if self.pieces.is_some() {
                return Err(Error::request("--pieces is for one program")
                    .with_help("leave it out, or leave --mpi out"));
            }
            self.pieces = Some(JobPart { part: ranks.rank() + 1, of: ranks.size() });
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
        Setting::check_unit(self.unit)?;
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
        let ranges = self.attributes().any(|wanted| wanted.range.is_some());
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

    /// Attributes that are written too.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &WantedAttribute> {
        self.attribute.iter().flat_map(|list| &list.0)
    }

    /// The attributes and arrays that something is made of.
    pub(super) fn wanted(&self) -> Vec<&str> {
        let mut wanted: Vec<&str> = self.attributes().map(|own| own.name.as_str()).collect();
        for name in self.images.material_names() {
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
        wanted
    }

    /// Whether nothing is asked of what is inside.
    pub(super) fn is_outline(&self) -> bool {
        self.wanted().is_empty() && self.outputs.pvtu.is_none()
    }

    pub(super) fn setting(&self, frame: LayerFrame, model_sha256: String) -> Result<Setting> {
        let model = self.model.model.file_name().map(|name| name.to_string_lossy().into());
        let setting = Setting::new(frame, self.layer_height, self.origin)?;
        Ok(Setting { model, model_sha256, unit_mm: self.unit, ..setting })
    }

    pub(super) fn layers(&self, stack: &Stack) -> Result<Range<usize>> {
        let all = self.all_layers(stack)?;
        Ok(self.pieces.map_or(all.clone(), |part| part.share(&all)))
    }

    /// The layers of all parts.
    pub(super) fn all_layers(&self, stack: &Stack) -> Result<Range<usize>> {
        match &self.range {
            Some(Span { from, to }) => stack.within(*from, *to),
            None => Ok(0..stack.count()),
        }
    }
}
