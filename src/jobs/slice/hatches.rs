//! Hatches that fill the contours of files for lasers.

use serde::{Deserialize, Serialize};

use crate::numbers::Length;
use crate::slice::HatchPattern;

/// How contours are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(skip))]
#[serde(default)]
pub struct SliceHatches {
    /// Fill the contours of --cli and --svg with hatches: line by line (meander), or in stripes or
    /// islands (squares whose lines run across those of their neighbors) of width W
    #[cfg_attr(feature = "cli", arg(long, value_name = "meander|stripes:W|islands:W"))]
    #[cfg_attr(feature = "cli", arg(requires = "hatch_spacing"))]
    pub hatch: Option<HatchPattern<Length>>,
    /// Distance between the lines of --hatch
    #[cfg_attr(feature = "cli", arg(long, value_name = "D", requires = "hatch"))]
    #[cfg_attr(feature = "cli", arg(allow_hyphen_values = true))]
    pub hatch_spacing: Option<Length>,
    /// Distance of the lines of --hatch from the contours [default: 0]
    #[cfg_attr(feature = "cli", arg(long, value_name = "D", requires = "hatch"))]
    #[cfg_attr(feature = "cli", arg(allow_hyphen_values = true))]
    pub hatch_offset: Option<Length>,
    /// Angle of the lines of layer 0, in degrees from the first axis of the plane [default: 0]
    #[cfg_attr(feature = "cli", arg(long, value_name = "DEG", requires = "hatch"))]
    #[cfg_attr(feature = "cli", arg(allow_hyphen_values = true))]
    pub hatch_angle: Option<f64>,
    /// Degrees by which the lines of a layer are turned from those of the layer below [default: 67]
    #[cfg_attr(feature = "cli", arg(long, value_name = "DEG", requires = "hatch"))]
    #[cfg_attr(feature = "cli", arg(allow_hyphen_values = true))]
    pub hatch_rotation: Option<f64>,
}

impl SliceHatches {
    /// All lengths.
    pub(super) fn lengths(&self) -> impl Iterator<Item = Length> {
        let width = self.hatch.and_then(HatchPattern::width);
        [self.hatch_spacing, self.hatch_offset, width].into_iter().flatten()
    }
}
