//! Conjugate gradients with multigrid cycles for preconditioner: multigrid levels of aggregates,
//! and solutions by them.

use super::slices::RowSlices;
use super::solver::{WeightMatrix, rows};
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::{CYCLE_THREADS, MAX_GRID_LEVELS, ROUNDS};
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{AGGREGATES, MULTIGRID, Variant};
use crate::backend::cuda::query::steps::{SortStream, THREADS, array, number};
use crate::error::Result;

/// Blocks a multiprocessor: more take longer to wait for one another.
const BLOCKS: u32 = 2;

/// Unknowns of a level that gets no coarser one.
const COARSEST_ROWS: usize = 128;

/// Constants on aggregates of n unknowns make the matrix too stiff by n to this power: the width of
/// an aggregate of a surface, and some more since they are no squares.
const STIFFNESS: f64 = 0.57;

/// A multigrid level in single precision, with room for a cycle; `Level` in
/// `kernels/process/multigrid.cu`.
struct MultigridLevel {
    count: usize,
    // of the level's own rows, or of the matrix
    slices: u64,
    ids: u64,
    weights: Buffer<f32>,
    inverses: Buffer<f32>,
    // to the next level
    aggregates: Buffer<u32>,
    roots: Buffer<u32>,
    load: Buffer<f32>,
    odd: Buffer<f32>,
    even: Buffer<f32>,
    residual: Buffer<f32>,
    _rows: Option<(RowSlices, Buffer<u32>)>,
}

/// The multigrid levels of a matrix of weights.
pub(super) struct MultigridLevels {
    levels: Vec<MultigridLevel>,
}

fn kernels(steps: &SortStream) -> Kernels<'_> {
    Kernels::new(&steps.functions, Variant::new(&AGGREGATES, Precision::F64))
}

/// Aggregates of a level: `Graph` in the kernels, the aggregate of each unknown, the root of each.
struct Aggregates {
    graph: [u64; 4],
    of: Buffer<u32>,
    roots: Buffer<u32>,
    count: usize,
}

impl MultigridLevel {
    fn new(
        steps: &SortStream,
        slices: u64,
        ids: u64,
        weights: Buffer<f32>,
        count: usize,
        rows: Option<(RowSlices, Buffer<u32>)>,
    ) -> Result<Self> {
        let room = || steps.empty::<f32>(count);
        Ok(Self {
            count,
            slices,
            ids,
            weights,
            inverses: room()?,
            aggregates: steps.empty(0)?,
            roots: steps.empty(0)?,
            load: room()?,
            odd: room()?,
            even: Buffer::zeros(&steps.stream, count + 1)?,
            residual: room()?,
            _rows: rows,
        })
    }

    /// Measures the rows, and joins the unknowns into aggregates.
    fn aggregate(&mut self, steps: &mut SortStream) -> Result<Aggregates> {
        let count = self.count;
        let graph = [self.slices, self.ids, self.weights.address(0), count as u64];
        let graph_words = || Argument::Words(Box::new(graph));
        let strongest = steps.empty::<f32>(count)?;
        let each = |steps: &SortStream, name, arguments| {
            steps.enqueue(&[kernels(steps).items(name, count, THREADS, arguments)?])
        };
        each(steps, "measure", vec![graph_words(), array(&self.inverses), array(&strongest)])?;

        let states = Buffer::<u32>::zeros(&steps.stream, count)?;
        let open = Buffer::<u32>::zeros(&steps.stream, ROUNDS + 1)?;
        let arguments = vec![graph_words(), array(&strongest), array(&states), array(&open)];
        let blocks = kernels(steps).resident_blocks("choose_roots", THREADS, 2 * BLOCKS)?;
        let launch = kernels(steps).blocks("choose_roots", blocks, THREADS, arguments)?;
        steps.enqueue_cooperative(&launch)?;

        let (roots_of, numbers) = (steps.empty::<u32>(count)?, steps.empty::<u32>(count + 1)?);
        let arguments = vec![
            graph_words(),
            array(&strongest),
            array(&states),
            array(&roots_of),
            array(&numbers),
        ];
        each(steps, "join", arguments)?;
        steps.scan(&numbers, count)?;
        let coarse = numbers.read_at(&steps.stream, count)? as usize;
        let (of, roots) = (steps.empty(count)?, steps.empty(coarse)?);
        let arguments =
            vec![array(&roots_of), array(&numbers), number(count), array(&of), array(&roots)];
        each(steps, "name", arguments)?;
        Ok(Aggregates { graph, of, roots, count: coarse })
    }

    /// `Level` in the kernels.
    fn words(&self) -> [u64; 11] {
        [
            self.slices,
            self.ids,
            self.weights.address(0),
            self.inverses.address(0),
            self.aggregates.address(0),
            self.roots.address(0),
            self.load.address(0),
            self.odd.address(0),
            self.even.address(0),
            self.residual.address(0),
            self.count as u64,
        ]
    }
}

