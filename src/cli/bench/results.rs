//! All numbers of a run, as they go to the JSON file.

use serde::Serialize;
use subsolid::compare::Comparison;

use super::machine::Machine;
use super::model::ModelSummary;

#[derive(Serialize)]
pub struct Results {
    pub machine: Machine,
    /// Runs that each median is taken of.
    pub repeats: usize,
    pub models: Vec<ModelSummary>,
    pub timings: Vec<Timing>,
    pub accuracy: Vec<Accuracy>,
    /// What was not measured, and why.
    pub left_out: Vec<String>,
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
#[derive(Serialize)]
pub struct Timing {
    pub model: String,
    pub level: usize,
    /// Samples along each axis of a cell.
    pub samples: usize,
    /// Class of the cells evaluated; none for all cells.
    pub class: Option<String>,
    pub contender: String,
    pub cells: usize,
    pub points: usize,
    /// Bytes of the points.
    pub bytes: usize,
    pub seconds: Spread,
    /// Median of the seconds that writing as many bytes takes on the same processor.
    pub writing: f64,
}

/// Times of the runs, in seconds.
#[derive(Serialize)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
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
#[derive(Serialize)]
pub struct Accuracy {
    pub model: String,
    pub level: usize,
    pub samples: usize,
    pub contender: String,
    pub comparison: Comparison,
}
