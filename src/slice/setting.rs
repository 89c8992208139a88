//! What the layers of a job have in common, and where pixels lie on them.

use std::ops::RangeInclusive;

use super::compensation::{CompensatedSource, Compensation};
use super::hatch::Hatching;
use super::heights::LayerHeights;
use super::lattice::TileLattice;
use super::manifest::{Files, Parameters, PartEntry};
use super::slicer::{LayerFrame, rounding};
use super::source::LayerSource;
use super::stack::{Stack, UNITS as OTHER_UNIT};
use super::{Axis, PixelGrid};
use crate::error::{Error, Message, Result, option, option_name};
use crate::mesh::single_precision_loss_in;

/// Columns or rows of pixels that are counted exactly.
const MAX_COUNTED: f64 = (1_u64 << 53) as f64;

/// Part of the model's height by which an origin may lie above its lowest point: rounding.
const ORIGIN_SLACK: f64 = 1e-6;

/// Millimeters in a length unit of a model.
const UNITS: RangeInclusive<f64> = 1e-9..=1e9;

/// The pixels of images.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pixels {
    /// Width and height, in length units.
    pub pitch: [f64; 2],
    /// Columns and rows; as many as cover the model if not given.
    pub size: Option<[usize; 2]>,
    /// Lower left corner in the plane's coordinates, in length units, for all models of a job.
    /// The model is in the middle if not given.
    pub origin: Option<[f64; 2]>,
    /// Whether what lies outside is left out.
    pub crop: bool,
}

/// What the layers of a job have in common, in files of any format.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Name of the model's file, if it has one.
    pub model: Option<String>,
    /// [`fingerprint`](super::fingerprint()) of the control mesh.
    pub model_sha256: String,
    /// The parts, if there are several or they have names.
    pub parts: Vec<PartEntry>,
    /// Millimeters in a length unit.
    pub unit_mm: f64,
    /// Axis that the layers are stacked along.
    pub axis: Axis,
    /// All layers of the model.
    pub stack: Stack,
    /// Lowest and highest coordinates of the model in the plane.
    pub plane: [[f64; 2]; 2],
    /// Maximum distance of contours from the limit surface, in length units.
    pub tolerance: f64,
    /// What layers are compensated for, if they are; the rest is that of such layers.
    pub compensation: Option<Compensation>,
    /// The lattice that the material is, if it is one.
    pub lattice: Option<TileLattice>,
    /// Hatches inside the contours of drawings and of `.cli` files.
    pub hatching: Option<Hatching>,
}

impl Setting {
    /// Layers of some heights, or of one, over what all layers have in common, from the lowest point of the
    /// model or from `origin`, at or below it. The model has no name and no fingerprint yet, and
    /// length units are millimeters.
    ///
    /// # Errors
    /// As [`Stack::new`]; [`Error::Request`] for an origin above the model, and for layers so
    /// high that even the lowest is cut above it.
    pub fn new(
        frame: LayerFrame,
        layers: impl Into<LayerHeights>,
        origin: Option<f64>,
    ) -> Result<Self> {
        let mut heights = frame.heights;
        if let Some(origin) = origin {
            check_origin(origin, heights, frame.rounding())?;
            heights[0] = origin;
        }
        let stack = layers.into().stack(heights, frame.rounding())?;
        let (low, high) = (stack.low(), heights[1]);
        if stack.middle(0) >= high {
            return Err(Error::request(format!(
                "the mid-height of a layer of {:?} is not below the top of the model, which reaches from {low} to {high}",
                stack.height_of(0)
            ))
            .with_help(format!(
                "give a layer height below {:?}, in the model's length units{OTHER_UNIT}",
                2.0 * (high - low)
            )));
        }
        Ok(Self {
            model: None,
            model_sha256: String::new(),
            parts: Vec::new(),
            unit_mm: 1.0,
            axis: frame.axis,
            stack,
            plane: frame.plane,
            tolerance: frame.tolerance,
            compensation: None,
            lattice: None,
            hatching: None,
        })
    }

