//! Sparse matrices of finite elements: products of basis functions and of their derivatives,
//! summed over quadrature points and leaves.

use super::MappingBatch;
use crate::error::Result;

/// What the entries of a matrix are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatrixForm {
    /// A factor times Σ w Nₐ N_b.
    Mass(f64),
    /// A factor times Σ w ∇Nₐ · ∇N_b.
    Stiffness(f64),
    /// Lamé's λ and μ: Σ w (λ ∂ᵢNₐ ∂ⱼN_b + μ ∂ⱼNₐ ∂ᵢN_b + μ δᵢⱼ ∇Nₐ · ∇N_b).
    Elasticity([f64; 2]),
}

impl MatrixForm {
    /// Unknowns of a vertex.
    pub fn width(self) -> usize {
        match self {
            Self::Elasticity(_) => 3,
            _ => 1,
        }
    }

    /// Products that an entry of two vertices sums at a quadrature point.
    pub fn products(self) -> usize {
        match self {
            Self::Mass(_) => 1,
            Self::Stiffness(_) => 3,
            Self::Elasticity(_) => 9,
        }
    }
}

/// Where sparse matrices over vertices have entries.
#[derive(Clone, Copy, Debug)]
pub struct SparsePattern<'a> {
    /// Entries of row `r` are `starts[r]..starts[r + 1]`.
    pub starts: &'a [usize],
    /// Columns of the entries, ascending in each row.
    pub columns: &'a [u32],
}

/// Rows of sparse matrices that the leaves of a batch add to.
#[derive(Clone, Debug, Default)]
pub struct AddedRows {
    /// Vertices, each once.
    pub rows: Vec<u32>,
    /// Row `r` of these adds `entries[starts[r]..starts[r + 1]]`.
    pub starts: Vec<u32>,
    /// Rows of element matrices, leaf times controls plus control, by leaves.
    pub entries: Vec<u32>,
}

/// Matrices of one pattern on a device.
///
/// They begin as zeros. [`Self::add`] is called for some leaves after others, until all are added,
/// then [`Self::read`] for each matrix.
pub trait MatrixAssembly {
    /// Adds the matrices of all leaves of a batch to `rows`, the rows of its control
    /// points. Sums go in the order of calls, rows and entries: the same for any batches.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the device's memory is too small.
    fn add(&mut self, batch: &MappingBatch<'_>, rows: &AddedRows) -> Result<()>;

    /// Copies the values of a matrix to the host, `[entry][width][width]`.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the copy or a sum before it fails.
    fn read(&mut self, matrix: usize, values: &mut [f64]) -> Result<()>;

    /// Seconds that kernels took so far.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if one failed.
    fn seconds(&self) -> Result<f64>;
}
