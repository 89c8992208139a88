//! What layers are compensated for.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[cfg(feature = "cli")]
use super::values;
use crate::numbers::Length;
use crate::slice::Join;

/// How layers are made larger or smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(skip))]
#[serde(default)]
pub struct SliceCompensation {
    /// Factors of x, y and z, or one for all, about the origin of coordinates, 0.1 to 10: for
    /// material that shrinks
    #[cfg_attr(feature = "cli", arg(long, value_name = "S[,S,S]", allow_hyphen_values = true))]
    #[cfg_attr(feature = "cli", arg(value_parser = values::factors))]
    pub scale: Option<[f64; 3]>,
    /// Distance that contours, and the edges of pixels with them, move away from the material; into
    /// it if negative
    #[cfg_attr(feature = "cli", arg(long, value_name = "D", allow_hyphen_values = true))]
    pub offset: Option<Length>,
    /// Distance that contours of layer 0 move into the material, besides; it falls by equal steps to
    /// 0 over N layers [default: 1]
    #[cfg_attr(feature = "cli", arg(long, value_name = "D[@N]", allow_hyphen_values = true))]
    pub elephant_foot: Option<ElephantFoot>,
    /// Corners of contours that move: arcs, or mitered to twice the distance [default: round]
    #[cfg_attr(feature = "cli", arg(long, value_enum))]
    pub join: Option<Join>,
}

/// How much smaller the first layers are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElephantFoot {
    /// Distance that contours of layer 0 move into the material.
    pub depth: Length,
    /// Layers over which it falls to 0.
    pub layers: usize,
}

impl FromStr for ElephantFoot {
    type Err = String;

    /// `0.2` or `0.2mm@3`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (depth, layers) = text.split_once('@').unwrap_or((text, "1"));
        let layers = layers.trim().parse().ok().filter(|&n| n > 0);
        let layers = layers.ok_or("an elephant foot looks like 0.2mm@3")?;
        Ok(Self { depth: depth.parse()?, layers })
    }
}

impl SliceCompensation {
    /// All lengths.
    pub(super) fn lengths(&self) -> impl Iterator<Item = Length> {
        self.offset.into_iter().chain(self.elephant_foot.map(|foot| foot.depth))
    }
}
