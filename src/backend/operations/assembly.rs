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

/// Sparse matrices of one pattern to be summed, for a [`Backend`](crate::Backend) to take.
pub trait MatrixSource {
    /// The matrices by the CPU.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for control points that are not the solid's.
    fn here(&mut self) -> Result<AssembledMatrices>;

    /// Where the matrices have entries.
    fn pattern(&self) -> SparsePattern<'_>;

    /// What their entries are, `[matrix]`.
    fn forms(&self) -> &[MatrixForm];

    /// Positions of the control points.
    fn positions(&self) -> &[[f64; 3]];

    /// Gives all leaves to `add`, some of a batch at a time, and the rows of their control points, for
    /// a device with so many bytes of memory.
    fn add_batches(
        &mut self,
        memory: u64,
        add: &mut dyn FnMut(&MappingBatch<'_>, &AddedRows) -> Result<()>,
    ) -> Result<()>;
}

/// Matrices of a [`MatrixSource`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssembledMatrices {
    /// Values of the entries, `[matrix][entry][width][width]`.
    pub values: Vec<Vec<f64>>,
    /// Seconds that it took: of the kernels of a GPU, by the wall clock on the CPU.
    pub seconds: f64,
}
