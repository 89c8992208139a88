//! How far points are from a shape.

use serde::Serialize;

/// Distances of points from a shape, in length units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Deviation {
    /// Root of the mean square distance, in length units, weighted by area where points are samples of
    /// a surface.
    pub rms: f64,
    /// Largest distance, in length units.
    pub max: f64,
    /// Point that is farthest, in length units.
    pub at: [f64; 3],
}

impl Deviation {
    /// Of distances at points, with the weight of each.
    pub(crate) fn new(found: impl IntoIterator<Item = ([f64; 3], f64, f64)>) -> Self {
        let (mut sum, mut weights, mut all) = (0.0, 0.0, Self::default());
        for (at, distance, weight) in found {
            sum += weight * distance * distance;
            weights += weight;
            if distance > all.max {
                (all.max, all.at) = (distance, at);
            }
        }
        all.rms = if weights > 0.0 { (sum / weights).sqrt() } else { 0.0 };
        all
    }
}
