//! `--ranks`: what programs that share a model would take.

use std::fmt::Write;

use clap::Args;
use subsolid::limit::{Solid, Summary};
use subsolid::parts::{Estimate, Job, Rates};
use subsolid::{Error, Result};

use crate::cli::memory::gigabytes;

/// Most ranks of an estimate.
const MOST: usize = 1 << 24;
/// Bytes of a .vtu a sample of hexahedra: the point, and a hexahedron with its ids, offset and kind.
const FILE_POINT: f64 = 24.0;
const FILE_CELL: f64 = 8.0 * 4.0 + 4.0 + 1.0;
/// Bytes of a result in double precision.
const RESULT: f64 = 24.0;

#[derive(Args)]
pub struct RankArguments {
    /// Estimate what so many ranks (programs that hold a part each) take: ghost cells, time and
    /// memory of the one with the most
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    ranks: Vec<usize>,
    /// N x N x N samples a cell, for --ranks
    #[arg(long, value_name = "N", default_value_t = 8, requires = "ranks")]
    samples: usize,
    /// Estimate for a mesh of so many cells that are like those of the model
    #[arg(long, value_name = "N", requires = "ranks")]
    of_cells: Option<usize>,
    /// GB a second that a rank receives from others
    #[arg(long, value_name = "GB/S", default_value_t = 10.0, requires = "ranks")]
    network: f64,
    /// GB a second that the file system takes from all ranks
    #[arg(long, value_name = "GB/S", default_value_t = 5.0, requires = "ranks")]
    file_system: f64,
}

impl RankArguments {
    pub fn check(&self) -> Result<()> {
        if let Some(ranks) = self.ranks.iter().find(|&&ranks| !(1..=MOST).contains(&ranks)) {
            return Err(Error::request(format!("--ranks {ranks} is out of range"))
                .with_help(format!("ask for 1 to {MOST} ranks")));
        }
        if !(2..=64).contains(&self.samples) {
            return Err(Error::request(format!("--samples {} is out of range", self.samples))
                .with_help("ask for 2 to 64 samples along each axis"));
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

    /// Estimates for a model, one a number of ranks.
    pub fn estimates(&self, summary: &Summary, solid: &Solid) -> Vec<Estimate> {
        let elements = solid.elements().len() as f64 / summary.cells.max(1) as f64;
        let samples = self.samples as f64;
        let file = FILE_POINT * samples.powi(3) + FILE_CELL * (samples - 1.0).powi(3);
        let job = Job {
            cells: self.of_cells.unwrap_or(summary.cells),
            result_bytes: elements * RESULT * samples.powi(3),
            file_bytes: elements * file,
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
        "{:>8} {:>12} {:>10} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "ranks",
        "owned",
        "ghosts",
        "exchange",
        "set-up",
        "exchange",
        "evaluate",
        "output",
        "write",
        "memory"
    );
    for e in estimates {
        let _ = writeln!(
            text,
            "{:>8} {:>12} {:>10} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
            e.ranks,
            e.owned,
            e.ghosts,
            format!("{:.2} MB", e.exchange_bytes / 1e6),
            seconds(e.setup_seconds),
            seconds(e.exchange_seconds),
            seconds(e.evaluation_seconds),
            gigabytes(e.output_bytes as u128),
            seconds(e.output_seconds),
            gigabytes(e.memory_bytes as u128),
        );
    }
    text
}

fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.1} ms", 1e3 * s),
        s => format!("{s:.1} s"),
    }
}
