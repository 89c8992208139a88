//! Folded cells of the limit, which counts: control points that are better may make it worse.

use serde::Serialize;

use super::ScaledJacobians;
use super::determinant_bound::OrientedLimit;
use crate::backend::Cpu;
use crate::error::Result;
use crate::mesh::Controls;
use crate::plan::{Plan, Samples, Want};
use crate::volume::Quality;

/// Gauss points along each axis of a cell at which the limit is looked at.
pub(super) const GAUSS_POINTS: usize = 5;

/// Parts of the way to better control points that are tried, where all of it is too far.
const PARTS: [f64; 6] = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.0];

/// Folded cells of the limit, at 5³ Gauss points of each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct LimitFolds {
    /// Number of cells with a point where det J is not positive.
    pub folded: usize,
    /// Least scaled Jacobian at all points, from −1 to 1.
    pub least: f64,
}

impl LimitFolds {
    /// Of the limit over control points, evaluated with [`Want::QUALITY`](crate::plan::Want).
    pub(super) fn new(plan: &Plan<'_>, points: &[[f64; 3]]) -> Result<Self> {
        let controls = Controls { positions: points, attributes: &[] };
        let quality = Quality::of_plan(plan, controls, &Cpu::default())?;
        let least = quality.least_scaled_jacobian.map_or(0.0, |least| least.value);
        Ok(Self { folded: quality.non_positive.len(), least })
    }

    /// More cells are folded, or as many and one of them more.
    pub(super) fn is_worse_than(&self, other: &Self) -> bool {
        self.folded > other.folded
            || self.folded == other.folded && self.folded > 0 && self.least < other.least
    }
}

impl OrientedLimit {
    /// Folded cells over control points, `[vertex]`.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of them.
    pub fn folds(&self, points: &[[f64; 3]]) -> Result<LimitFolds> {
        let plan = self.solid.plan(&Samples::gauss(GAUSS_POINTS)?, Want::QUALITY)?;
        LimitFolds::new(&plan, points)
    }
}

/// Points on the way to better ones.
pub(super) struct PartialStep {
    pub points: Vec<[f64; 3]>,
    pub quality: ScaledJacobians,
    pub folds: LimitFolds,
    pub part: f64,
}

/// The farthest points on the way from `start` to `end` with which neither the limit nor the
/// control cells are worse.
pub(super) fn farthest(
    start: &[[f64; 3]],
    end: &[[f64; 3]],
    before: (&ScaledJacobians, &LimitFolds),
    quality: impl Fn(&[[f64; 3]]) -> ScaledJacobians,
    limit: impl Fn(&[[f64; 3]]) -> Result<LimitFolds>,
) -> Result<PartialStep> {
    for part in PARTS {
        let between =
            |(a, b): (&[f64; 3], &[f64; 3])| [0, 1, 2].map(|d| a[d] + part * (b[d] - a[d]));
        let points: Vec<[f64; 3]> = start.iter().zip(end).map(between).collect();
        let quality = quality(&points);
        if quality.least < before.0.least || quality.non_positive > before.0.non_positive {
            continue;
        }
        let folds = limit(&points)?;
        if !folds.is_worse_than(before.1) {
            return Ok(PartialStep { points, quality, folds, part });
        }
    }
    let (&quality, &folds) = before;
    Ok(PartialStep { points: start.to_vec(), quality, folds, part: 0.0 })
}
