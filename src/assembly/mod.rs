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
//!
//! λ = E ν / ((1 + ν)(1 − 2ν)), μ = E / (2 (1 + ν)). Matrices are exactly symmetric and have the
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

mod cell_operators;
mod device;
mod element;
mod linear;
mod loads;
mod matrix;
mod projection;
mod write;

pub use cell_operators::CellOperators;
pub use linear::assemble_linear;
pub use loads::{PartLoad, body_load, comma_separated, point_load, surface_load, tractions};
pub use matrix::Matrix;
pub use projection::project;
pub use write::{MatrixFormat, write_matrix};

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use crate::backend::Backend;
use crate::backend::device::MatrixForm;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::memory;
use crate::mesh::Controls;
use crate::plan::Cost;
use crate::quadrature::{Mapping, Quadrature, QuadratureBatch, physical_derivatives};
use element::{AssemblyWorkspace, LeafMatrices};
use matrix::Pattern;

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
        }
    }

    /// Names of all kinds of matrices.
    pub const NAMES: [&'static str; 3] = ["mass", "stiffness", "elasticity"];

    /// Name of the matrix, one of [`Operator::NAMES`].
    pub fn name(self) -> &'static str {
        let [mass, stiffness, elasticity] = Self::NAMES;
        match self {
            Self::Mass { .. } => mass,
            Self::Stiffness { .. } => stiffness,
            Self::Elasticity { .. } => elasticity,
        }
    }

    /// Refuses material constants out of range.
    ///
    /// # Errors
    /// [`Error::Request`] that names them.
    pub fn check(self) -> Result<()> {
        let refused = |what: String, help: &str| Err(Error::request(what).with_help(help));
        match self {
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
    // a vertex shares leaves with 343 others at most where cells are regular
    let vertices = quadrature.solid().topology().vertex_count() as u128;
    let blocks: u128 = operators.iter().map(|operator| operator.width().pow(2) as u128).sum();
    memory::check_half("the matrices need", vertices * 343 * (4 + 8 * blocks), |_| {
        "ask for one at a time, or for fewer levels of refinement".into()
    })
}

/// Quadrature points of a piece: its derivatives take some 10 MB.
const PIECE_POINTS: usize = 4096;

/// Most numbers of element matrices of a piece, and of all that wait to be added, for each thread.
const MAX_PIECE_NUMBERS: usize = 1 << 20;
const MAX_WAITING_NUMBERS: usize = 1 << 21;

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
    let (matrices, seconds) = match backend.device() {
        Some(device) => {
            let device = (device, backend.info().memory);
            device::assemble(device, quadrature, controls, operators, progress)?
        }
        None => {
            let start = Instant::now();
            let mapping = Mapping::new(quadrature, controls)?;
            let matrices = assemble_mapped(&mapping, operators, progress)?;
            (matrices, start.elapsed().as_secs_f64())
        }
    };
    check_finite(operators, &matrices)?;
    Ok((matrices, seconds))
}

/// The matrices of some operators, by the CPU.
fn assemble_mapped(
    mapping: &Mapping<'_>,
    operators: &[Operator],
    progress: impl FnMut(usize),
) -> Result<Vec<Matrix>> {
    let forms: Vec<MatrixForm> = operators.iter().map(|operator| operator.form()).collect();
    let matrices = assemble_forms(mapping, &forms, |_| &forms, progress)?;
    check_finite(operators, &matrices)?;
    Ok(matrices)
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
    let matrices = assemble_forms(mapping, &forms, form_of, progress)?;
    check_finite(&[operators.of(0)], &matrices)?;
    Ok(matrices.into_iter().next().expect("one form"))
}