impl Aggregates {
    /// The level of the aggregates of `finer` unknowns of the previous level.
    fn level(&self, steps: &mut SortStream, finer: usize) -> Result<MultigridLevel> {
        let count = self.count;
        let near = || {
            vec![
                Argument::Words(Box::new(self.graph)),
                array(&self.of),
                array(&self.roots),
                number(count),
            ]
        };
        let each = |steps: &SortStream, name, arguments| {
            steps.enqueue(&[kernels(steps).items(name, count, THREADS, arguments)?])
        };
        let starts = steps.empty::<u32>(count + 1)?;
        let mut arguments = near();
        arguments.push(array(&starts));
        each(steps, "measure_rows", arguments)?;
        steps.scan(&starts, count)?;
        let entries = starts.read_at(&steps.stream, count)? as usize;
        let entries = steps.empty::<u64>(entries)?;
        let ends = steps.empty::<u32>(count + 1)?;
        let mut arguments = near();
        arguments.extend([array(&starts), array(&entries), array(&ends)]);
        each(steps, "gather_rows", arguments)?;
        steps.scan(&ends, count)?;
        let slices = RowSlices::of(steps, &ends, count, None)?;
        let (ids, weights) = (steps.empty::<u32>(slices.items)?, steps.empty(slices.items)?);
        let scale = (count as f64 / finer as f64).powf(STIFFNESS);
        let arguments = vec![
            array(&starts),
            array(&entries),
            array(&ends),
            number(count),
            Argument::Long(scale.to_bits()),
            array(&slices.starts),
            array(&ids),
            array(&weights),
        ];
        each(steps, "fill_rows", arguments)?;
        let (starts, columns) = (slices.starts.address(0), ids.address(0));
        MultigridLevel::new(steps, starts, columns, weights, count, Some((slices, ids)))
    }
}

impl MultigridLevels {
    /// The multigrid levels of the matrix L.
    pub fn new(steps: &mut SortStream, matrix: &WeightMatrix<f64>) -> Result<Self> {
        let count = matrix.diagonal.len();
        let weights = steps.empty::<f32>(matrix.weights.len())?;
        let arguments = vec![array(&matrix.weights), number(matrix.weights.len()), array(&weights)];
        let rounded =
            kernels(steps).items("round_weights", matrix.weights.len(), THREADS, arguments)?;
        steps.enqueue(&[rounded])?;
        let (slices, ids) = (matrix.slices.starts.address(0), matrix.ids.address(0));
        let mut levels = vec![MultigridLevel::new(steps, slices, ids, weights, count, None)?];
        loop {
            let at = levels.len() - 1;
            let level = &mut levels[at];
            let finer = level.count;
            let aggregates = level.aggregate(steps)?;
            // the first level has a coarser one in any case
            let ends =
                finer <= COARSEST_ROWS || aggregates.count == finer || at + 2 > MAX_GRID_LEVELS;
            if at > 0 && ends {
                return Ok(Self { levels });
            }
            let next = aggregates.level(steps, finer)?;
            levels[at].aggregates = aggregates.of;
            levels[at].roots = aggregates.roots;
            levels.push(next);
        }
    }

    /// Finds x so that L x is `load`, which is used up, but for unknowns that are `fixed`: they
    /// stay 0. Returns the iterations that it took, until the norm of the residual has fallen by
    /// `tolerance`.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) if iterations do not end.
    pub fn solve(
        &self,
        steps: &SortStream,
        matrix: &WeightMatrix<f64>,
        fixed: &Buffer<u32>,
        load: Buffer<f64>,
        tolerance: f64,
        x: &Buffer<f64>,
    ) -> Result<usize> {
        let count = matrix.diagonal.len();
        let variant = Variant::new(&MULTIGRID, Precision::F64);
        let kernels = Kernels::new(&steps.functions, variant);
        let first = &self.levels[0];
        let (pivots, inverses) = (steps.empty::<f64>(count)?, steps.empty::<f32>(count)?);
        let aggregates = steps.empty::<u32>(count)?;
        let arguments = vec![
            array(&matrix.diagonal),
            array(fixed),
            array(&first.inverses),
            array(&first.aggregates),
            number(count),
            number(self.levels[1].count),
            array(&pivots),
            array(&inverses),
            array(&aggregates),
        ];
        steps.enqueue(&[kernels.items("fix", count, CYCLE_THREADS, arguments)?])?;
        let mut words: Vec<[u64; 11]> = self.levels.iter().map(MultigridLevel::words).collect();
        words[0][3] = inverses.address(0);
        words[0][4] = aggregates.address(0);
        let words = steps.of(words.as_flattened())?;

        let blocks = kernels.resident_blocks("solve", CYCLE_THREADS, BLOCKS)?;
        let (direction, product) = (steps.empty::<f64>(count)?, steps.empty::<f64>(count)?);
        let partial = steps.empty::<f64>(2 * blocks as usize)?;
        let state = Buffer::<u32>::zeros(&steps.stream, 2 * 3 + 4)?;
        let arguments = vec![
            rows(matrix),
            array(&matrix.diagonal),
            array(&pivots),
            array(&words),
            number(self.levels.len()),
            array(&load),
            array(&direction),
            array(&product),
            array(x),
            Argument::Long(tolerance.to_bits()),
            array(&partial),
            array(&state),
        ];
        let launch = kernels.blocks("solve", blocks, CYCLE_THREADS, arguments)?;
        loop {
            steps.enqueue_cooperative(&launch)?;
            let state = state.read(&steps.stream)?;
            let (iterations, done) = (state[6] as usize, state[8]);
            if done == 1 {
                return Ok(iterations);
            }
            // without a preconditioner they end by here
            if done > 1 || iterations >= 10 * count + 1000 {
                return Err(super::solver::without_end(iterations));
            }
        }
    }
}
