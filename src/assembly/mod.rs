//! Matrices and loads of finite elements over a Catmull-Clark solid: mass, stiffness of
//! Poisson's equation, linear elasticity, tractions and body forces.
//!
//! Unknowns are the vertices of the control mesh, or three per vertex. All are sums over the
//! points of a [`Quadrature`], with weights `w` (of the volume, or of the
//! surface), basis functions `N` and their derivatives in space:
//!
//! | | entry of vertices a, b | |
//! |---|---|---|
//! | [`Operator::Mass`] | ρ Σ w Nₐ N_b | one unknown a vertex |
//! | [`Operator::Stiffness`] | κ Σ w ∇Nₐ · ∇N_b | one |
//! | [`Operator::Elasticity`] | Σ w (λ ∂ᵢNₐ ∂ⱼN_b + μ ∂ⱼNₐ ∂ᵢN_b + μ δᵢⱼ ∇Nₐ · ∇N_b) | 3a + i, 3b + j |
//! | [`Operator::Orthotropic`] | Σ w Cᵢₖⱼₗ ∂ₖNₐ ∂ₗN_b | 3a + i, 3b + j |
//!
//! λ = E ν / ((1 + ν)(1 − 2ν)), μ = E / (2 (1 + ν)); C of [`Orthotropic`]. Matrices are exactly symmetric and have the
//! same bits for any number of threads. Work goes piece by piece, so that memory stays near
//! the size of the matrices. Sums of a GPU equal those of the CPU to rounding.
//! [`project`] makes control values from values at the points.
//!
//! ```
//! use subsolid::assembly::{Operator, assemble};
//! use subsolid::backend::Cpu;
//! use subsolid::quadrature::QuadratureScheme;
//! use subsolid::{Quadrature, Solid, Want};
//!
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = Solid::new(&mesh)?;
//! let scheme = QuadratureScheme { gauss: 3, rings: Some(1) };
//! let quadrature = Quadrature::new(&solid, scheme, Want::FIRST)?;
//! let operators = [Operator::Mass { density: 7.8e3 }];
//! let mass = assemble(&Cpu::default(), &quadrature, mesh.controls(), &operators)?.remove(0);
//! let kilograms: f64 = mass.values().iter().sum();
//! assert!(kilograms > 0.0);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod boundary;
mod cell_operators;
mod element;
mod limit_inverse;
mod linear;
mod loads;
mod matrix;
mod matrix_free;
mod orthotropic;
mod projection;
mod source;
mod sums;
mod write;

pub use boundary::{BasisCondition, BoundaryBasis, BoundaryValues, HeldUnknowns, join_interfaces};
pub use cell_operators::CellOperators;
pub(crate) use limit_inverse::{LIMIT_EIGENVALUES, LimitInverse};
pub use linear::assemble_linear;
pub use loads::{PartLoad, body_load, comma_separated, point_load, surface_load, tractions};
pub use matrix::Matrix;
pub use matrix_free::MatrixFree;
pub use orthotropic::{ElasticConstants, Orthotropic};
pub use projection::project;
pub use write::{MatrixFormat, write_matrix};

use std::sync::Arc;

use rayon::prelude::*;

use crate::backend::Backend;
use crate::backend::operations::{AssembledMatrices, MatrixForm};
use crate::error::{Error, Result};
use crate::memory;
use crate::mesh::Controls;
use crate::plan::Cost;
use crate::quadrature::{Mapping, Quadrature};
use matrix::Pattern;
use source::AssemblySource;
use sums::{AssembledLeaves, assemble_forms};

/// A bilinear form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operator {
    /// Mass, by the density.
    Mass {
        /// Mass of a cubed length unit.
        density: f64,
    },
    /// Stiffness of Poisson's equation.
    Stiffness {
        /// Conductivity, > 0.
        conductivity: f64,
    },
    /// Isotropic linear elasticity.
    Elasticity {
        /// Young's modulus E, > 0.
        young: f64,
        /// Poisson's ratio ν, above −1 and below 0.5.
        poisson: f64,
    },
    /// Orthotropic linear elasticity.
    Orthotropic(Orthotropic),
}

