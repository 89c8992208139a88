//! Files of all layers; those of `subsolid slice`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use subsolid::io::LengthUnit;
use subsolid::memory;
use subsolid::mesh::single_precision_loss_in;
use subsolid::slice::output::{
    CommonLayerInterface, Encoding, Exposure, ImageArchive, ImageDirectory, ImageOptions,
    LayeredSvg, Output, Painter, Polylines, PrusaArchive,
};
use subsolid::slice::{Bits, Channel, Flip, ImageFile, Job, LayerSource, Sampling, Setting};

use crate::count;
use crate::errors::{IntoPython, Signals, refused, warn};
use crate::request::named;
use crate::slice::PySlices;
use crate::threads::Work;

/// Millimeters that a length unit may have.
const UNITS: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Images,
    Zip,
    Sl1,
    Svg,
    Cli,
    Vtp,
}

impl Kind {
    fn of(path: &Path) -> PyResult<Self> {
        if path.is_dir() {
            return Ok(Self::Images);
        }
        let Some(ending) = path.extension() else { return Ok(Self::Images) };
        Ok(match ending.to_string_lossy().to_ascii_lowercase().as_str() {
            "zip" => Self::Zip,
            "sl1" => Self::Sl1,
            "svg" => Self::Svg,
            "cli" => Self::Cli,
            "vtp" => Self::Vtp,
            _ => {
                return Err(refused(
                    format!("{}: unknown output format", path.display()),
                    "end its name in .zip, .sl1, .svg, .cli or .vtp, or name a folder for images",
                ));
            }
        })
    }

    fn is_images(self) -> bool {
        matches!(self, Self::Images | Self::Zip | Self::Sl1)
    }
}

/// Options of a call, `None` and false where nothing was said.
struct Options {
    kind: Kind,
    attributes: Vec<String>,
    bits: Option<Bits>,
    dither: bool,
    flip: Option<Flip>,
    separate: bool,
    binary: bool,
    exposure: Option<Exposure>,
}

impl Options {
    /// Refuses what the file has no use for, or needs.
    fn check(&self, slices: &PySlices) -> PyResult<()> {
        let kind = self.kind;
        let (images, gray) = (kind.is_images(), kind == Kind::Sl1);
        let has_materials = slices.materials.is_some();
        for (is_unused, option, of) in [
            (gray && !self.attributes.is_empty(), "attributes", "images and .vtp, not for .sl1"),
            (
                !images && kind != Kind::Vtp && !self.attributes.is_empty(),
                "attributes",
                "images and .vtp",
            ),
            ((!images || gray) && self.bits.is_some(), "bits", "images, not for .sl1"),
            ((!images || gray) && self.dither, "dither", "images, not for .sl1"),
            (!images && self.flip.is_some(), "flip", "images"),
            (self.separate && !has_materials, "separate", "slices with materials"),
            ((!images || gray) && self.separate, "separate", "images, not for .sl1"),
            (kind != Kind::Cli && self.binary, "binary", ".cli files"),
            (!gray && self.exposure.is_some(), "exposure", ".sl1 files"),
        ] {
            if is_unused {
                return Err(refused(
                    format!("{option} is for {of}"),
                    &format!("leave {option} out, or write another file"),
                ));
            }
        }
        for (is_both, what, help) in [
            (
                self.dither && self.bits.is_some(),
                "dither with bits: dithered pixels have one",
                "bits",
            ),
            (
                self.dither && has_materials,
                "dither with materials, of which a pixel has one",
                "dither",
            ),
            (
                self.bits.is_some() && has_materials && self.attributes.is_empty(),
                "bits are for gray images: materials are written as indexed images",
                "bits",
            ),
        ] {
            if is_both {
                return Err(refused(what, &format!("leave {help} out")));
            }
        }
        if gray && has_materials {
            return Err(refused(
                "an .sl1 holds the coverage alone: materials are for other images",
                "slice without materials, or write .zip",
            ));
        }
        if gray && self.exposure.is_none() {
            let help = "give the seconds of a layer, and perhaps those of the first and the layers \
                        between: exposure=(6, 35, 10)";
            return Err(refused("an .sl1 needs an exposure time", help));
        }
        if images && slices.grid.is_none() {
            return Err(refused("images without pixels", "slice with pixel=..."));
        }
        if images && slices.sampling == Sampling::Center && slices.planes > 1 {
            return Err(refused(
                format!("images of {} planes without antialiasing", slices.planes),
                "slice with planes=1, or antialias=True",
            ));
        }
        Ok(())
    }

