//! Options of files of layers: what is written, and how.

use std::ops::Range;
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use subsolid::io::{JobPart, LengthUnit};
use subsolid::slice::output::{
    CommonLayerInterface, Encoding, Exposure, ImageArchive, ImageDirectory, ImageOptions,
    LayeredSvg, Output, PixelCloud, Polylines, PrusaArchive, SvgStack,
};
use subsolid::slice::{
    Bits, Channel, Flip, ImageFile, PixelGrid, Sampling, Setting, Stack, job_directory,
};

use crate::errors::{IntoPython, refused};
use crate::request::named;
use crate::slice::PySlices;

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LayerFileKind {
    Images,
    Drawings,
    Zip,
    Sl1,
    Svg,
    Cli,
    Vtp,
    Pvtu,
}

/// Files of a folder or of a .zip.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Png,
    Bmp,
    Svg,
}

impl LayerFileKind {
    pub fn of(path: &Path, format: Option<Format>) -> PyResult<Self> {
        let folder = if format == Some(Format::Svg) { Self::Drawings } else { Self::Images };
        if path.as_os_str().is_empty() {
            return Err(refused("an empty name", "name a file, or a folder: \".\" is this one"));
        }
        if path.is_dir() {
            return Ok(folder);
        }
        let Some(ending) = path.extension() else { return Ok(folder) };
        Ok(match ending.to_string_lossy().to_ascii_lowercase().as_str() {
            "zip" => Self::Zip,
            "sl1" => Self::Sl1,
            "svg" => Self::Svg,
            "cli" => Self::Cli,
            "vtp" => Self::Vtp,
            "pvtu" => Self::Pvtu,
            _ => {
                return Err(refused(
                    format!("{}: unknown output format", path.display()),
                    "end its name in .zip, .sl1, .svg, .cli, .vtp or .pvtu, or name a folder for \
                     images",
                ));
            }
        })
    }

    fn is_images(self) -> bool {
        matches!(self, Self::Images | Self::Zip | Self::Sl1)
    }

    fn is_folder(self) -> bool {
        matches!(self, Self::Images | Self::Drawings)
    }

    /// Whether lengths in the file are those of the model.
    pub fn keeps_unit(self) -> bool {
        matches!(self, Self::Vtp | Self::Pvtu)
    }
}

/// Attributes with the values that are black and white.
pub type Attributes = Vec<(String, Option<[f64; 2]>)>;

/// Options of a call, `None` and false where nothing was said.
pub struct Options {
    pub kind: LayerFileKind,
    pub format: Option<Format>,
    pub attributes: Attributes,
    pub bits: Option<Bits>,
    pub dither: bool,
    pub flip: Option<Flip>,
    pub separate: bool,
    pub binary: bool,
    pub exposure: Option<Exposure>,
    pub range: Option<HeightRange>,
    pub part: Option<JobPart>,
    pub resume: bool,
}

