//! What many programs (ranks) that each hold a part would take: a model, as a pure function.

use serde::Serialize;

/// Runs of a Hilbert curve have so much more surface than boxes (measured: `tests/solid/parts.rs`).
const SHAPE: f64 = 1.3;
/// Neighbours of a part that is a cube among cubes.
const NEIGHBOURS: f64 = 26.0;
/// Bytes of the coordinates of a control point.
const POINT: f64 = 24.0;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// Cells of the whole mesh.
    pub cells: usize,
    /// Bytes of results that are evaluated a cell.
    pub result_bytes: f64,
    /// Bytes of files that are written a cell.
    pub file_bytes: f64,
}

/// How fast machines are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Seconds of set-up a cell of a part, ghosts included.
    pub setup: f64,
    /// Bytes of results a second, of each rank.
    pub evaluation: f64,
    /// Bytes a second that a rank receives from others.
    pub network: f64,
    /// Seconds until a message arrives.
    pub latency: f64,
    /// Bytes a second that the file system takes from all ranks together.
    pub file_system: f64,
    /// Bytes of memory a cell of a part, ghosts included.
    pub memory: f64,
    /// Bytes of memory that a rank needs beside: results and the file of a piece at work.
    pub working: f64,
}

impl Rates {
    /// Measured rates of ranks with so many threads each (`benches/results/parts.json`), a network of
    /// 10 GB/s a rank and a file system of 5 GB/s.
    pub fn of_threads(threads: usize) -> Self {
        let threads = threads.max(1) as f64;
        Self {
            setup: 1.1e-6 / threads,
            evaluation: 1.2e9 * threads,
            network: 10e9,
            latency: 5e-6,
            file_system: 5e9,
            memory: 1500.0,
            working: 400e6,
        }
    }
}

/// What the rank with the most to do takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// Number of ranks.
    pub ranks: usize,
    /// Cells that it owns.
    pub owned: usize,
    /// Cells of others around them.
    pub ghosts: usize,
    /// Bytes that it receives when control points move.
    pub exchange_bytes: f64,
    /// Seconds of set-up, once.
    pub setup_seconds: f64,
    /// Seconds of the exchange, whenever control points move.
    pub exchange_seconds: f64,
    /// Seconds of an evaluation.
    pub evaluation_seconds: f64,
    /// Bytes that it writes.
    pub output_bytes: f64,
    /// Seconds until all ranks have written.
    pub output_seconds: f64,
    /// Bytes of memory.
    pub memory_bytes: f64,
}

impl Estimate {
    /// Takes the mesh for a cube of hexahedra that is halved along each axis in turn; runs of a
    /// Hilbert curve have some more surface.
    pub fn new(job: &Job, rates: &Rates, ranks: usize) -> Self {
        let count = ranks.max(1) as f64;
        let owned = job.cells.div_ceil(ranks.max(1));
        let halvings = count.log2();
        // parts along each axis
        let along: [f64; 3] = std::array::from_fn(|axis| {
            let whole = (halvings / 3.0).floor();
            (whole + (halvings - 3.0 * whole - axis as f64).clamp(0.0, 1.0)).exp2()
        });
        let side = (job.cells as f64).cbrt();
        let product = |layers: &dyn Fn(f64) -> f64| -> f64 {
            // a part has others on at most two sides
            along.iter().map(|&k| side / k + layers((k - 1.0).clamp(0.0, 2.0))).product()
        };
        let m = owned as f64;
        let around = product(&|inner| inner) - product(&|_| 0.0);
        let rest = job.cells.saturating_sub(owned) as f64;
        let ghosts = (SHAPE * around).min(rest).round();
        // of the vertices on an inner side one of the two parts is the owner
        let vertices = product(&|inner| inner + 1.0) - product(&|inner| 1.0 - inner.min(1.0));
        let exchange = if ghosts > 0.0 { SHAPE * POINT * vertices } else { 0.0 };
        let messages = NEIGHBOURS.min(count - 1.0);
        let cells = m + ghosts;
        Self {
            ranks,
            owned,
            ghosts: ghosts as usize,
            exchange_bytes: exchange,
            setup_seconds: cells * rates.setup,
            exchange_seconds: exchange / rates.network + messages * rates.latency,
            evaluation_seconds: m * job.result_bytes / rates.evaluation,
            output_bytes: m * job.file_bytes,
            output_seconds: job.cells as f64 * job.file_bytes / rates.file_system,
            memory_bytes: cells * rates.memory + rates.working,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: Job = Job { cells: 1_000_000, result_bytes: 12_288.0, file_bytes: 20_000.0 };

    #[test]
    fn one_rank_has_no_ghosts() {
        let one = Estimate::new(&JOB, &Rates::of_threads(1), 1);
        assert_eq!((one.owned, one.ghosts, one.exchange_bytes), (1_000_000, 0, 0.0));
        assert_eq!(one.exchange_seconds, 0.0);
        assert_eq!(one.output_bytes, 20e9);
    }

    #[test]
    fn more_ranks_take_less_each_and_more_together() {
        let all = [1, 8, 64, 512, 4096].map(|n| Estimate::new(&JOB, &Rates::of_threads(2), n));
        for pair in all.windows(2) {
            assert!(pair[1].owned < pair[0].owned && pair[1].memory_bytes < pair[0].memory_bytes);
            assert!(pair[1].setup_seconds < pair[0].setup_seconds);
            let share = |e: &Estimate| e.ghosts as f64 / e.owned as f64;
            assert!(share(&pair[1]) > share(&pair[0]));
            assert_eq!(pair[1].output_seconds, pair[0].output_seconds);
        }
    }

    #[test]
    fn ghosts_are_cells_of_others() {
        let few = Job { cells: 10, ..JOB };
        for ranks in [2, 10, 1000] {
            let estimate = Estimate::new(&few, &Rates::of_threads(1), ranks);
            assert!(estimate.owned + estimate.ghosts <= 10 && estimate.owned >= 1);
        }
        let none = Estimate::new(&Job { cells: 0, ..JOB }, &Rates::of_threads(1), 3);
        assert_eq!((none.owned, none.ghosts, none.exchange_bytes), (0, 0, 0.0));
    }
}
