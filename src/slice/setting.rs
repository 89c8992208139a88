//! What the layers of a job have in common, and where pixels lie on them.

use super::manifest::{Files, Parameters};
use super::stack::Stack;
use super::{Axis, PixelGrid};
use crate::{Error, Result};

/// Columns or rows of pixels that are counted exactly.
const MAX_COUNTED: f64 = (1_u64 << 53) as f64;

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
    /// Distance that contours keep from the limit surface, in length units.
    pub tolerance: f64,
}

impl Setting {
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
    /// [`Error::Request`] for a pitch that is not positive, or of which the model has more than can be
    /// counted.
    pub fn grid(&self, pitch: f64, size: Option<[usize; 2]>) -> Result<PixelGrid> {
        if !(pitch.is_finite() && pitch > 0.0) {
            return Err(Error::request(format!("pixels of size {pitch}"))
                .with_help("give the edge length of a pixel in length units, say 0.05"));
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
}

fn letter(axis: usize) -> char {
    ['x', 'y', 'z'][axis]
}
