//! Conjugate gradients on the device: cooperative launches of very many iterations.

use cudarc::driver::DeviceRepr;

use super::slices::RowSlices;
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{SOLVE, Variant};
use crate::backend::cuda::query::steps::{SortStream, array, number};
use crate::error::{Error, Result, option};
use crate::numbers::Real;
use crate::process::surface::Cotangents;

/// `THREADS` in the kernels.
pub(super) fn threads(precision: Precision, columns: usize) -> u32 {
    if precision == Precision::F64 && columns == 3 { 256 } else { 320 }
}

/// Rows of a symmetric matrix L: at its diagonal `diagonal`, else what `weights` have with the
/// other sign; and a diagonal matrix M.
pub(super) struct WeightMatrix<T> {
    pub slices: RowSlices,
    /// Other unknowns of each row in slices, and the weights that they have.
    pub ids: Buffer<u32>,
    pub weights: Buffer<T>,
    // [unknown]
    pub diagonal: Buffer<T>,
    pub masses: Buffer<T>,
}

impl<T> WeightMatrix<T> {
    pub fn products(&self) -> MatrixProducts<'_, T> {
        MatrixProducts {
            slices: &self.slices,
            ids: &self.ids,
            weights: &self.weights,
            diagonal: &self.diagonal,
            masses: &self.masses,
            cotangents: Cotangents::Stored,
        }
    }
}

/// What such a matrix is multiplied by: its own rows, or fans and points.
#[derive(Clone, Copy)]
pub(super) struct MatrixProducts<'m, T> {
    pub slices: &'m RowSlices,
    /// Neighbors with their weights; or fans, and the points, four numbers each.
    pub ids: &'m Buffer<u32>,
    pub weights: &'m Buffer<T>,
    pub diagonal: &'m Buffer<T>,
    pub masses: &'m Buffer<T>,
    pub cotangents: Cotangents,
}

impl<T: Real + DeviceRepr> MatrixProducts<'_, T> {
    fn count(&self) -> usize {
        self.diagonal.len()
    }

    /// `Rows` in the kernels, with these weights.
    fn rows(&self, weights: &Buffer<T>) -> Argument {
        Argument::Words(Box::new([
            self.slices.starts.address(0),
            self.ids.address(0),
            weights.address(0),
            self.count() as u64,
        ]))
    }
}

/// The condition at which iterations end.
#[derive(Clone, Copy, Debug)]
pub(super) enum StopRule {
    /// The norm of the residual has fallen by this.
    Norm(f64),
    /// Every component of the residual is so small beside its unknown; for one column.
    EveryComponent(f64),
}

/// The variant for `columns` right-hand sides.
pub(super) fn variant(precision: Precision, columns: usize, cotangents: Cotangents) -> Variant {
    let recomputes = usize::from(cotangents == Cotangents::Recomputed);
    Variant::new(&SOLVE, precision).with("COLUMNS", columns).with("RECOMPUTES", recomputes)
}

/// product = `stiffness` L times values; 0 for unknowns that are fixed, if any.
pub(super) fn apply<T: Real + DeviceRepr>(
    steps: &SortStream,
    products: MatrixProducts<'_, T>,
    columns: usize,
    stiffness: f64,
    fixed: Option<&Buffer<u32>>,
    of: &Buffer<T>,
    product: &Buffer<T>,
) -> Result<Launch> {
    let kernels =
        Kernels::new(&steps.functions, variant(T::PRECISION, columns, products.cotangents));
    let arguments = vec![
        products.rows(products.weights),
        array(products.diagonal),
        Argument::Long(stiffness.to_bits()),
        Argument::Address(fixed.map_or(0, |fixed| fixed.address(0))),
        array(of),
        array(product),
    ];
    let threads = threads(T::PRECISION, columns);
    kernels.items("apply", products.count(), threads, arguments)
}

/// `Rows` in the kernels, of stored weights.
pub(super) fn rows<T: Real + DeviceRepr>(matrix: &WeightMatrix<T>) -> Argument {
    matrix.products().rows(&matrix.weights)
}

/// `mass` M + `stiffness` L, with the square roots of its diagonal divided out on both sides.
pub(super) struct System<'s, T> {
    products: MatrixProducts<'s, T>,
    columns: usize,
    // one over each root, 0 for unknowns that stay
    roots: Buffer<T>,
    // of the rows; or points, with the factors of the weights
    weights: Buffer<T>,
}