impl Operator {
    /// Unknowns of a vertex.
    pub fn width(self) -> usize {
        self.form().width()
    }

    fn form(self) -> MatrixForm {
        match self {
            Self::Mass { density } => MatrixForm::Mass(density),
            Self::Stiffness { conductivity } => MatrixForm::Stiffness(conductivity),
            Self::Elasticity { young, poisson } => {
                let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
                MatrixForm::Elasticity([lambda, young / (2.0 * (1.0 + poisson))])
            }
            Self::Orthotropic(material) => MatrixForm::Anisotropic(material.tensor()),
        }
    }

    /// Whether its unknowns are displacements.
    pub fn is_elastic(self) -> bool {
        matches!(self, Self::Elasticity { .. } | Self::Orthotropic(_))
    }

    /// Names of all kinds of matrices.
    pub const NAMES: [&'static str; 3] = ["mass", "stiffness", "elasticity"];

    /// Name of the matrix, one of [`Operator::NAMES`].
    pub fn name(self) -> &'static str {
        let [mass, stiffness, elasticity] = Self::NAMES;
        match self {
            Self::Mass { .. } => mass,
            Self::Stiffness { .. } => stiffness,
            Self::Elasticity { .. } | Self::Orthotropic(_) => elasticity,
        }
    }

    /// Refuses material constants out of range.
    ///
    /// # Errors
    /// [`Error::Request`] that names them.
    pub fn check(self) -> Result<()> {
        let refused = |what: String, help: &str| Err(Error::request(what).with_help(help));
        match self {
            Self::Orthotropic(material) => material.check(),
            Self::Mass { density: x } | Self::Stiffness { conductivity: x } => {
                if x.is_finite() && x > 0.0 {
                    return Ok(());
                }
                let what = match self {
                    Self::Mass { .. } => "density",
                    _ => "conductivity",
                };
                refused(format!("a {what} of {x}: out of range"), "give a positive number")
            }
            Self::Elasticity { young, poisson } => {
                if young.is_finite() && young > 0.0 && poisson > -1.0 && poisson < 0.5 {
                    return match self.form() {
                        MatrixForm::Elasticity(lame) if lame.iter().any(|x| !x.is_finite()) => {
                            refused(
                                format!(
                                    "Young's modulus {young} and Poisson's ratio {poisson}: the Lamé \
                                 constants are too large for a number"
                                ),
                                "give the modulus in another unit, or a ratio further below 0.5",
                            )
                        }
                        _ => Ok(()),
                    };
                }
                refused(
                    format!("Young's modulus {young} and Poisson's ratio {poisson}: out of range"),
                    "give a modulus above 0, and a ratio above -1 and below 0.5",
                )
            }
        }
    }
}

/// Refuses matrices that would fill the memory.
///
/// # Errors
/// [`Error::Request`] with their size.
pub fn check_memory(quadrature: &Quadrature<'_>, operators: &[Operator]) -> Result<()> {
    memory::check_half("the matrices need", matrix_bytes(quadrature, operators), |_| {
        "ask for one at a time, or for fewer levels of refinement".into()
    })
}

/// Bytes of matrices over a quadrature at most.
pub(crate) fn matrix_bytes(quadrature: &Quadrature<'_>, operators: &[Operator]) -> u128 {
    let blocks = operators.iter().map(|operator| operator.width().pow(2)).sum();
    row_bytes(quadrature.solid().topology().vertex_count(), blocks)
}

/// Bytes of the rows of some vertices, each of which shares leaves with 343 others at most where cells
/// are regular; of `blocks` values a pair.
fn row_bytes(vertices: usize, blocks: usize) -> u128 {
    vertices as u128 * 343 * (4 + 8 * blocks as u128)
}

/// The matrices of some operators, from one pass over the quadrature points on a processor, in
/// double precision.
///
/// # Errors
/// [`Error::Request`] for material constants out of range, a quadrature of the boundary, control
/// points that are not the mesh's, or numbers that overflow; on a device, too little memory.
pub fn assemble(
    backend: &dyn Backend,
    quadrature: &Quadrature<'_>,
    controls: Controls<'_>,
    operators: &[Operator],
) -> Result<Vec<Matrix>> {
    Ok(assemble_with_progress(backend, quadrature, controls, operators, |_| ())?.0)
}