    /// Checks the millimeters in a length unit: 10⁻⁹ to 10⁹.
    ///
    /// # Errors
    /// [`Error::Request`] for others.
    pub fn check_unit(millimeters: f64) -> Result<()> {
        if UNITS.contains(&millimeters) {
            return Ok(());
        }
        Err(Error::request(message!(option("unit", millimeters), " is out of range")).with_help(
            "give the millimeters in a length unit, 1e-9 to 1e9: 1000 if the model is in meters",
        ))
    }

    /// Checks the width and the height of a pixel.
    ///
    /// # Errors
    /// [`Error::Request`] unless they are positive.
    pub fn check_pixel(pixel: [f64; 2]) -> Result<()> {
        if pixel.iter().all(|x| x.is_finite() && *x > 0.0) {
            return Ok(());
        }
        Err(Error::request(message!(option("pixel", edges(pixel)), " is not positive"))
            .with_help("give the edge length of a pixel, say 0.05 length units or 50um"))
    }

    /// Parameters of stacks of `files`.
    pub fn parameters(&self, files: Files) -> Parameters {
        Parameters {
            program: concat!("subsolid ", env!("CARGO_PKG_VERSION")).into(),
            model_sha256: self.model_sha256.clone(),
            parts: self.parts.clone(),
            unit_mm: self.unit_mm,
            axis: letter(self.axis.number()),
            plane: self.axis.plane().map(letter),
            layer_height: self.stack.layer_height(),
            low: self.stack.low(),
            layer_count: self.stack.count(),
            layer_tops: self.stack.tops().unwrap_or_default().to_vec(),
            tolerance: self.tolerance,
            compensation: self.compensation,
            lattice: self.lattice.clone(),
            files,
        }
    }

    /// Asks a source for compensated layers; the source itself if they are not.
    pub fn ask<T>(&self, source: &dyn LayerSource, ask: impl FnOnce(&dyn LayerSource) -> T) -> T {
        match self.compensated(source) {
            None => ask(source),
            Some(own) => ask(&own),
        }
    }

    /// The compensated layers of a source; `None` if its own are those.
    pub fn compensated<'s>(&'s self, source: &'s dyn LayerSource) -> Option<CompensatedSource<'s>> {
        let (stack, axis, tolerance) = (&self.stack, self.axis, self.tolerance);
        let compensation = self.compensation?;
        Some(CompensatedSource { source, compensation, stack, axis, tolerance })
    }

    /// Letter of the slicing axis.
    pub fn axis_letter(&self) -> char {
        letter(self.axis.number())
    }

    /// The smallest grid of pixels in the middle of the model that covers it, or one of
    /// `size` columns and rows there.
    ///
    /// # Errors
    /// [`Error::Request`] for a pitch that is not positive, is larger than the model, or of which
    /// the model has more than can be counted.
    pub fn grid(&self, pitch: [f64; 2], size: Option<[usize; 2]>) -> Result<PixelGrid> {
        self.pixels(Pixels { pitch, size, origin: None, crop: true })
    }

