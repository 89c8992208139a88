//! Prusa's archive (`.sl1`) for printers that expose resin through a display: a zip of
//! `config.ini`, `prusaslicer.ini` and a gray PNG of 8 bits per layer, `part00000.png`.
//!
//! The layout follows PrusaSlicer (`src/libslic3r/Format/SL1.cpp`): `config.ini` says what the
//! printer does, `prusaslicer.ini` where the pixels lie, which programs need that read layers
//! back. Both hold `key = value` lines, sorted. The time of creation is left out, so that equal
//! jobs are equal files.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::painter::{ImageOptions, PaintedLayer, Painter};
use super::zip_file::ZipFile;
use super::{LayerOutput, Output, OutputLayer, after_the_last};
use crate::error::{Error, Result};
use crate::io::plain_name;
use crate::slice::Setting;
use crate::slice::pixels::{Bits, Flip, ImageFile};
use crate::slice::source::Channel;

/// Part of the display above which the printer peels a layer off slowly: the printer's default.
const SLOW_AREA: f64 = 0.5;

/// Maximum number of seconds of an exposure.
const MAX_SECONDS: f64 = 1e5;

/// How long layers are exposed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exposure {
    /// Seconds for a layer.
    pub seconds: f64,
    /// Seconds for the first layer.
    pub first: f64,
    /// Layers over which the time falls from the first layer's.
    pub faded: u32,
}

/// An archive of Prusa's.
pub struct PrusaArchive {
    job: String,
    painter: Painter,
    exposure: Exposure,
    /// Lines of `prusaslicer.ini`.
    printer: String,
    layer_mm: f64,
    /// Millilitres in a full pixel of a layer.
    pixel_ml: f64,
    pixels: f64,
    zip: Option<ZipFile>,
    layers: usize,
    slow_layers: usize,
    used_ml: f64,
}

impl Exposure {
    /// Checks that a printer can expose so long.
    ///
    /// # Errors
    /// [`Error::Request`] for times that are not above 0 and at most 100,000 seconds.
    pub fn check(&self) -> Result<()> {
        let is_time = |seconds: f64| seconds > 0.0 && seconds <= MAX_SECONDS;
        if is_time(self.seconds) && is_time(self.first) {
            Ok(())
        } else {
            Err(Error::request(format!(
                "an exposure of {} seconds, of {} for the first layer",
                self.seconds, self.first
            ))
            .with_help("give seconds above 0, at most 100000, for instance 6:35"))
        }
    }

    /// Seconds for layer `index` of a job.
    fn of_layer(&self, index: usize) -> f64 {
        let faded = f64::from(self.faded);
        let rest = ((faded - index as f64) / faded.max(1.0)).max(0.0);
        match index {
            0 => self.first,
            _ => self.seconds + rest * (self.first - self.seconds),
        }
    }
}

impl PrusaArchive {
    /// Starts the file: the coverage of every layer, 8 bits per pixel, whatever else `options` has.
    ///
    /// # Errors
    /// As [`Painter::check`] and [`Exposure::check`]; [`Error::Request`] for layers of several heights;
    /// [`Error::Io`] if it cannot be written.
    pub fn create(
        path: impl AsRef<Path>,
        setting: &Setting,
        options: ImageOptions,
        exposure: Exposure,
        channels: &[Channel],
    ) -> Result<Self> {
        let path = path.as_ref();
        exposure.check()?;
        setting.stack.check_alike("an .sl1")?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let job = Some(plain_name(&stem)).filter(|job| !job.is_empty()).unwrap_or("job".into());
        let options = ImageOptions {
            file: ImageFile::Png,
            bits: Bits::Eight,
            attributes: Vec::new(),
            materials: None,
            ..options
        };
        let pixel_mm = options.grid.pitch.map(|pitch| pitch * setting.unit_mm);
        let layer_mm = setting.stack.layer_height() * setting.unit_mm;
        let [columns, rows] = options.grid.size;
        let mirrored = |flips: [Flip; 2]| u8::from(flips.contains(&options.flip));
        let printer = [
            ("display_height", (pixel_mm[1] * rows as f64).to_string()),
            ("display_mirror_x", mirrored([Flip::Horizontal, Flip::Both]).to_string()),
            ("display_mirror_y", mirrored([Flip::Vertical, Flip::Both]).to_string()),
            ("display_orientation", "landscape".to_owned()),
            ("display_pixels_x", columns.to_string()),
            ("display_pixels_y", rows.to_string()),
            ("display_width", (pixel_mm[0] * columns as f64).to_string()),
            ("exposure_time", exposure.seconds.to_string()),
            ("faded_layers", exposure.faded.to_string()),
            ("initial_exposure_time", exposure.first.to_string()),
            ("initial_layer_height", layer_mm.to_string()),
            ("layer_height", layer_mm.to_string()),
            ("printer_technology", "SLA".to_owned()),
        ];
        let painter = Painter::new(setting, options, channels)?;
        let zip = Some(ZipFile::create(path)?);
        Ok(Self {
            job,
            painter,
            exposure,
            printer: lines(&printer),
            layer_mm,
            pixel_ml: pixel_mm[0] * pixel_mm[1] * layer_mm / 1e3,
            pixels: columns as f64 * rows as f64,
            zip,
            layers: 0,
            slow_layers: 0,
            used_ml: 0.0,
        })
    }

    /// Lines of `config.ini`.
    fn config(&self) -> String {
        let Exposure { seconds, first, faded } = self.exposure;
        let time: f64 = (0..self.layers).map(|index| self.exposure.of_layer(index)).sum();
        lines(&[
            ("action", "print".to_owned()),
            ("expTime", seconds.to_string()),
            ("expTimeFirst", first.to_string()),
            ("jobDir", self.job.clone()),
            ("layerHeight", self.layer_mm.to_string()),
            ("materialName", String::new()),
            ("numFade", faded.to_string()),
            ("numFast", (self.layers - self.slow_layers).to_string()),
            ("numSlow", self.slow_layers.to_string()),
            ("printProfile", String::new()),
            ("printTime", format!("{time:.6}")),
            ("printerModel", "SL1".to_owned()),
            ("printerProfile", String::new()),
            ("printerVariant", "default".to_owned()),
            ("prusaSlicerVersion", concat!("subsolid ", env!("CARGO_PKG_VERSION")).to_owned()),
            ("usedMaterial", format!("{:.6}", self.used_ml)),
        ])
    }
}

impl Output for PrusaArchive {
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        self.painter.images(cut).map(LayerOutput::of)
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        let Some(zip) = &mut self.zip else { return Err(after_the_last()) };
        for (file, bytes) in layer.get::<PaintedLayer>()?.images {
            zip.push(&format!("{}{:05}.png", self.job, self.layers), &bytes[..])?;
            let full = file.level_sum.unwrap_or(0) as f64 / Bits::Eight.white() as f64;
            self.layers += 1;
            self.slow_layers += usize::from(full > SLOW_AREA * self.pixels);
            self.used_ml += full * self.pixel_ml;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let Some(mut zip) = self.zip.take() else { return Ok(()) };
        zip.push("config.ini", self.config().as_bytes())?;
        zip.push("prusaslicer.ini", self.printer.as_bytes())?;
        zip.finish()
    }
}

fn lines(values: &[(&str, String)]) -> String {
    values.iter().map(|(key, value)| format!("{key} = {value}\n")).collect()
}
