//! `--ranks`: estimated resources of ranks that share a model.

use std::fmt::Write;

use clap::{Args, ValueEnum};
use subsolid::limit::{Solid, Summary};
use subsolid::mesh::Cells;
use subsolid::parts::{Estimate, Rates, Workload};
use subsolid::plan::{LayersJob, MAX_SAMPLES};
use subsolid::quadrature::{DEFAULT_GAUSS, QuadratureScheme};
use subsolid::{Error, Quadrature, Result};

use subsolid::memory::decimal_bytes;

/// Most ranks of an estimate.
const MAX_RANKS: usize = 1 << 24;
/// What ranks do.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum JobName {
    /// Limit points to .pvtu
    Evaluate,
    /// Quadrature points to .pvtu
    Quadrature,
    /// A refined control mesh to .pvtu
    Refine,
    /// Layers along z to images
    Slice,
}

#[derive(Args)]
pub struct RankArguments {
    /// Estimate the cost of a job on these numbers of MPI ranks, 1 to 16777216, for the most loaded
    /// rank: owned and ghost cells; data received, and time of the exchange, when control points
    /// move; time of the setup and of the work; output, and the time until all ranks have written
    /// theirs; memory
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    ranks: Vec<usize>,
    /// What the ranks do, for --ranks
    #[arg(long, value_enum, default_value = "evaluate", requires = "ranks")]
    job: JobName,
    /// N x N x N samples per cell, N from 2 to 64, for --job evaluate [default: 8]
    #[arg(long, value_name = "N", requires = "ranks")]
    samples: Option<usize>,
    /// N x N x N points per regular cell, N from 1 to 32, for --job quadrature [default: 5]
    #[arg(long, value_name = "N", requires = "ranks")]
    gauss: Option<usize>,
    /// Levels of refinement, 1 to 12, for --job refine [default: 1]
    #[arg(long, value_name = "N", requires = "ranks")]
    refinements: Option<usize>,
    /// Height of a layer, in length units of the model, required for --job slice
    #[arg(long, value_name = "H", requires = "ranks", allow_hyphen_values = true)]
    layer_height: Option<f64>,
    /// Edge length of a pixel, in length units of the model, required for --job slice
    #[arg(long, value_name = "P", requires = "ranks", allow_hyphen_values = true)]
    pixel: Option<f64>,
    /// Attribute components per pixel, 0 to 64, for --job slice [default: 0]
    #[arg(long, value_name = "N", requires = "ranks")]
    values: Option<usize>,
    /// Estimate for a mesh of this many cells similar to those of the model
    #[arg(long, value_name = "N", requires = "ranks")]
    of_cells: Option<usize>,
    /// Network bandwidth per rank, in GB/s
    #[arg(long, value_name = "GB/S", default_value_t = 10.0, requires = "ranks")]
    network: f64,
    /// Total write bandwidth of the file system, in GB/s
    #[arg(long, value_name = "GB/S", default_value_t = 5.0, requires = "ranks")]
    file_system: f64,
}

impl RankArguments {
    pub fn are_given(&self) -> bool {
        !self.ranks.is_empty()
    }

    pub fn check(&self) -> Result<()> {
        if let Some(ranks) = self.ranks.iter().find(|&&ranks| !(1..=MAX_RANKS).contains(&ranks)) {
            return Err(Error::request(format!("--ranks {ranks} is out of range"))
                .with_help(format!("ask for 1 to {MAX_RANKS} ranks")));
        }
        for (job, option, given, range) in [
            (JobName::Evaluate, "--samples", self.samples, 2..=MAX_SAMPLES),
            (JobName::Quadrature, "--gauss", self.gauss, 1..=32),
            (JobName::Refine, "--refinements", self.refinements, 1..=12),
            (JobName::Slice, "--values", self.values, 0..=64),
        ] {
            let Some(given) = given else { continue };
            self.check_job(job, option)?;
            if !range.contains(&given) {
                let (least, most) = (range.start(), range.end());
                return Err(Error::request(format!("{option} {given} is out of range"))
                    .with_help(format!("give a number from {least} to {most}")));
            }
        }
        for (option, given) in [("--layer-height", self.layer_height), ("--pixel", self.pixel)] {
            match given {
                Some(length) if length.is_finite() && length > 0.0 => {
                    self.check_job(JobName::Slice, option)?;
                }
                Some(length) => {
                    return Err(Error::request(format!("{option} {length}"))
                        .with_help("give a length above 0, in units of the model"));
                }
                None if self.job == JobName::Slice => {
                    return Err(Error::request(format!("--job slice without {option}"))
                        .with_help("give --layer-height and --pixel, in units of the model"));
                }
                None => {}
            }
        }
        if self.of_cells == Some(0) {
            return Err(Error::request("--of-cells 0").with_help("ask for at least one cell"));
        }
        for (rate, name) in [(self.network, "--network"), (self.file_system, "--file-system")] {
            if !(rate.is_finite() && rate > 0.0) {
                return Err(
                    Error::request(format!("{name} {rate}")).with_help("give GB a second, above 0")
                );
            }
        }
        Ok(())
    }