/// [`assemble`] that calls `progress` again and again with the number of quadrature points that
/// have been summed since the last call. Returns the seconds that it took, too: of the kernels of
/// a GPU, by the wall clock on the CPU.
///
/// # Errors
/// As [`assemble`].
pub fn assemble_with_progress(
    backend: &dyn Backend,
    quadrature: &Quadrature<'_>,
    controls: Controls<'_>,
    operators: &[Operator],
    progress: impl FnMut(usize),
) -> Result<(Vec<Matrix>, f64)> {
    check(quadrature, operators)?;
    quadrature.check_controls(controls)?;
    if operators.is_empty() {
        return Ok((Vec::new(), 0.0));
    }
    let forms: Vec<MatrixForm> = operators.iter().map(|operator| operator.form()).collect();
    let (forms, pattern) = (&forms[..], &Arc::new(Pattern::of(quadrature)));
    let mut source = AssemblySource { quadrature, controls, forms, pattern, progress };
    let AssembledMatrices { values, seconds } = backend.operations().assemble(&mut source)?;
    let matrix =
        |(values, form): (_, &MatrixForm)| Matrix::new(pattern.clone(), form.width(), values);
    let matrices: Vec<Matrix> = values.into_iter().zip(forms).map(matrix).collect();
    check_finite(operators, &matrices)?;
    Ok((matrices, seconds))
}

/// The matrix of an operator with materials by cells; `progress` as of [`assemble_with_progress`].
///
/// # Errors
/// As [`assemble`].
pub fn assemble_by_cells(
    mapping: &Mapping<'_>,
    operators: &CellOperators,
    progress: impl FnMut(usize),
) -> Result<Matrix> {
    operators.check()?;
    mapping.quadrature().check_volume()?;
    let forms = [*operators.form(0)];
    let form_of = |cell: u32| std::slice::from_ref(operators.form(cell));
    let pattern = Arc::new(Pattern::of(mapping.quadrature()));
    let leaves = AssembledLeaves::all(mapping.quadrature(), &pattern);
    let matrices = assemble_forms(mapping, leaves, &forms, form_of, progress)?;
    check_finite(&[operators.of(0)], &matrices)?;
    Ok(matrices.into_iter().next().expect("one form"))
}

/// Refuses matrices whose numbers have overflowed.
fn check_finite(operators: &[Operator], matrices: &[Matrix]) -> Result<()> {
    let is_finite = |matrix: &Matrix| matrix.values().par_iter().all(|x| x.is_finite());
    match operators.iter().zip(matrices).find(|(_, matrix)| !is_finite(matrix)) {
        None => Ok(()),
        Some((operator, _)) => Err(overflow(*operator)),
    }
}

/// Numbers of an operator that have overflowed.
fn overflow(operator: Operator) -> Error {
    let name = operator.name();
    Error::request(format!("numbers of the {name} matrix overflow or are not numbers"))
        .with_help("give material constants or the model in other units")
}

/// What the matrices cost on either processor.
pub fn cost(quadrature: &Quadrature<'_>, operators: &[Operator]) -> Cost {
    // derivatives and sums are worth about two more products
    let products: usize = operators.iter().map(|operator| operator.form().products() + 2).sum();
    let pairs = quadrature.batches().iter().enumerate().map(|(b, batch)| {
        let pairs = batch.controls * (batch.controls + 1) / 2;
        batch.leaves.len() * quadrature.samples(b) * pairs
    });
    // a vertex shares leaves with 343 others where cells are regular
    let entries = 343 * quadrature.solid().topology().vertex_count();
    let values: usize = operators.iter().map(|operator| operator.width().pow(2)).sum();
    let on_demand = quadrature.batches().iter().filter(|batch| batch.is_pulled).count();
    Cost::assembly(products * pairs.sum::<usize>(), on_demand, 8 * entries * values)
}

fn check(quadrature: &Quadrature<'_>, operators: &[Operator]) -> Result<()> {
    operators.iter().copied().try_for_each(Operator::check)?;
    quadrature.check_volume()
}
