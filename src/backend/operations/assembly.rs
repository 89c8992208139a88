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
    /// Any elastic material: Σ w Cᵢₖⱼₗ ∂ₖNₐ ∂ₗN_b.
    Anisotropic(ElasticTensor),
}

/// The constants C of σ = C ε, xx, yy, zz, xy, yz, xz of the stress over as many of the strain, shears
/// as 2 ε: the lower triangle row by row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticTensor(pub [f64; ElasticTensor::LEN]);

impl ElasticTensor {
    /// Number of constants.
    pub const LEN: usize = 21;

    /// Of an isotropic material with Lamé's λ and μ.
    pub fn isotropic([lambda, mu]: [f64; 2]) -> Self {
        Self::of(|row, column| match (row == column, row.max(column) < 3) {
            (true, true) => lambda + 2.0 * mu,
            (true, false) => mu,
            (false, true) => lambda,
            (false, false) => 0.0,
        })
    }

    /// With the constant of each row and column, from 0 to 5.
    pub fn of(constant: impl Fn(usize, usize) -> f64) -> Self {
        let mut own = [0.0; Self::LEN];
        let places = (0..6).flat_map(|row| (0..=row).map(move |column| (row, column)));
        own.iter_mut().zip(places).for_each(|(to, (row, column))| *to = constant(row, column));
        Self(own)
    }

    /// The constant of a row and a column, from 0 to 5.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        let (low, high) = (row.min(column), row.max(column));
        self.0[high * (high + 1) / 2 + low]
    }

    /// Cᵢₖⱼₗ.
    pub fn component(&self, [i, k]: [usize; 2], [j, l]: [usize; 2]) -> f64 {
        let place = |a: usize, b: usize| if a == b { a } else { [3, 5, 4][a + b - 1] };
        self.at(place(i, k), place(j, l))
    }
}

impl MatrixForm {
    /// Unknowns of a vertex.
    pub fn width(self) -> usize {
        match self {
            Self::Elasticity(_) | Self::Anisotropic(_) => 3,
            _ => 1,
        }
    }

    /// Products that an entry of two vertices sums at a quadrature point.
    pub fn products(self) -> usize {
        match self {
            Self::Mass(_) => 1,
            Self::Stiffness(_) => 3,
            Self::Elasticity(_) | Self::Anisotropic(_) => 9,
        }
    }

    /// What the form is multiplied by: as many numbers of all forms of one kind.
    pub fn constants(&self) -> &[f64] {
        match self {
            Self::Mass(factor) | Self::Stiffness(factor) => std::slice::from_ref(factor),
            Self::Elasticity(lame) => lame,
            Self::Anisotropic(tensor) => &tensor.0,
        }
    }

    /// `FORM` of the kernels.
    pub fn number(&self) -> usize {
        match self {
            Self::Mass(_) => 0,
            Self::Stiffness(_) => 1,
            Self::Elasticity(_) => 2,
            Self::Anisotropic(_) => 3,
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