    /// Places of the attributes among the channels, with black and white.
    fn channels(&self, channels: &[Channel]) -> PyResult<Vec<(usize, [f64; 2])>> {
        let mut chosen = Vec::new();
        for name in &self.attributes {
            let own = |(_, channel): &(usize, &Channel)| {
                channel.name == *name || channel.attribute == *name
            };
            let before = chosen.len();
            chosen.extend(channels.iter().enumerate().filter(own).map(|(c, own)| (c, own.range)));
            if chosen.len() == before {
                let names: Vec<_> = channels.iter().map(|channel| channel.name.as_str()).collect();
                return Err(refused(
                    format!("the layers have no attribute {name:?}"),
                    &format!("give some of: {}", names.join(", ")),
                ));
            }
        }
        Ok(chosen)
    }

    fn images(&self, slices: &PySlices, channels: &[Channel]) -> PyResult<Option<ImageOptions>> {
        let Some(grid) = slices.grid.filter(|_| self.kind.is_images()) else { return Ok(None) };
        let options = ImageOptions {
            grid,
            file: ImageFile::Png,
            bits: if self.dither { Bits::One } else { self.bits.unwrap_or_default() },
            antialias: (slices.sampling == Sampling::Area).then_some(slices.planes),
            flip: self.flip.unwrap_or_default(),
            attributes: self.channels(channels)?,
            materials: slices.materials.clone(),
            separate: self.separate,
        };
        let need = Painter::bytes_a_layer(&options, channels.len());
        let [columns, rows] = grid.size;
        let need = need * rayon::current_num_threads() as u128;
        memory::check_half(format!("images of {columns} × {rows} pixels need"), need, |_| {
            "give larger pixels".into()
        })
        .py()?;
        Ok(Some(options))
    }

    fn open<'a>(
        &self,
        path: &Path,
        setting: &Setting,
        (images, attributes): (Option<ImageOptions>, &[usize]),
        channels: &[Channel],
    ) -> subsolid::Result<Box<dyn Output + 'a>> {
        let layers = 0..setting.stack.count();
        let encoding = if self.binary { Encoding::Binary } else { Encoding::Text };
        Ok(match (self.kind, images, self.exposure) {
            (Kind::Images, Some(images), _) => {
                Box::new(ImageDirectory::open(path, setting, images, channels, false)?)
            }
            (Kind::Zip, Some(images), _) => {
                Box::new(ImageArchive::create(path, setting, images, channels)?)
            }
            (Kind::Sl1, Some(images), Some(exposure)) => {
                Box::new(PrusaArchive::create(path, setting, images, exposure, channels)?)
            }
            (Kind::Cli, ..) => {
                Box::new(CommonLayerInterface::create(path, setting, &layers, encoding)?)
            }
            (Kind::Vtp, ..) => Box::new(Polylines::create(path, setting, channels, attributes)?),
            _ => Box::new(LayeredSvg::create(path, setting, &layers)?),
        })
    }
}

/// Millimeters in a length unit: its name, or a number.
fn millimeters(unit: &Bound<'_, PyAny>) -> PyResult<f64> {
    if let Ok(name) = unit.extract::<String>() {
        let unit: LengthUnit = named("unit", &name)?;
        return Ok(1e3 * unit.meters());
    }
    let millimeters: f64 = unit.extract()?;
    if UNITS.contains(&millimeters) {
        return Ok(millimeters);
    }
    Err(refused(
        format!("unit={millimeters} is out of range"),
        "give the millimeters in a length unit, 1e-9 to 1e9: 1000 if the model is in meters",
    ))
}

/// Seconds of exposure: of all layers; of the first; and the layers between.
fn exposure(given: &Bound<'_, PyAny>) -> PyResult<Exposure> {
    let of = |seconds, first, faded| Exposure { seconds, first, faded };
    let found = if let Ok(seconds) = given.extract::<f64>() {
        of(seconds, seconds, 0)
    } else if let Ok((seconds, first)) = given.extract::<(f64, f64)>() {
        of(seconds, first, 0)
    } else if let Ok((seconds, first, faded)) = given.extract::<(f64, f64, u32)>() {
        of(seconds, first, faded)
    } else {
        let help = "give seconds, or (seconds, seconds of the first layer, layers between)";
        return Err(refused(format!("exposure={}", given.repr()?), help));
    };
    found.check().py()?;
    Ok(found)
}

