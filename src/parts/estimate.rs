//! What many programs (ranks) that each hold a part would take: a model, as a pure function.

use serde::Serialize;

use crate::plan::cost::{EVALUATED_BYTES_PER_SECOND, QUADRATURE_POINT_SECONDS};
use crate::plan::{Cost, LayersJob};

/// Runs of a Hilbert curve have so much more surface than boxes (measured: `tests/solid/parts.rs`).
const SHAPE: f64 = 1.3;
/// Neighbors of a part that is a cube among cubes.
const NEIGHBORS: f64 = 26.0;
/// Bytes of the coordinates of a control point.
const POINT_BYTES: f64 = 24.0;

/// Bytes of a limit point in double precision.
const RESULT_BYTES: f64 = 24.0;
/// Bytes of a .vtu a hexahedron: ids, offset and kind.
const FILE_CELL_BYTES: f64 = 8.0 * 4.0 + 4.0 + 1.0;
/// Bytes of a .vtu a quadrature point: of its basis too.
const FILE_QUADRATURE_BYTES: f64 = 206.0;
/// Seconds that a thread takes for a cell that refinement makes.
const REFINED_SECONDS: f64 = 0.8e-6;
/// Bytes of memory of a rank beside its part: the setup of a block of the cells, its results and
/// the file of a piece; of layers less.
const BLOCK_BYTES: f64 = 330e6;
const LAYERS_BYTES: f64 = 100e6;
/// Seconds of one thread, and bytes of memory, of a boundary face whose patches are sliced.
const FACE_SECONDS: f64 = 20e-6;
const FACE_BYTES: f64 = 3500.0;
/// Bytes of memory of a cell whose attributes are looked up.
const CELL_BYTES: f64 = 3200.0;
/// Bytes of memory of a pixel, in every thread, and of a value there.
const PIXEL_BYTES: f64 = 3.0;
const VALUE_BYTES: f64 = 14.0;
/// Bytes of the images of a pixel, and of a value there, compressed.
const FILE_PIXEL_BYTES: f64 = 0.01;
const FILE_VALUE_BYTES: f64 = 0.05;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// Cells of the whole mesh.
    pub cells: usize,
    /// Average number of times that a cell is set up.
    pub setups: f64,
    /// Seconds of one thread per cell, beside the setup.
    pub seconds: f64,
    /// Bytes of files that are written a cell.
    pub file_bytes: f64,
    /// Bytes of memory a cell beside the mesh.
    pub cell_bytes: f64,
    /// Bytes of memory of a rank whatever its cells.
    pub rank_bytes: f64,
    /// Bytes of memory of each thread of a rank.
    pub thread_bytes: f64,
}

impl Workload {
    /// Limit points, `samples` along each axis of an element, as hexahedra to `.vtu`. There are so
    /// many `elements` a cell: 1 of hexahedra.
    pub fn evaluation(cells: usize, elements: f64, samples: usize) -> Self {
        let samples = samples as f64;
        let bytes = RESULT_BYTES * samples.powi(3);
        Self {
            setups: 1.0,
            seconds: elements * bytes / EVALUATED_BYTES_PER_SECOND,
            file_bytes: elements * (bytes + FILE_CELL_BYTES * (samples - 1.0).powi(3)),
            ..Self::of_cells(cells)
        }
    }

    /// Layers to images, of a solid with so many boundary faces. Takes all of these for met by
    /// layers.
    pub fn layers(job: LayersJob, boundary_faces: f64) -> Self {
        let [cells, layers, pixels, values] =
            [job.cells.max(1), job.layers.max(1), job.pixels, job.attributes].map(|n| n as f64);
        let faces = boundary_faces / cells;
        Self {
            cells: job.cells,
            setups: 1.0,
            seconds: FACE_SECONDS * faces + Cost::layers(job).cpu / cells,
            file_bytes: pixels * (FILE_PIXEL_BYTES + FILE_VALUE_BYTES * values) / cells,
            cell_bytes: FACE_BYTES * faces + if values > 0.0 { CELL_BYTES } else { 0.0 },
            rank_bytes: LAYERS_BYTES,
            thread_bytes: pixels / layers * (PIXEL_BYTES + VALUE_BYTES * values),
        }
    }

