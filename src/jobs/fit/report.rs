//! What a fit did.

use std::time::Instant;

use serde::Serialize;

use crate::fit::Deviation;
use crate::numbers::{by_count, counted, significant};
use crate::untangle::{LeastDeterminant, LimitFolds};

/// What a fit did. Lengths are in length units; pairs are before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FitReport {
    /// Distances of the limit from the vertices of the mesh: as control points, and fitted (to
    /// the vertices themselves 0 up to rounding).
    pub vertices: [Deviation; 2],
    /// Distances of the limit from the target: as control points, through the vertices, fitted; null
    /// without a target.
    pub target: Option<[Deviation; 3]>,
    /// Distances of the target from the fitted limit; null without a target.
    pub target_from_limit: Option<Deviation>,
    /// Distances of creases and sharp edges of the limit from the feature lines of the target that they
    /// follow: as control points, and fitted; null without a target.
    pub creases: Option<[Deviation; 2]>,
    /// Root mean square distances from the target, before the first round and after each, of the last
    /// level.
    pub rounds: Vec<f64>,
    /// Volume inside the limit, in cubed length units; 0 for open surfaces.
    pub volume: [f64; 2],
    /// Volume inside the target; null without one, and where it is open.
    pub target_volume: Option<f64>,
    /// Largest move of the limit at a vertex along the surface, in lengths of its edges.
    pub drift: f64,
    /// Length of feature lines of the target that no crease of the mesh follows.
    pub unmatched_length: f64,
    /// Number of refinements.
    pub levels: usize,
    /// Bound of det J of the limit as a control mesh; null for surfaces.
    pub determinant_before: Option<LeastDeterminant>,
    /// Bound of det J of the fitted limit; null for surfaces.
    pub determinant: Option<LeastDeterminant>,
    /// Folded cells of the fitted limit; null for surfaces.
    pub folds: Option<LimitFolds>,
    /// Whether all distances are within the tolerance; null without one.
    pub within_tolerance: Option<bool>,
    /// Duration in seconds.
    pub seconds: f64,
}

impl FitReport {
    /// Of a fit to vertices.
    pub(super) fn of_vertices(vertices: [Deviation; 2], started: Instant) -> Self {
        Self {
            vertices,
            target: None,
            target_from_limit: None,
            creases: None,
            rounds: Vec::new(),
            volume: [0.0; 2],
            target_volume: None,
            drift: 0.0,
            unmatched_length: 0.0,
            levels: 0,
            determinant_before: None,
            determinant: None,
            folds: None,
            within_tolerance: None,
            seconds: started.elapsed().as_secs_f64(),
        }
    }

    /// Whether the tolerance is missed, or cells are folded: what is wrong, in words.
    pub fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        if self.within_tolerance == Some(false) {
            let deviations = self.target.iter().map(|t| t[2]).chain(self.target_from_limit);
            let most = deviations.fold(self.vertices[1], |a, b| if b.max > a.max { b } else { a });
            let [x, y, z] = most.at.map(significant);
            missed.push(format!(
                "the tolerance is missed by most at x {x} y {y} z {z}: {}",
                significant(most.max)
            ));
        }
        if let Some(found) = self.folds.filter(|found| found.folded > 0) {
            missed.push(format!(
                "{} of the limit {} folded at 5³ Gauss points (least scaled Jacobian {})",
                counted(found.folded, "cell"),
                by_count(found.folded, "is", "are"),
                significant(found.least)
            ));
        }
        if let Some(found) = self.determinant.filter(|found| found.folded > 0) {
            missed.push(format!(
                "{} of the limit {} folded (the worst: {}); cells at concave creases between two cells \
                 always are: give such edges ghost cells in place of creases, round them, or leave them \
                 smooth (a larger crease angle)",
                counted(found.folded, "element"),
                by_count(found.folded, "is", "are"),
                found.element
            ));
        }
        missed
    }
}
