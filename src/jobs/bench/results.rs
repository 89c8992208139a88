//! All numbers of a run.

use crate::compare::Comparison;
use serde::Serialize;

use super::machine::Machine;
use super::model::ModelSummary;

/// All numbers of a bench.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct BenchReport {
    /// The machine on which it was measured.
    pub machine: Machine,
    /// Number of runs over which each median is taken.
    pub repeats: usize,
    /// The models at each level of refinement.
    pub models: Vec<ModelSummary>,
    /// Times of the evaluations.
    pub timings: Vec<Timing>,
    /// Distances from the CPU in double precision.
    pub accuracy: Vec<Accuracy>,
    /// What was not measured, and why.
    pub left_out: Vec<String>,
}

/// Duration of one evaluation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Timing {
    /// Name of the model's file.
    pub model: String,
    /// Number of times that the model was refined first.
    pub level: usize,
    /// Samples along each axis of a cell.
    pub samples: usize,
    /// Class of the cells evaluated; null for all cells.
    pub class: Option<String>,
    /// Processor, precision and strategy.
    pub contender: String,
    /// Number of cells evaluated.
    pub cells: usize,
    /// Number of limit points.
    pub points: usize,
    /// Size of the points in bytes.
    pub bytes: usize,
    /// Duration of an evaluation, in seconds.
    pub seconds: Spread,
    /// Median of the time to write as many bytes on the same processor, in seconds.
    pub writing: f64,
}

/// Times of the runs, in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Spread {
    /// Median of the runs.
    pub median: f64,
    /// The fastest run.
    pub least: f64,
    /// The slowest run.
    pub most: f64,
}

impl Timing {
    /// Nanoseconds a cell.
    pub fn per_cell(&self) -> f64 {
        1e9 * self.seconds.median / self.cells as f64
    }

    /// Nanoseconds a point.
    pub fn per_point(&self) -> f64 {
        1e9 * self.seconds.median / self.points as f64
    }

    /// How much of the time writing alone would take.
    pub fn of_writing(&self) -> f64 {
        self.writing / self.seconds.median
    }
}

/// Accuracy of a processor, precision and strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Accuracy {
    /// Name of the model's file.
    pub model: String,
    /// Number of times that the model was refined first.
    pub level: usize,
    /// Samples along each axis of a cell.
    pub samples: usize,
    /// Processor, precision and strategy.
    pub contender: String,
    /// Distances from the reference.
    pub comparison: Comparison,
}