    /// Quadrature of `cells` cells, at `points` points per cell, to `.vtu`: once for the report,
    /// once for the files.
    pub fn quadrature(cells: usize, points: f64) -> Self {
        let (seconds, file_bytes) =
            (2.0 * QUADRATURE_POINT_SECONDS * points, FILE_QUADRATURE_BYTES * points);
        Self { setups: 2.0, seconds, file_bytes, ..Self::of_cells(cells) }
    }

    /// The control mesh refined so often, to `.vtu`.
    pub fn refinement(cells: usize, elements: f64, levels: usize) -> Self {
        // refining a cell that is not a hexahedron makes its elements
        let halvings = if elements > 1.0 { levels.saturating_sub(1) } else { levels };
        let children = elements * 8_f64.powi(halvings as i32);
        let (seconds, file_bytes) =
            (REFINED_SECONDS * children, (RESULT_BYTES + FILE_CELL_BYTES) * children);
        Self { seconds, file_bytes, ..Self::of_cells(cells) }
    }

    /// Work on one block of the cells after another.
    fn of_cells(cells: usize) -> Self {
        let (setups, seconds, file_bytes) = (0.0, 0.0, 0.0);
        Self {
            cells,
            setups,
            seconds,
            file_bytes,
            cell_bytes: 0.0,
            rank_bytes: BLOCK_BYTES,
            thread_bytes: 0.0,
        }
    }
}

/// How fast machines are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Threads of a rank.
    pub threads: f64,
    /// Seconds of one thread that the setup of a cell takes, ghosts included.
    pub setup_seconds_per_cell: f64,
    /// Bytes a second that a rank receives from others.
    pub network: f64,
    /// Seconds until a message arrives.
    pub latency: f64,
    /// Bytes a second that the file system takes from all ranks together.
    pub file_system: f64,
    /// Bytes of memory a cell of a part, ghosts included.
    pub cell_bytes: f64,
}

impl Rates {
    /// Measured rates of ranks with `threads` threads each (`benches/results/parts.json`), a
    /// network of 10 GB/s a rank and a file system of 5 GB/s.
    pub fn of_threads(threads: usize) -> Self {
        Self {
            threads: threads.max(1) as f64,
            setup_seconds_per_cell: 1.1e-6,
            network: 10e9,
            latency: 5e-6,
            file_system: 5e9,
            cell_bytes: 130.0,
        }
    }
}

/// Estimated resources of the most loaded rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// Number of ranks.
    pub ranks: usize,
    /// Number of cells that the rank owns.
    pub owned: usize,
    /// Number of ghost cells: cells of other ranks around its own.
    pub ghosts: usize,
    /// Bytes that the rank receives when control points move.
    pub exchange_bytes: f64,
    /// Time of the setup, in seconds.
    pub setup_seconds: f64,
    /// Time of that exchange, in seconds.
    pub exchange_seconds: f64,
    /// Time of the job itself, without the setup, in seconds.
    pub evaluation_seconds: f64,
    /// Bytes that the rank writes.
    pub output_bytes: f64,
    /// Time until all ranks have written their output, in seconds.
    pub output_seconds: f64,
    /// Memory of the rank, in bytes.
    pub memory_bytes: f64,
}