#[pymethods]
impl PySlices {
    /// Writes all layers, as `subsolid slice` does. Ctrl-C ends it.
    ///
    /// Args:
    ///     path: What is written: a folder (a name without an ending) of PNG images with a manifest,
    ///         or a file of all layers: .zip with these images, .sl1 for Prusa's resin printers, .svg of
    ///         drawings as Slic3r writes them, .cli (Common Layer Interface) or .vtp of contours.
    ///     attributes: Names of attributes that get images of their own, from black for the least
    ///         value to white for the greatest, or arrays of a .vtp.
    ///     unit: Length unit of the model, "um", "mm", "cm", "m", "in" or "ft", or the millimeters in
    ///         it. A .vtp keeps the unit of the model.
    ///     bits: Bits of a gray pixel, 8 or 16; None for 8.
    ///     dither: Black and white pixels, white in proportion to the gray level: for droplets.
    ///     flip: "horizontal", "vertical" or "both" to mirror the images.
    ///     separate: An image of 1 bit for each material, not one of all.
    ///     binary: A .cli in binary, in single precision.
    ///     exposure: Seconds per layer of an .sl1, or a tuple: of a layer, of the first, and the
    ///         number of layers over which the time falls between.
    ///
    /// Images have the pixels and planes that slice was given: the covered fraction of each with
    /// antialias=True; materials take the place of the coverage.
    ///
    /// Raises:
    ///     Error: For another ending, options that the file has no use for, and files that cannot be
    ///         written. A file of all layers appears under its name when it is complete.
    #[pyo3(signature = (path, *, attributes=None, unit=None, bits=None, dither=false, flip=None,
                        separate=false, binary=false, exposure=None))]
    #[allow(clippy::too_many_arguments)]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        attributes: Option<Vec<String>>,
        unit: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = count::bits)] bits: Option<usize>,
        dither: bool,
        flip: Option<&str>,
        separate: bool,
        binary: bool,
        exposure: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let bits = match bits {
            None => None,
            Some(8) => Some(Bits::Eight),
            Some(16) => Some(Bits::Sixteen),
            Some(bits) => return Err(refused(format!("bits={bits}"), "give 8 or 16")),
        };
        let flip = match flip {
            Some("none") => return Err(refused("flip=\"none\"", "leave flip out")),
            flip => flip.map(|flip| named("flip", flip)).transpose()?,
        };
        let exposure = exposure.as_ref().map(self::exposure).transpose()?;
        let attributes = attributes.unwrap_or_default();
        let kind = Kind::of(&path)?;
        let options = Options { kind, attributes, bits, dither, flip, separate, binary, exposure };
        options.check(self)?;
        if unit.is_some() && kind == Kind::Vtp {
            let help = "leave unit out";
            return Err(refused(
                "a .vtp keeps the length unit of the model: unit has no effect",
                help,
            ));
        }
        let unit_mm = unit.as_ref().map_or(Ok(1.0), millimeters)?;
        let setting =
            Setting { unit_mm, model_sha256: self.fingerprint(py), ..self.setting.clone() };
        if binary {
            self.warn_of_single(py, &path)?;
        }
        let channels = self.source.with(|source| source.channels().to_vec());
        let images = options.images(self, &channels)?;
        let chosen: Vec<usize> = options.channels(&channels)?.into_iter().map(|(c, _)| c).collect();
        let mut signals = Signals::default();
        let ended = py.work(|| {
            self.source.with(|source| -> subsolid::Result<()> {
                let output = options.open(&path, &setting, (images, &chosen), &channels)?;
                let (stack, layers) = (setting.stack, 0..setting.stack.count());
                let source: &dyn LayerSource = source;
                let job = Job { source, stack, layers, outputs: vec![output] };
                let look = |_| match signals.look() {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                };
                job.run(look).map(drop)
            })
        });
        signals.ended(ended)
    }
}

impl PySlices {
    /// Warns where the numbers of a binary file do not tell places of the model apart.
    fn warn_of_single(&self, py: Python<'_>, path: &Path) -> PyResult<()> {
        let ([low, high], stack) = (self.setting.plane, &self.setting.stack);
        let heights = [stack.low(), stack.slab(stack.count())[0]];
        let bounds = [[low[0], low[1], heights[0]], [high[0], high[1], heights[1]]];
        let Some(loss) = single_precision_loss_in(bounds) else { return Ok(()) };
        let path = path.display();
        warn(
            py,
            &format!(
                "{path}: {loss}: contours become inaccurate. Leave binary out, or move the model to \
                 the origin"
            ),
        )
    }
}