    /// The pixels that are asked for: the fewest that cover the model, unless their number is given.
    ///
    /// # Errors
    /// [`Error::Request`] for a pitch that is not positive, is larger than the model, or of which
    /// the model has more than can be counted; for pixels that do not cover the model, unless they
    /// crop it.
    pub fn pixels(&self, Pixels { pitch, size, origin, crop }: Pixels) -> Result<PixelGrid> {
        Self::check_pixel(pitch)?;
        let [low, high] = self.plane;
        let [width, depth] = [0, 1].map(|d| high[d] - low[d]);
        if pitch.iter().any(|&pitch| pitch > width.max(depth)) {
            return Err(Error::request(message!(
                option("pixel", edges(pitch)),
                " is larger than the model, which is {width} × {depth}"
            ))
            .with_help(format!(
                "give the edge length of a pixel in length units of the model{OTHER_UNIT}"
            )));
        }
        // a model that is a whole number of pixels wide gets no column for rounding
        let noise = pitch.map(|pitch| (self.rounding() / pitch).clamp(1e-6, 0.5));
        let cover = |d: usize, length: f64| (length / pitch[d] - noise[d]).ceil().max(1.0);
        let from = origin.unwrap_or(low);
        let needed = [0, 1].map(|d| cover(d, high[d] - from[d]));
        if size.is_none() && needed.iter().any(|&count| count > MAX_COUNTED) {
            let [columns, rows] = needed;
            return Err(Error::request(format!(
                "pixels of size {} would be {columns:.1e} × {rows:.1e} over the model",
                edges(pitch)
            ))
            .with_help("give larger pixels"));
        }
        let size = size.unwrap_or(needed.map(|count| count as usize));
        let lengths = [0, 1].map(|d| pitch[d] * size[d] as f64);
        let centered = [0, 1].map(|d| 0.5 * (low[d] + high[d]) - 0.5 * lengths[d]);
        let origin = origin.unwrap_or(centered);
        let slack = [0, 1].map(|d| noise[d] * pitch[d]);
        let holds = |d: usize| {
            origin[d] <= low[d] + slack[d] && high[d] - slack[d] <= origin[d] + lengths[d]
        };
        if !(crop || holds(0) && holds(1)) {
            let ([columns, rows], [across, up]) = (size, [cover(0, width), cover(1, depth)]);
            let [x, y] = origin;
            return Err(Error::request(format!(
                "{columns} × {rows} pixels from ({x}, {y}) on do not hold the model, which is \
                 {across} × {up} pixels from ({}, {}) on",
                low[0], low[1]
            ))
            .with_help(message!(
                "give more or larger pixels, or ",
                option("crop", true),
                " to leave out what lies outside"
            )));
        }
        Ok(PixelGrid { origin, pitch, size })
    }

    /// How much of a length is [noise](LayerFrame::rounding).
    fn rounding(&self) -> f64 {
        rounding(self.bounds())
    }

    /// The box around the model: its low and high corner in the plane, and its heights.
    fn bounds(&self) -> [[f64; 3]; 2] {
        let ([low, high], stack) = (self.plane, &self.stack);
        [[low[0], low[1], stack.low()], [high[0], high[1], stack.high()]]
    }

    /// Notice about contours in single precision, which do not tell places of the model apart,
    /// in [binary files](super::output::Encoding::Binary).
    pub fn binary_notice(&self) -> Option<Message> {
        let loss = single_precision_loss_in(self.bounds())?;
        Some(message!(
            "{loss}: contours become inaccurate. Leave ",
            option_name("binary"),
            " out, or move the model to the origin"
        ))
    }
}

fn check_origin(origin: f64, [low, high]: [f64; 2], rounding: f64) -> Result<()> {
    let given = option("origin", origin);
    if !origin.is_finite() {
        return Err(Error::request(message!(given, " is not a finite number"))
            .with_help("give a number at or below the lowest point of the model"));
    }
    // rounded values of the lowest point itself are taken
    if origin > low + rounding.max(ORIGIN_SLACK * (high - low)) {
        let low = low + 0.0; // no negative zero
        return Err(Error::request(message!(
            given,
            " lies above the lowest point of the model, {low}"
        ))
        .with_help(message!(
            "give a height at or below it; ",
            option_name("range"),
            " leaves layers out"
        )));
    }
    Ok(())
}

/// A pixel as options have it: `0.05`, or `0.042x0.084`.
fn edges([width, height]: [f64; 2]) -> String {
    if width == height { width.to_string() } else { format!("{width}x{height}") }
}

fn letter(axis: usize) -> char {
    ['x', 'y', 'z'][axis]
}
