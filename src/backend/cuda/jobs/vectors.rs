//! Vectors beside a sparse matrix on the device, by `kernels/fit/vectors.cu`.

use cudarc::driver::CudaEvent;

use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::{Buffer, timed_event};
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::sources::{VECTORS, Variant};
use crate::backend::cuda::query::steps::{SortStream, array, number};
use crate::backend::{Precision, SparseVectors};
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::mesh::check_value_count;
use crate::numbers::sum::{self, SUM_NUMBERS};
use crate::plan::adjoint::transposed;
use crate::scheme::Stencils;

pub(super) fn variant() -> Variant {
    Variant::new(&VECTORS, Precision::F64)
}

/// A sparse matrix; `Matrix` in the kernels.
struct Matrix {
    starts: Buffer<u64>,
    columns: Buffer<u32>,
    weights: Buffer<f64>,
}

/// Vectors on a GPU.
pub(crate) struct Vectors<'s> {
    steps: SortStream,
    stencils: &'s Stencils,
    rows: Matrix,
    // made when first asked for
    columns: Option<Matrix>,
    vectors: Vec<Buffer<f64>>,
    width: usize,
    sums: Buffer<f64>,
    started: CudaEvent,
}

impl<'s> Vectors<'s> {
    /// Brings a matrix to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small.
    pub fn new(gpu: &Cuda, stencils: &'s Stencils) -> Result<Self> {
        let steps = SortStream::new(gpu)?;
        let (ends, columns, weights) = stencils.arrays();
        let starts = std::iter::once(0).chain(ends.iter().map(|&end| end as u64)).collect();
        Ok(Self {
            rows: Matrix::new(&steps, starts, columns, weights)?,
            columns: None,
            vectors: Vec::new(),
            width: 0,
            sums: steps.empty(0)?,
            started: timed_event(&steps.stream)?,
            steps,
            stencils,
        })
    }

    /// Numbers of a vector.
    fn count(&self) -> usize {
        self.width * self.stencils.len()
    }

    fn product(&self, matrix: &Matrix, is_relative: bool, from: usize, to: usize) -> Result<()> {
        stop_point();
        let arguments = vec![
            Argument::Words(Box::new([
                matrix.starts.address(0),
                matrix.columns.address(0),
                matrix.weights.address(0),
                self.stencils.len() as u64,
            ])),
            number(self.width),
            number(is_relative.into()),
            array(&self.vectors[from]),
            array(&self.vectors[to]),
        ];
        self.steps.each(&VECTORS, "apply", self.count(), arguments)
    }

    /// What a kernel finds of every chunk of some vectors.
    fn chunks(&self, kernel: &'static str, of: &[usize]) -> Result<Vec<f64>> {
        let mut arguments: Vec<Argument> = of.iter().map(|&v| array(&self.vectors[v])).collect();
        arguments.extend([number(self.count()), array(&self.sums)]);
        self.steps.blocks(&VECTORS, kernel, self.sums.len() as u32, arguments)?;
        self.sums.read(&self.steps.stream)
    }
}

impl Matrix {
    fn new(steps: &SortStream, starts: Vec<u64>, columns: &[u32], weights: &[f64]) -> Result<Self> {
        Ok(Self {
            starts: steps.of(&starts)?,
            columns: steps.of(columns)?,
            weights: steps.of(weights)?,
        })
    }
}

impl SparseVectors for Vectors<'_> {
    fn start(&mut self, width: usize, count: usize) -> Result<()> {
        self.width = width;
        if u32::try_from(self.count()).is_err() {
            return Err(Error::request(format!(
                "{width} numbers for each of {} vertices are too many for one device",
                self.stencils.len()
            ))
            .or_cpu());
        }
        self.vectors.clear(); // gives its memory back first
        let zeros = |_| Buffer::zeros(&self.steps.stream, self.count());
        self.vectors = (0..count).map(zeros).collect::<Result<_>>()?;
        self.sums = self.steps.empty(self.count().div_ceil(SUM_NUMBERS))?;
        Ok(())
    }

    fn set(&mut self, to: usize, values: &[f64]) -> Result<()> {
        check_value_count(values, self.width, self.stencils.len())?;
        self.vectors[to].fill(&self.steps.stream, values)?;
        self.started = timed_event(&self.steps.stream)?;
        Ok(())
    }

    fn read(&self, from: usize) -> Result<Vec<f64>> {
        self.vectors[from].read(&self.steps.stream)
    }

    fn apply(&mut self, from: usize, to: usize) -> Result<()> {
        self.product(&self.rows, true, from, to)
    }

    fn apply_transposed(&mut self, from: usize, to: usize) -> Result<()> {
        if self.columns.is_none() {
            let (columns, weights) = transposed(self.stencils, self.stencils.len());
            let starts = columns.starts.iter().map(|&start| start as u64).collect();
            let items: Vec<u32> = columns.items.iter().map(|&item| item as u32).collect();
            self.columns = Some(Matrix::new(&self.steps, starts, &items, &weights)?);
        }
        self.columns.iter().try_for_each(|columns| self.product(columns, false, from, to))
    }

    fn combine(&mut self, to: usize, [a, b]: [f64; 2], from: usize) -> Result<()> {
        let arguments = vec![
            array(&self.vectors[to]),
            Argument::Long(a.to_bits()),
            Argument::Long(b.to_bits()),
            array(&self.vectors[from]),
            number(self.count()),
        ];
        self.steps.each(&VECTORS, "combine", self.count(), arguments)
    }

    fn dot(&mut self, a: usize, b: usize) -> Result<f64> {
        Ok(sum::total(&self.chunks("dot", &[a, b])?))
    }

    fn largest(&mut self, of: usize) -> Result<f64> {
        Ok(sum::largest(&self.chunks("largest", &[of])?))
    }

    fn seconds(&mut self) -> Result<f64> {
        self.steps.seconds_since(&self.started)
    }
}
