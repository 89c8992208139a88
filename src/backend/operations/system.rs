//! Linear systems whose iteration stays on a device.

use std::fmt;

use crate::numbers::Csr;

/// What the system of some leaves ([`LeafProducts`](super::LeafProducts)) has beside them. Vectors are
/// `[unknown][width]`.
pub struct SystemArrays<'a> {
    /// Components of an unknown.
    pub width: usize,
    /// Numbers that stay 0, `[unknown][width]`.
    pub is_fixed: &'a [bool],
    /// The matrix of all other leaves, over numbers; `None` without any.
    pub rest: Option<Csr>,
    /// Control values over unknowns, and the transposed; `None` where they are the same.
    pub basis: Option<[&'a Csr; 2]>,
    /// The preconditioner.
    pub preconditioner: PreconditionerArrays<'a>,
}

/// L⁻¹ K₁⁻¹ L⁻ᵀ, and what is added to it.
pub struct PreconditionerArrays<'a> {
    /// Numbers that stay 0 in it.
    pub is_fixed: &'a [bool],
    /// L and its transposed, over unknowns.
    pub limit: [Csr; 2],
    /// The polynomials for their inverses.
    pub limit_polynomial: Polynomial,
    /// Levels of the V-cycle for K₁⁻¹, the finest first, over numbers.
    pub levels: Vec<LevelArrays<'a>>,
    /// The inverse of the coarsest level's matrix.
    pub coarsest: Vec<f64>,
    /// What a solution of some of the numbers adds, found here.
    pub strip: Option<Strip<'a>>,
}

/// A Chebyshev polynomial: a factor of the first direction, and [a, b] of each further one, a times the
/// direction before and b times the residual.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    /// The first factor.
    pub first: f64,
    /// The others.
    pub steps: Vec<[f64; 2]>,
}

/// A level of a V-cycle.
pub struct LevelArrays<'a> {
    /// Its matrix.
    pub matrix: &'a Csr<f32>,
    /// One over the diagonal.
    pub inverse: &'a [f64],
    /// What smooths, before and after the next level, over the matrix times the inverses.
    pub polynomial: Polynomial,
    /// From the next level to this one.
    pub prolongation: &'a Csr<f32>,
    /// Its transposed.
    pub restriction: &'a Csr<f32>,
}

/// A system of some of the numbers that is solved on the host.
#[derive(Clone, Copy)]
pub struct Strip<'a> {
    /// Which they are, ascending.
    pub numbers: &'a [usize],
    /// Solves.
    pub solve: &'a (dyn Fn(&[f64]) -> Vec<f64> + Sync),
}

impl fmt::Debug for SystemArrays<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemArrays").field("width", &self.width).finish_non_exhaustive()
    }
}