impl Estimate {
    /// Takes the mesh for a cube of hexahedra that is halved along each axis in turn; runs of a
    /// Hilbert curve have some more surface.
    pub fn new(job: &Workload, rates: &Rates, ranks: usize) -> Self {
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
        let exchange = if ghosts > 0.0 { SHAPE * POINT_BYTES * vertices } else { 0.0 };
        let messages = NEIGHBORS.min(count - 1.0);
        let cells = m + ghosts;
        Self {
            ranks,
            owned,
            ghosts: ghosts as usize,
            exchange_bytes: exchange,
            setup_seconds: cells * job.setups * rates.setup_seconds_per_cell / rates.threads,
            exchange_seconds: exchange / rates.network + messages * rates.latency,
            evaluation_seconds: m * job.seconds / rates.threads,
            output_bytes: m * job.file_bytes,
            output_seconds: job.cells as f64 * job.file_bytes / rates.file_system,
            memory_bytes: cells * (rates.cell_bytes + job.cell_bytes)
                + job.rank_bytes
                + rates.threads * job.thread_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: Workload = Workload {
        cells: 1_000_000,
        setups: 1.0,
        seconds: 1e-5,
        file_bytes: 20_000.0,
        cell_bytes: 0.0,
        rank_bytes: BLOCK_BYTES,
        thread_bytes: 0.0,
    };

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

    /// Peak resident memory of ranks of MPICH: `slice`, `evaluate` of 8 million cells, `quadrature`
    /// of 1.7 million (`benches/results/parts.json` and the guide), in GB by the number of ranks.
    #[test]
    fn memory_is_as_measured() {
        let layers = |cells: usize, [layers, width, height]: [usize; 3], attributes: usize| {
            LayersJob { cells, layers, pixels: layers * width * height, attributes }
        };
        // a box of 200 cells per side; one of 80 x 80 x 256 with an attribute; a bracket refined
        // three times
        let sliced = [
            Workload::layers(layers(8_000_000, [50, 250, 250], 0), 240_000.0),
            Workload::layers(layers(1_638_400, [128, 200, 200], 1), 94_720.0),
            Workload::layers(layers(454_656, [96, 192, 120], 0), 53_248.0),
        ];
        let jobs: [(Workload, &[(usize, f64)]); 5] = [
            (sliced[0], &[(1, 1.92), (2, 1.06), (4, 0.65)]),
            (sliced[1], &[(1, 5.5), (2, 2.9), (4, 1.7)]),
            (sliced[2], &[(1, 0.31), (2, 0.24), (4, 0.19)]),
            (Workload::evaluation(8_000_000, 1.0, 2), &[(1, 1.71), (2, 0.84), (4, 0.59)]),
            (Workload::quadrature(1_728_000, 8.0), &[(1, 0.57), (2, 0.45), (4, 0.38)]),
        ];
        for (job, measured) in jobs {
            for &(ranks, found) in measured {
                let estimate = Estimate::new(&job, &Rates::of_threads(1), ranks).memory_bytes / 1e9;
                assert!((0.75..1.25).contains(&(estimate / found)), "{ranks}: {estimate}");
            }
        }
    }

    #[test]
    fn jobs_grow_with_what_is_asked_for() {
        for elements in [1.0, 4.0] {
            for job in [Workload::evaluation, Workload::refinement] {
                let [few, many] = [2, 3].map(|n| job(100, elements, n));
                assert!(many.seconds > few.seconds && many.file_bytes > few.file_bytes);
            }
        }
        // of a tetrahedron the first level makes its four elements
        let [one, of_tetrahedra] =
            [(1.0, 2), (4.0, 2)].map(|(e, n)| Workload::refinement(100, e, n));
        assert_eq!(of_tetrahedra.file_bytes / one.file_bytes, 0.5);
    }

    #[test]
    fn ghosts_are_cells_of_others() {
        let few = Workload { cells: 10, ..JOB };
        for ranks in [2, 10, 1000] {
            let estimate = Estimate::new(&few, &Rates::of_threads(1), ranks);
            assert!(estimate.owned + estimate.ghosts <= 10 && estimate.owned >= 1);
        }
        let none = Estimate::new(&Workload { cells: 0, ..JOB }, &Rates::of_threads(1), 3);
        assert_eq!((none.owned, none.ghosts, none.exchange_bytes), (0, 0, 0.0));
    }
}
