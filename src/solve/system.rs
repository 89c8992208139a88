//! Linear systems with given values of some unknowns.

use super::operator::DeviceOperator;
use super::{Constraints, LimitPreconditioner, LinearOperator};
use crate::backend::operations::SystemArrays;
use crate::error::{Error, Result};
use crate::mesh::check_value_count;
use crate::numbers::conjugate_gradients::conjugate_gradients;
use crate::numbers::sum::dot;
use crate::numbers::{Iterates, iterate};

/// Unknowns that solve a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The unknowns u, `[unknown][width]`: control values, or those of a basis of theirs.
    pub values: Vec<f64>,
    /// K u − f where unknowns are fixed: what holds them there; 0 elsewhere.
    pub reactions: Vec<f64>,
    /// u · K u / 2: strain energy.
    pub energy: f64,
    /// Iterations of conjugate gradients.
    pub iterations: usize,
    /// Norm of f − K u at the free unknowns, as a part of that before the first iteration.
    pub residual: f64,
}

/// Solves K u = `load` with fixed unknowns at their values, until the error in the norm of the energy
/// is about `tolerance` times the first one. Vectors of the iteration stay on the device of the
/// operator, if it has one and K₁⁻¹ is multigrid.
///
/// # Errors
/// If a device fails;
/// [`Error::Request`] for another number of values, [`Error::Mesh`] where the iteration does not
/// converge: the operator is not positive definite.
pub fn solve(
    operator: &dyn LinearOperator,
    load: &[f64],
    constraints: &Constraints,
    preconditioner: &mut LimitPreconditioner,
    tolerance: f64,
) -> Result<Solution> {
    let width = constraints.width();
    check_value_count(load, width, operator.size() / width)?;
    let mut values = constraints.values().to_vec();
    let mut product = vec![0.0; load.len()];
    operator.apply(&values, &mut product);
    let mut rhs: Vec<f64> = load.iter().zip(&product).map(|(f, k)| f - k).collect();
    constraints.clear(&mut rhs);
    let system = on_device(operator, constraints, preconditioner)?;
    let on_device = system.map(|mut system| iterate(&mut *system, &rhs, tolerance)).transpose()?;
    let found = on_device.unwrap_or_else(|| {
        let apply = |x: &[f64], y: &mut [f64]| {
            operator.apply(x, y);
            constraints.clear(y);
        };
        let precondition = |r: &[f64], z: &mut [f64]| preconditioner.apply(r, z);
        conjugate_gradients(apply, precondition, &rhs, tolerance)
    });
    let found = found.ok_or_else(|| {
        Error::mesh("the iteration does not converge: the stiffness is not positive definite")
            .with_help("unfold the cells, or take more quadrature points")
    })?;
    values.iter_mut().zip(&found.x).for_each(|(value, x)| *value += x);
    operator.apply(&values, &mut product);
    let energy = 0.5 * dot(&values, &product);
    let mut reactions: Vec<f64> = product.iter().zip(load).map(|(k, f)| k - f).collect();
    let mut residual = reactions.clone();
    constraints.clear(&mut residual);
    reactions.iter_mut().zip(&residual).for_each(|(reaction, free)| *reaction -= free);
    let first = dot(&rhs, &rhs).sqrt();
    let residual = if first > 0.0 { dot(&residual, &residual).sqrt() / first } else { 0.0 };
    Ok(Solution { values, reactions, energy, iterations: found.steps, residual })
}

/// The iteration of a system, with its vectors on the device that multiplies the operator; `None` if
/// none does, or K₁⁻¹ is a factor.
///
/// # Errors
/// As [`LeafProducts::system`](crate::backend::operations::LeafProducts::system).
pub fn on_device<'a>(
    operator: &'a dyn LinearOperator,
    constraints: &'a Constraints,
    preconditioner: &'a LimitPreconditioner,
) -> Result<Option<Box<dyn Iterates<Error = Error> + 'a>>> {
    let Some(DeviceOperator { leaves, rest, basis }) = operator.on_device() else {
        return Ok(None);
    };
    let Some(preconditioner) = preconditioner.arrays() else { return Ok(None) };
    let rest = (!rest.is_empty()).then(|| rest.block(&vec![true; rest.size()]));
    let (width, is_fixed) = (constraints.width(), constraints.is_fixed());
    leaves.system(&SystemArrays { width, is_fixed, rest, basis, preconditioner }).map(Some)
}
