//! All numbers of a run, as they go to the JSON file.

use schemars::JsonSchema;
use serde::Serialize;
use subsolid::compare::Comparison;

use super::machine::Machine;
use super::model::ModelSummary;
use crate::cli::json::JsonReport;

#[derive(Serialize, JsonSchema)]
pub struct Results {
    /// Where it was measured.
    pub machine: Machine,
    /// Runs that each median is taken of.
    pub repeats: usize,
    /// Models at each level.
    pub models: Vec<ModelSummary>,
    /// Times of evaluations.
    pub timings: Vec<Timing>,
    /// Distances from the CPU in double precision.
    pub accuracy: Vec<Accuracy>,
    /// What was not measured, and why.
    pub left_out: Vec<String>,
}

impl JsonReport for Results {
    const SCHEMA: &'static str = "subsolid.bench/1";
}

impl Results {
    pub fn new(machine: Machine, repeats: usize) -> Self {
        Self {
            machine,
            repeats,
            models: Vec::new(),
            timings: Vec::new(),
            accuracy: Vec::new(),
            left_out: Vec::new(),
        }
    }
}

/// How long one evaluation takes.
#[derive(Serialize, JsonSchema)]
pub struct Timing {
    /// Name of the file.
    pub model: String,
    /// Times that the model was refined first.
    pub level: usize,
    /// Samples along each axis of a cell.
    pub samples: usize,
    /// Class of the cells evaluated; none for all cells.
    pub class: Option<String>,
    /// Processor, precision and strategy.
    pub contender: String,
    /// Cells evaluated.
    pub cells: usize,
    /// Limit points.
    pub points: usize,
    /// Bytes of the points.
    pub bytes: usize,
    /// Seconds of an evaluation.
    pub seconds: Spread,
    /// Median of the seconds that writing as many bytes takes on the same processor.
    pub writing: f64,
}

/// Times of the runs, in seconds.
#[derive(Serialize, JsonSchema)]
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

/// How exact a contender is.
#[derive(Serialize, JsonSchema)]
pub struct Accuracy {
    /// Name of the file.
    pub model: String,
    /// Times that the model was refined first.
    pub level: usize,
    /// Samples along each axis of a cell.
    pub samples: usize,
    /// Processor, precision and strategy.
    pub contender: String,
    /// Its distances.
    pub comparison: Comparison,
}
