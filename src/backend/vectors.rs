//! Vectors beside a sparse matrix, for iterative solutions.

use crate::error::Result;

/// Vectors of one length on a processor, in double precision, beside a square sparse matrix L.
/// They are numbered from 0; each has `[row][width]` numbers. Made by
/// [`Backend::vectors`](super::Backend::vectors).
///
/// Every processor adds up the same products in the same order: results are equal bit by bit.
///
/// # Errors
/// All methods fail with [`Error::Request`](crate::Error::Request) if a device fails or its memory is
/// too small.
///
/// # Panics
/// All methods but [`Self::start`] panic if a vector is not there.
pub trait SparseVectors {
    /// Makes `count` vectors of zeros, of `width` numbers a row, in place of those before.
    fn start(&mut self, width: usize, count: usize) -> Result<()>;

    /// Copies numbers to a vector.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of them.
    fn set(&mut self, to: usize, values: &[f64]) -> Result<()>;

    /// The numbers of a vector.
    fn read(&self, from: usize) -> Result<Vec<f64>>;

    /// Makes vector `to`, another one, L times vector `from`. Rows of L sum to 1, so sums run
    /// relative to the first entry of each.
    fn apply(&mut self, from: usize, to: usize) -> Result<()>;

    /// Makes vector `to`, another one, Lᵀ times vector `from`.
    fn apply_transposed(&mut self, from: usize, to: usize) -> Result<()>;

    /// Makes vector `to` a · `to` + b · `from` for the factors [a, b] and another vector `from`; an
    /// a of 0 forgets what was there.
    fn combine(&mut self, to: usize, factors: [f64; 2], from: usize) -> Result<()>;

    /// Dot product of two vectors.
    fn dot(&mut self, a: usize, b: usize) -> Result<f64>;

    /// Largest magnitude in a vector; NaN if one is.
    fn largest(&mut self, of: usize) -> Result<f64>;

    /// Seconds since the last [`Self::set`]: device events on a GPU, the wall clock on the CPU.
    fn seconds(&mut self) -> Result<f64>;
}