impl<'s, T: Real + DeviceRepr> System<'s, T> {
    /// Unknowns that are `fixed`, or whose diagonal is 0, stay 0.
    pub fn new(
        steps: &SortStream,
        products: MatrixProducts<'s, T>,
        columns: usize,
        mass: f64,
        stiffness: f64,
        fixed: Option<&Buffer<u32>>,
    ) -> Result<Self> {
        let count = products.count();
        let roots = steps.empty::<T>(count)?;
        let weights = steps.empty::<T>(products.weights.len())?;
        let of_diagonal = vec![
            array(products.masses),
            array(products.diagonal),
            Argument::Long(mass.to_bits()),
            Argument::Long(stiffness.to_bits()),
            Argument::Address(fixed.map_or(0, |fixed| fixed.address(0))),
            number(count),
            array(&roots),
        ];
        let of_weights = vec![
            products.rows(products.weights),
            Argument::Long(stiffness.to_bits()),
            array(&roots),
            array(&weights),
        ];
        let system = Self { products, columns, roots, weights };
        let (kernels, threads) = (system.kernels(steps), threads(T::PRECISION, columns));
        steps.enqueue(&[
            kernels.items("find_roots", count, threads, of_diagonal)?,
            kernels.items("scale_weights", count, threads, of_weights)?,
        ])?;
        Ok(system)
    }

    fn kernels<'k>(&self, steps: &'k SortStream) -> Kernels<'k> {
        let variant = variant(T::PRECISION, self.columns, self.products.cotangents);
        Kernels::new(&steps.functions, variant)
    }

    /// Finds x, `[vertex][column]`, so that the system times x is `load`, which is used up; returns
    /// the iterations that it took.
    ///
    /// # Errors
    /// [`Error::Mesh`] if iterations do not end.
    pub fn solve(
        &self,
        steps: &SortStream,
        load: Buffer<T>,
        stop: StopRule,
        x: &Buffer<T>,
    ) -> Result<usize> {
        let (count, columns) = (self.roots.len(), self.columns);
        let (kernels, threads) = (self.kernels(steps), threads(T::PRECISION, columns));
        let scale = |values: &Buffer<T>| {
            let arguments = vec![array(&self.roots), number(count), array(values)];
            steps.enqueue(&[kernels.items("scale", count, threads, arguments)?])
        };
        let blocks = kernels.resident_blocks("solve", threads, u32::MAX)?;
        let stride = if columns == 3 { 4 } else { columns };
        let direction = steps.empty::<T>(count * stride)?;
        let product = steps.empty::<T>(count * columns)?;
        let sums = 3 * columns + 1;
        let partial = steps.empty::<f64>(2 * sums * blocks as usize)?;
        let state = SolverState::new(steps, columns)?;
        let (tolerance, componentwise) = match stop {
            StopRule::Norm(tolerance) => (tolerance, 0),
            StopRule::EveryComponent(tolerance) => (tolerance, 1),
        };
        debug_assert!(componentwise == 0 || columns == 1);
        let arguments = vec![
            self.products.rows(&self.weights),
            array(&self.roots),
            array(&load),
            array(&direction),
            array(&product),
            array(x),
            Argument::Long(tolerance.to_bits()),
            number(componentwise),
            array(&partial),
            array(&state.words),
        ];
        let launch = kernels.blocks("solve", blocks, threads, arguments)?;
        // errors fall by the square root of the condition, which the mesh's width bounds from below
        let most = 10 * count + 1000;
        scale(&load)?;
        loop {
            steps.enqueue_cooperative(&launch)?;
            let (iterations, done) = state.read(steps)?;
            if done == 1 {
                scale(x)?;
                return Ok(iterations);
            }
            if done > 1 || iterations >= most {
                return Err(without_end(iterations));
            }
        }
    }
}

/// The error of iterations that do not end.
pub(super) fn without_end(iterations: usize) -> Error {
    Error::mesh(format!("conjugate gradients did not converge in {iterations} iterations"))
        .with_help(message!(
            "look for very thin triangles or cells, or use ",
            option("backend", "cpu")
        ))
}

/// `State` in the kernels.
struct SolverState {
    words: Buffer<u32>,
    columns: usize,
}

impl SolverState {
    fn new(steps: &SortStream, columns: usize) -> Result<Self> {
        Ok(Self { words: Buffer::zeros(&steps.stream, 2 * 2 * columns + 4)?, columns })
    }

    /// Iterations so far, and whether they have ended.
    fn read(&self, steps: &SortStream) -> Result<(usize, u32)> {
        let words = self.words.read(&steps.stream)?;
        let at = 2 * 2 * self.columns;
        Ok((words[at] as usize, words[at + 2]))
    }
}