/// Matrices of forms that may have other constants in every cell.
fn assemble_forms<'f>(
    mapping: &Mapping<'_>,
    forms: &[MatrixForm],
    forms_of: impl Fn(u32) -> &'f [MatrixForm] + Sync,
    mut progress: impl FnMut(usize),
) -> Result<Vec<Matrix>> {
    let quadrature = mapping.quadrature();
    let (all_leaves, elements) = (quadrature.solid().leaves(), quadrature.solid().elements());
    let pattern = Arc::new(Pattern::of(quadrature));
    let mut matrices: Vec<Matrix> =
        forms.iter().map(|form| Matrix::zeros(pattern.clone(), form.width())).collect();
    // of all element matrices of a group; used again, since fresh memory costs more than sums
    let mut room = Vec::new();
    for group in groups(quadrature, forms) {
        let numbers = |piece: &BatchLeaves| numbers(quadrature, piece, forms);
        let count = group.iter().map(numbers).sum();
        if room.len() < count {
            room.resize(count, 0.0);
        }
        let mut rest = &mut room[..];
        let mut rooms = Vec::with_capacity(group.len());
        for piece in &group {
            let (own, others) = rest.split_at_mut(numbers(piece));
            rooms.push(own);
            rest = others;
        }
        let points = group.iter().map(|(batch, own)| own.len() * quadrature.samples(*batch)).sum();
        let found: Vec<Vec<LeafMatrices<'_>>> = group
            .into_par_iter()
            .zip(rooms)
            .map_init(AssemblyWorkspace::default, |work, ((batch, leaves), room)| {
                stop_point();
                let basis = quadrature.basis(batch);
                mapping.evaluate(batch, leaves.clone(), &mut work.mapped)?;
                physical_derivatives(&basis, &work.mapped, &mut work.derivatives);
                let QuadratureBatch { control_ids: ids, leaves: listed, .. } =
                    &quadrature.batches()[batch];
                let rooms = room.chunks_exact_mut((room.len() / leaves.len()).max(1));
                let own = leaves.zip(rooms).enumerate().map(|(i, (leaf, room))| {
                    stop_point();
                    let ids = &ids[leaf * basis.controls..][..basis.controls];
                    let element = all_leaves[listed[leaf] as usize].element as usize;
                    let forms = forms_of(elements[element].cell);
                    LeafMatrices::new(ids, i, &basis, forms, work, room)
                });
                Ok(own.collect())
            })
            .collect::<Result<_>>()?;
        let mut first = 0;
        for (matrix, form) in matrices.iter_mut().zip(forms) {
            matrix.add(&found, first);
            first += form.width().pow(2);
        }
        progress(points);
    }
    Ok(matrices)
}

/// Refuses matrices whose numbers have overflowed.
fn check_finite(operators: &[Operator], matrices: &[Matrix]) -> Result<()> {
    let is_finite = |matrix: &Matrix| matrix.values().par_iter().all(|x| x.is_finite());
    match operators.iter().zip(matrices).find(|(_, matrix)| !is_finite(matrix)) {
        None => Ok(()),
        Some((operator, _)) => Err(Error::request(format!(
            "numbers of the {} matrix overflow or are not numbers",
            operator.name()
        ))
        .with_help("give material constants or the model in other units")),
    }
}

/// Numbers of the element matrices of a piece.
fn numbers(
    quadrature: &Quadrature<'_>,
    (batch, leaves): &BatchLeaves,
    forms: &[MatrixForm],
) -> usize {
    let widths: usize = forms.iter().map(|form| form.width().pow(2)).sum();
    leaves.len() * quadrature.batches()[*batch].controls.pow(2) * widths
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

/// A batch, and a range of its leaves.
type BatchLeaves = (usize, std::ops::Range<usize>);

/// Pieces whose element matrices wait together.
fn groups(quadrature: &Quadrature<'_>, forms: &[MatrixForm]) -> Vec<Vec<BatchLeaves>> {
    let most = MAX_WAITING_NUMBERS * rayon::current_num_threads();
    let mut groups: Vec<Vec<BatchLeaves>> = Vec::new();
    let mut waiting = usize::MAX;
    for (batch, all) in quadrature.pieces(PIECE_POINTS) {
        let leaf = numbers(quadrature, &(batch, 0..1), forms);
        let step = (MAX_PIECE_NUMBERS / leaf.max(1)).max(1);
        for first in all.clone().step_by(step) {
            let leaves = first..(first + step).min(all.end);
            let own = leaf * leaves.len();
            if waiting.saturating_add(own) > most {
                groups.push(Vec::new());
                waiting = 0;
            }
            waiting += own;
            if let Some(last) = groups.last_mut() {
                last.push((batch, leaves));
            }
        }
    }
    groups
}
