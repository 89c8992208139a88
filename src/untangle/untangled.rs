//! What untangling may move, and what it did.

use serde::{Deserialize, Serialize};

use super::{LimitFolds, ScaledJacobians};
use crate::numbers::counted;

/// What vertices of the boundary do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// Result of untangling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "Untangled"))]
pub struct UntangleResult {
    /// Quality of the control cells before untangling.
    pub before: ScaledJacobians,
    /// Quality of the control cells after untangling.
    pub after: ScaledJacobians,
    /// Folded cells of the limit before untangling.
    pub limit_before: LimitFolds,
    /// Folded cells of the limit after untangling: no more than before.
    pub limit_after: LimitFolds,
    /// Part of the way to better control cells that the vertices went; below 1 where more cells of
    /// the limit would be folded farther on.
    pub part: f64,
    /// Number of vertices that moved.
    pub moved: usize,
    /// Number of boundary vertices that moved.
    pub slid: usize,
    /// Number of boundary vertices that can slide; 0 if the boundary is fixed.
    pub can_slide: usize,
    /// Number of boundary vertices that stay: corners, vertices near the ends of creases, and of
    /// semi-sharp creases.
    pub stay: usize,
    /// Number of cells that are still folded at a corner that cannot change: its vertex and the
    /// three vertices joined to it by edges stay.
    pub fixed: usize,
    /// Greatest distance between the new and the original boundary of the limit, in both
    /// directions, in length units: at 5 × 5 samples of every face, and more where it is large. 0
    /// if no vertex slid.
    pub deviation: f64,
}

impl UntangleResult {
    /// Says that vertices went a part of the way only, for the sake of the limit, and that nothing
    /// can slide that was to.
    pub fn notices(&self, boundary: BoundaryMotion) -> impl Iterator<Item = String> {
        let partly = (self.part < 1.0).then(|| {
            let way = match self.part {
                0.0 => "no vertex moved".into(),
                part => format!("vertices went {part} of the way"),
            };
            format!("{way}: farther on, more cells of the limit would be folded")
        });
        let fixed = (boundary == BoundaryMotion::Slide && self.can_slide == 0).then(|| {
            format!(
                "nothing slides: of the {} of the boundary all are corners (tagged, or of three sharp \
                 edges or more), or near the ends of creases or semi-sharp ones; make fewer edges \
                 sharp",
                counted(self.stay, "vertex")
            )
        });
        partly.into_iter().chain(fixed)
    }
}