    /// Refuses an option of another job.
    fn check_job(&self, job: JobName, option: &str) -> Result<()> {
        if job == self.job {
            return Ok(());
        }
        let name = job.to_possible_value().map_or(String::new(), |v| v.get_name().into());
        Err(Error::request(format!("{option} is for --job {name}"))
            .with_help("leave it out, or ask for that job"))
    }

    /// Layers of the control mesh's box, and the boundary faces of a mesh of `cells` cells.
    fn layers(&self, summary: &Summary, cells: usize) -> Workload {
        let [low, high] = summary.bounds.unwrap_or_default();
        let count = |axis: usize, step: Option<f64>| -> usize {
            // more than any machine has saturate
            ((high[axis] - low[axis]) / step.unwrap_or(1.0)).ceil().max(1.0) as usize
        };
        let layers = count(2, self.layer_height);
        let [columns, rows] = [0, 1].map(|axis| count(axis, self.pixel));
        let pixels = layers.saturating_mul(columns).saturating_mul(rows);
        let job = LayersJob { cells, layers, pixels, attributes: self.values.unwrap_or(0) };
        let larger = cells as f64 / summary.cells.max(1) as f64;
        Workload::layers(job, summary.boundary_faces as f64 * larger.powf(2.0 / 3.0))
    }

    /// Whether estimates need the analyzed solid.
    pub fn need_solid(&self) -> bool {
        self.are_given() && self.job == JobName::Quadrature
    }

    /// Estimates for a model, one per number of ranks; with the solid where they need it.
    pub fn estimates(
        &self,
        summary: &Summary,
        cells: &Cells,
        solid: Option<&Solid>,
    ) -> Vec<Estimate> {
        let elements = |c: usize| cells.hexahedron(c).map_or(cells.vertices(c).len(), |_| 1);
        let elements: usize = (0..cells.len()).map(elements).sum();
        let elements = elements as f64 / summary.cells.max(1) as f64;
        let cells = self.of_cells.unwrap_or(summary.cells);
        let job = match self.job {
            JobName::Evaluate => Workload::evaluation(cells, elements, self.samples.unwrap_or(8)),
            JobName::Quadrature => {
                let scheme =
                    QuadratureScheme { gauss: self.gauss.unwrap_or(DEFAULT_GAUSS), rings: None };
                let points = solid.map_or(0, |solid| Quadrature::point_count(solid, scheme));
                Workload::quadrature(cells, points as f64 / summary.cells.max(1) as f64)
            }
            JobName::Refine => Workload::refinement(cells, elements, self.refinements.unwrap_or(1)),
            JobName::Slice => self.layers(summary, cells),
        };
        let rates = Rates {
            network: 1e9 * self.network,
            file_system: 1e9 * self.file_system,
            ..Rates::of_threads(rayon::current_num_threads())
        };
        self.ranks.iter().map(|&ranks| Estimate::new(&job, &rates, ranks)).collect()
    }
}

/// A table of estimates; nothing for none.
pub fn text(estimates: &[Estimate]) -> String {
    let mut text = String::new();
    if estimates.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "{:>8} {:>12} {:>10} {:>12} {:>10} {:>10} {:>10} {:>11} {:>10} {:>11}",
        "ranks",
        "owned",
        "ghosts",
        "received",
        "setup",
        "exchange",
        "work",
        "output",
        "writing",
        "memory"
    );
    for e in estimates {
        let _ = writeln!(
            text,
            "{:>8} {:>12} {:>10} {:>12} {:>10} {:>10} {:>10} {:>11} {:>10} {:>11}",
            e.ranks,
            e.owned,
            e.ghosts,
            decimal_bytes(e.exchange_bytes as u128),
            seconds(e.setup_seconds),
            seconds(e.exchange_seconds),
            seconds(e.evaluation_seconds),
            decimal_bytes(e.output_bytes as u128),
            seconds(e.output_seconds),
            decimal_bytes(e.memory_bytes as u128),
        );
    }
    text
}

fn seconds(seconds: f64) -> String {
    const HOUR: f64 = 3600.0;
    const DAY: f64 = 24.0 * HOUR;
    const YEAR: f64 = 365.25 * DAY;
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.1} ms", 1e3 * s),
        s if s < HOUR => format!("{s:.1} s"),
        s if s < DAY => format!("{:.1} h", s / HOUR),
        s if s < YEAR => format!("{:.1} d", s / DAY),
        s if s < 1e4 * YEAR => format!("{:.1} y", s / YEAR),
        s => format!("{:.1e} y", s / YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_of_any_length_fit_their_column() {
        for (time, text) in [
            (5e-6, "5.0 µs"),
            (0.25, "250.0 ms"),
            (3599.0, "3599.0 s"),
            (7200.0, "2.0 h"),
            (1e6, "11.6 d"),
            (1e11, "3168.8 y"),
            (1.099511627776e23, "3.5e15 y"),
        ] {
            assert_eq!(seconds(time), text);
        }
    }
}
