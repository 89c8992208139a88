//! Vectors beside a sparse matrix on the CPU: the reference of all others.

use std::mem::take;
use std::time::Instant;

use rayon::prelude::*;

use crate::backend::SparseVectors;
use crate::error::Result;
use crate::mesh::check_value_count;
use crate::numbers::sum;
use crate::plan::adjoint::{IndexRows, transposed};
use crate::scheme::Stencils;

/// Numbers of a work item at least.
const TASK_NUMBERS: usize = 8192;

/// Vectors in memory.
pub(super) struct CpuVectors<'s> {
    rows: &'s Stencils,
    // made when first asked for
    columns: Option<(IndexRows, Vec<f64>)>,
    vectors: Vec<Vec<f64>>,
    width: usize,
    started: Instant,
}

impl<'s> CpuVectors<'s> {
    pub fn new(rows: &'s Stencils) -> Self {
        let (vectors, started) = (Vec::new(), Instant::now());
        Self { rows, columns: None, vectors, width: 0, started }
    }
}

impl SparseVectors for CpuVectors<'_> {
    fn start(&mut self, width: usize, count: usize) -> Result<()> {
        self.width = width;
        self.vectors = vec![vec![0.0; width * self.rows.len()]; count];
        Ok(())
    }

    fn set(&mut self, to: usize, values: &[f64]) -> Result<()> {
        check_value_count(values, self.width, self.rows.len())?;
        self.vectors[to].copy_from_slice(values);
        self.started = Instant::now();
        Ok(())
    }

    fn read(&self, from: usize) -> Result<Vec<f64>> {
        Ok(self.vectors[from].clone())
    }

    fn apply(&mut self, from: usize, to: usize) -> Result<()> {
        let mut out = take(&mut self.vectors[to]);
        self.rows.apply_into(&self.vectors[from], self.width, &mut out);
        self.vectors[to] = out;
        Ok(())
    }

    fn apply_transposed(&mut self, from: usize, to: usize) -> Result<()> {
        let mut out = take(&mut self.vectors[to]);
        let (columns, weights) =
            self.columns.get_or_insert_with(|| transposed(self.rows, self.rows.len()));
        out.fill(0.0);
        columns.gather(&self.vectors[from], self.width, Some(weights), &mut out);
        self.vectors[to] = out;
        Ok(())
    }

    fn combine(&mut self, to: usize, [a, b]: [f64; 2], from: usize) -> Result<()> {
        let mut out = take(&mut self.vectors[to]);
        let pairs = out.par_iter_mut().zip(&self.vectors[from]).with_min_len(TASK_NUMBERS);
        if a == 0.0 {
            pairs.for_each(|(to, from)| *to = b * from);
        } else {
            pairs.for_each(|(to, from)| *to = a * *to + b * from);
        }
        self.vectors[to] = out;
        Ok(())
    }

    fn dot(&mut self, a: usize, b: usize) -> Result<f64> {
        Ok(sum::dot(&self.vectors[a], &self.vectors[b]))
    }

    fn largest(&mut self, of: usize) -> Result<f64> {
        Ok(sum::largest(&self.vectors[of]))
    }

    fn seconds(&mut self) -> Result<f64> {
        Ok(self.started.elapsed().as_secs_f64())
    }
}
