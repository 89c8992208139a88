//! What the layers of a job have in common, and where pixels lie on them.

use std::ops::RangeInclusive;

use super::manifest::{Files, Parameters};
use super::slicer::LayerFrame;
use super::stack::Stack;
use super::{Axis, PixelGrid};
use crate::error::{Error, Message, Result, option, option_name};
use crate::mesh::single_precision_loss_in;

/// Columns or rows of pixels that are counted exactly.
const MAX_COUNTED: f64 = (1_u64 << 53) as f64;

/// Part of the model's height by which an origin may lie above its lowest point: rounding.
const ORIGIN_SLACK: f64 = 1e-6;

/// Millimeters in a length unit of a model.
const UNITS: RangeInclusive<f64> = 1e-9..=1e9;

/// What the layers of a job have in common, whatever files they become.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Name of the model's file, if it has one.
    pub model: Option<String>,
    /// [`fingerprint`](super::fingerprint()) of the control mesh.
    pub model_sha256: String,
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
}

impl Setting {
    /// Layers of `layer_height` over what all layers have in common, from the lowest point of the
    /// model or from `origin`, at or below it. The model has no name and no fingerprint yet, and
    /// length units are millimeters.
    ///
    /// # Errors
    /// Those of [`Stack::new`]; [`Error::Request`] for an origin above the model, and for layers so
    /// high that even the lowest is cut above it.
    pub fn new(frame: LayerFrame, layer_height: f64, origin: Option<f64>) -> Result<Self> {
        let mut heights = frame.heights;
        if let Some(origin) = origin {
            check_origin(origin, heights)?;
            heights[0] = origin;
        }
        let stack = Stack::new(heights, layer_height)?;
        let (low, high) = (stack.low(), heights[1]);
        if stack.middle(0) >= high {
            return Err(Error::request(format!(
                "the mid-height of a layer of {layer_height:?} is not below the top of the model, which reaches from {low} to {high}"
            ))
            .with_help(format!(
                "give a layer height below {:?}, in the model's length units",
                2.0 * (high - low)
            )));
        }
        Ok(Self {
            model: None,
            model_sha256: String::new(),
            unit_mm: 1.0,
            axis: frame.axis,
            stack,
            plane: frame.plane,
            tolerance: frame.tolerance,
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

    /// Checks the edge length of a pixel.
    ///
    /// # Errors
    /// [`Error::Request`] unless it is positive.
    pub fn check_pixel(pixel: f64) -> Result<()> {
        if pixel.is_finite() && pixel > 0.0 {
            return Ok(());
        }
        Err(Error::request(message!(option("pixel", pixel), " is not positive"))
            .with_help("give the edge length of a pixel in length units, say 0.05"))
    }

    /// Parameters of stacks of `files`.
    pub fn parameters(&self, files: Files) -> Parameters {
        Parameters {
            program: concat!("subsolid ", env!("CARGO_PKG_VERSION")).into(),
            model_sha256: self.model_sha256.clone(),
            unit_mm: self.unit_mm,
            axis: letter(self.axis.number()),
            plane: self.axis.plane().map(letter),
            layer_height: self.stack.layer_height(),
            low: self.stack.low(),
            layer_count: self.stack.count(),
            tolerance: self.tolerance,
            files,
        }
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
    pub fn grid(&self, pitch: f64, size: Option<[usize; 2]>) -> Result<PixelGrid> {
        Self::check_pixel(pitch)?;
        let [low, high] = self.plane;
        let [width, depth] = [0, 1].map(|d| high[d] - low[d]);
        if pitch > width.max(depth) {
            return Err(Error::request(message!(
                option("pixel", pitch),
                " is larger than the model, which is {width} × {depth}"
            ))
            .with_help("give the edge length of a pixel in length units of the model"));
        }
        let [low, high] = self.plane;
        // a model that is a whole number of pixels wide gets no column for rounding
        let cover = [0, 1].map(|d| ((high[d] - low[d]) / pitch - 1e-6).ceil().max(1.0));
        if size.is_none() && cover.iter().any(|&count| count > MAX_COUNTED) {
            let [columns, rows] = cover;
            return Err(Error::request(format!(
                "pixels of size {pitch:e} would be {columns:.1e} × {rows:.1e} over the model"
            ))
            .with_help("give larger pixels"));
        }
        let size = size.unwrap_or(cover.map(|count| count as usize));
        let origin = [0, 1].map(|d| 0.5 * (low[d] + high[d]) - 0.5 * pitch * size[d] as f64);
        Ok(PixelGrid { origin, pitch, size })
    }

    /// What to say of a grid that does not cover the model.
    pub fn grid_notice(&self, grid: &PixelGrid) -> Option<String> {
        let ([columns, rows], [across, up]) = (grid.size, self.grid(grid.pitch, None).ok()?.size);
        (columns < across || rows < up).then(|| {
            format!(
                "images of {columns} × {rows} pixels are too small for the model, which needs {across} × {up}"
            )
        })
    }

    /// What to say of contours in single precision, which do not tell places of the model apart:
    /// those of [binary files](super::output::Encoding::Binary).
    pub fn binary_notice(&self) -> Option<Message> {
        let ([low, high], stack) = (self.plane, &self.stack);
        let heights = [stack.low(), stack.slab(stack.count())[0]];
        let bounds = [[low[0], low[1], heights[0]], [high[0], high[1], heights[1]]];
        let loss = single_precision_loss_in(bounds)?;
        Some(message!(
            "{loss}: contours become inaccurate. Leave ",
            option_name("binary"),
            " out, or move the model to the origin"
        ))
    }
}

fn check_origin(origin: f64, [low, high]: [f64; 2]) -> Result<()> {
    let given = option("origin", origin);
    if !origin.is_finite() {
        return Err(Error::request(message!(given, " is not a finite number"))
            .with_help("give a number at or below the lowest point of the model"));
    }
    // rounded values of the lowest point itself are taken
    if origin > low + ORIGIN_SLACK * (high - low) {
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

fn letter(axis: usize) -> char {
    ['x', 'y', 'z'][axis]
}
