//! What untangling may move, and what it did.

use serde::{Deserialize, Serialize};

use super::ScaledJacobians;
use crate::numbers::counted;

/// What vertices of the boundary do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryMotion {
    /// They stay.
    #[default]
    Fixed,
    /// Their limit points slide on the limit surface, those on infinitely sharp creases on the
    /// crease; corners stay, and vertices of semi-sharp edges.
    Slide,
}

/// What untangling did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Untangled {
    /// Control cells before.
    pub before: ScaledJacobians,
    /// And after.
    pub after: ScaledJacobians,
    /// Vertices that moved.
    pub moved: usize,
    /// Those of them that are of the boundary.
    pub slid: usize,
    /// Vertices of the boundary that can slide; 0 where it is fixed.
    pub can_slide: usize,
    /// Vertices of the boundary that stay: all others, corners, and those near the ends of creases and
    /// semi-sharp ones.
    pub stay: usize,
    /// Cells that are folded after it at a corner that cannot change: its vertex stays, and so do
    /// the three that edges join to it.
    pub fixed: usize,
    /// The greatest distance of the boundary of the limit from that of before, or of that from it,
    /// in length units: by 5 × 5 samples of every face, and more where it is great. 0 if nothing
    /// slid.
    pub deviation: f64,
}

impl Untangled {
    /// Says that nothing can slide that was to; `None` if something can.
    pub fn notice(&self, boundary: BoundaryMotion) -> Option<String> {
        (boundary == BoundaryMotion::Slide && self.can_slide == 0).then(|| {
            format!(
                "nothing slides: of the {} of the boundary all are corners (tagged, or of three sharp \
                 edges or more), or near the ends of creases or semi-sharp ones; make fewer edges \
                 sharp",
                counted(self.stay, "vertex")
            )
        })
    }
}