impl Options {
    /// Refuses what the file has no use for, or needs.
    pub fn check(&self, slices: &PySlices) -> PyResult<()> {
        let kind = self.kind;
        let (images, gray) = (kind.is_images(), kind == LayerFileKind::Sl1);
        let of_images = if gray { "images, not for .sl1" } else { "images" };
        let has_materials = slices.materials.is_some();
        let has_ranges = self.attributes.iter().any(|(_, range)| range.is_some());
        for (is_unused, option, of) in [
            (
                !(kind.is_folder() || kind == LayerFileKind::Zip) && self.format.is_some(),
                "format",
                "folders and .zip",
            ),
            (
                kind == LayerFileKind::Zip && self.format == Some(Format::Svg),
                "format=\"svg\"",
                "folders",
            ),
            (
                gray && !self.attributes.is_empty(),
                "attributes",
                "images, .vtp and .pvtu, not for .sl1",
            ),
            (
                !images && !kind.keeps_unit() && !self.attributes.is_empty(),
                "attributes",
                "images, .vtp and .pvtu",
            ),
            (!images && has_ranges, "a range of attributes", "images"),
            ((!images || gray) && self.bits.is_some(), "bits", of_images),
            ((!images || gray) && self.dither, "dither", of_images),
            (!images && self.flip.is_some(), "flip", "images"),
            (self.separate && !has_materials, "separate", "slices with materials"),
            ((!images || gray) && self.separate, "separate", of_images),
            (kind != LayerFileKind::Cli && self.binary, "binary", ".cli files"),
            (!gray && self.exposure.is_some(), "exposure", ".sl1 files"),
            (!kind.is_folder() && self.part.is_some(), "pieces", "folders"),
            (!kind.is_folder() && self.resume, "resume", "folders"),
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
        if slices.grid.is_none() {
            for (is_missing, what) in [(images, "images"), (kind == LayerFileKind::Pvtu, "a .pvtu")]
            {
                if is_missing {
                    return Err(refused(format!("{what} without pixels"), "slice with pixel=..."));
                }
            }
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
    pub fn channels(&self, channels: &[Channel]) -> PyResult<Vec<(usize, [f64; 2])>> {
        let wanted: Vec<_> =
            self.attributes.iter().map(|(name, range)| (&**name, *range)).collect();
        Channel::choose(&wanted, channels).py()
    }

    pub fn images(
        &self,
        slices: &PySlices,
        channels: &[Channel],
    ) -> PyResult<Option<ImageOptions>> {
        let Some(grid) = slices.grid.filter(|_| self.kind.is_images()) else { return Ok(None) };
        let is_bitmap = self.format == Some(Format::Bmp);
        let options = ImageOptions {
            grid,
            file: if is_bitmap { ImageFile::Bmp } else { ImageFile::Png },
            bits: if self.dither { Bits::One } else { self.bits.unwrap_or_default() },
            antialias: (slices.sampling == Sampling::Area).then_some(slices.planes),
            flip: self.flip.unwrap_or_default(),
            attributes: self.channels(channels)?,
            materials: slices.materials.clone(),
            separate: self.separate,
        };
        options.check_bits(self.bits).py()?;
        options.check_memory(channels.len()).py()?;
        Ok(Some(options))
    }

    /// The layers that are written.
    pub fn layers(&self, stack: &Stack) -> PyResult<Range<usize>> {
        let all = match self.range {
            None => 0..stack.count(),
            Some((from, to)) => {
                let open = f64::INFINITY;
                stack.within(from.unwrap_or(-open), to.unwrap_or(open)).py()?
            }
        };
        Ok(self.part.map_or(all.clone(), |part| part.share(&all)))
    }

    /// The folder of this part of a job, or `path` itself.
    pub fn place(&self, path: &Path) -> subsolid::Result<PathBuf> {
        self.part.map_or_else(|| Ok(path.to_owned()), |part| job_directory(path, part))
    }

    /// Whether what is there is not made again, as of a part, which others are beside.
    fn resumes(&self) -> bool {
        self.resume || self.part.is_some()
    }

    /// Opens images.
    pub fn open_images<'a>(
        &self,
        path: &Path,
        setting: &Setting,
        images: ImageOptions,
        channels: &[Channel],
    ) -> subsolid::Result<Box<dyn Output + 'a>> {
        let resume = self.resumes();
        Ok(match (self.kind, self.exposure) {
            (LayerFileKind::Zip, _) => {
                Box::new(ImageArchive::create(path, setting, images, channels)?)
            }
            (LayerFileKind::Sl1, Some(exposure)) => {
                Box::new(PrusaArchive::create(path, setting, images, exposure, channels)?)
            }
            _ => Box::new(ImageDirectory::open(path, setting, images, channels, resume)?),
        })
    }

    /// Opens all but images: contours, or the pixels of `grid`, with these `attributes` among the
    /// channels.
    pub fn open_others<'a>(
        &self,
        path: &Path,
        setting: &Setting,
        layers: &Range<usize>,
        grid: Option<PixelGrid>,
        attributes: &[usize],
        channels: &[Channel],
    ) -> subsolid::Result<Box<dyn Output + 'a>> {
        let encoding = if self.binary { Encoding::Binary } else { Encoding::Text };
        Ok(match (self.kind, grid) {
            (LayerFileKind::Drawings, _) => {
                Box::new(SvgStack::open(path, setting, self.resumes())?)
            }
            (LayerFileKind::Pvtu, Some(grid)) => {
                let values = attributes.len();
                PixelCloud::check_memory(&grid, setting.plane, values, layers.len())?;
                Box::new(PixelCloud::create(path, setting, grid, channels, attributes)?)
            }
            (LayerFileKind::Cli, _) => {
                Box::new(CommonLayerInterface::create(path, setting, layers, encoding)?)
            }
            (LayerFileKind::Vtp, _) => {
                Box::new(Polylines::create(path, setting, channels, attributes)?)
            }
            _ => Box::new(LayeredSvg::create(path, setting, layers)?),
        })
    }
}

/// Millimeters in a length unit: its name, or a number.
pub fn millimeters(unit: &Bound<'_, PyAny>) -> PyResult<f64> {
    if let Ok(name) = unit.extract::<String>() {
        let unit: LengthUnit = named("unit", &name)?;
        return Ok(1e3 * unit.meters());
    }
    let millimeters: f64 = unit.extract()?;
    Setting::check_unit(millimeters).py()?;
    Ok(millimeters)
}

/// Names, or names with the values that are black and white.
pub fn attributes(given: &Bound<'_, PyAny>) -> PyResult<Attributes> {
    let Ok(ranges) = given.cast::<PyDict>() else {
        let names: Vec<String> = given.extract()?;
        return Ok(names.into_iter().map(|name| (name, None)).collect());
    };
    let one = |(name, range): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((name.extract()?, range.extract::<Option<[f64; 2]>>()?))
    };
    ranges.iter().map(one).collect()
}

/// Lowest and highest height, either open.
pub type HeightRange = (Option<f64>, Option<f64>);

/// Part i of n, for `from_py_with`.
pub fn part(given: &Bound<'_, PyAny>) -> PyResult<Option<JobPart>> {
    if given.is_none() {
        return Ok(None);
    }
    let [part, of] = match given.extract::<[usize; 2]>() {
        Ok(numbers) => numbers,
        // negative, or too large for any part
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => [0; 2],
        Err(error) => return Err(error),
    };
    JobPart::new(part, of).py().map(Some)
}

/// Seconds of exposure: of all layers; of the first; and the layers between.
pub fn exposure(given: &Bound<'_, PyAny>) -> PyResult<Exposure> {
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
