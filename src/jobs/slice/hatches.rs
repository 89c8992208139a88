//! Hatches that fill the contours of files for lasers.

use serde::{Deserialize, Serialize};

use super::SliceRequest;
use super::check::{Rule, is_for, listed};
use crate::error::option_name as name;
use crate::numbers::Length;
use crate::slice::{HatchPattern, Hatching};

/// Degrees from a layer's hatches to the next: it takes 360 layers until the same come again.
const DEFAULT_ROTATION: f64 = 67.0;

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

impl SliceRequest {
    /// The hatches in length units of the model; `None` if there are none.
    pub fn hatching(&self) -> Option<Hatching> {
        let own = &self.hatches;
        Some(Hatching {
            pattern: own.hatch?.map(|width| self.length(width)),
            spacing: self.length(own.hatch_spacing?),
            offset: own.hatch_offset.map_or(0.0, |offset| self.length(offset)),
            angle: own.hatch_angle.unwrap_or(0.0),
            rotation: own.hatch_rotation.unwrap_or(DEFAULT_ROTATION),
        })
    }

    /// Hatches without what they need.
    pub(super) fn rules_of_hatches(&self) -> [Rule; 3] {
        let SliceHatches { hatch, hatch_spacing, hatch_offset, hatch_angle, hatch_rotation } =
            &self.hatches;
        let given = [
            (hatch_spacing.is_some(), "hatch_spacing"),
            (hatch_offset.is_some(), "hatch_offset"),
            (hatch_angle.is_some(), "hatch_angle"),
            (hatch_rotation.is_some(), "hatch_rotation"),
        ];
        let first = given.into_iter().find(|(is_given, _)| *is_given);
        let without = |what, needed| {
            (message!(name(what), " without ", name(needed)), message!("give ", name(needed)))
        };
        let (no_spacing, spacing) = without("hatch", "hatch_spacing");
        let (no_pattern, pattern) = without(first.map_or("", |(_, option)| option), "hatch");
        let has_files = self.outputs.svg.is_some() || self.outputs.cli.is_some();
        let files = listed(["cli", "svg"].map(name), " and ");
        [
            (hatch.is_some() && hatch_spacing.is_none(), no_spacing, spacing),
            (hatch.is_none() && first.is_some(), no_pattern, pattern),
            is_for(hatch.is_some() && !has_files, name("hatch"), files),
        ]
    }
}
