//! Derivatives of the basis functions in space: dN/d(x, y, z) and second ones.
//!
//! They are the bulk of all quadrature data, 98 KB a regular cell at 4³ points, and
//! differ from cell to cell; so they are made piece by piece, on request.

use rayon::prelude::*;

use crate::backend::operations::{BasisValues, LeafQuantities, PhysicalDerivatives};
use crate::basis::bspline::SECOND_AXES;

/// Evaluates the derivatives of `basis` where `mapped` stands, into `derivatives`, whose
/// memory is used again. The basis: of the same batch.
///
/// # Panics
/// If it is not.
pub fn physical_derivatives(
    basis: &BasisValues,
    mapped: &LeafQuantities,
    derivatives: &mut PhysicalDerivatives,
) {
    let (samples, controls) = (basis.samples, basis.controls);
    let count = mapped.points.len();
    assert_eq!(count, samples * mapped.leaves.len(), "the basis of the batch");
    derivatives.gradients.resize(3 * count * controls, 0.0);
    let rows = derivatives.gradients.par_chunks_exact_mut(3 * controls);
    rows.zip(&mapped.inverse_jacobians).enumerate().for_each(|(i, (to, inverse))| {
        let from = &basis.gradients[i % samples * 3 * controls..][..3 * controls];
        gradient(from, inverse, to);
    });
    let has_second = !basis.second.is_empty();
    derivatives.second.resize(if has_second { 6 * count * controls } else { 0 }, 0.0);
    let rows = derivatives.second.par_chunks_exact_mut(6 * controls);
    rows.zip(derivatives.gradients.par_chunks_exact(3 * controls)).enumerate().for_each(
        |(i, (to, gradient))| {
            let from = &basis.second[i % samples * 6 * controls..][..6 * controls];
            second(from, gradient, &mapped.second[i], &mapped.inverse_jacobians[i], to);
        },
    );
}

/// dN/dxᵢ = Σⱼ dN/duⱼ duⱼ/dxᵢ, `[3][control]`.
pub(super) fn gradient(from: &[f64], inverse: &[[f64; 3]; 3], to: &mut [f64]) {
    let controls = to.len() / 3;
    let (u, rest) = from.split_at(controls);
    let (v, w) = rest.split_at(controls);
    for (i, to) in to.chunks_exact_mut(controls).enumerate() {
        let [a, b, c] = [0, 1, 2].map(|j| inverse[j][i]);
        for (to, ((u, v), w)) in to.iter_mut().zip(u.iter().zip(v).zip(w)) {
            *to = a * u + b * v + c * w;
        }
    }
}

/// From d²N/duⱼduₖ = Σ dN/dxₘ d²xₘ/duⱼduₖ + Σ d²N/dxₐdx_b dxₐ/duⱼ dx_b/duₖ, `[6][control]`.
fn second(
    from: &[f64],
    gradient: &[f64],
    positions: &[[f64; 3]; 6],
    inverse: &[[f64; 3]; 3],
    to: &mut [f64],
) {
    let controls = to.len() / 6;
    for c in 0..controls {
        let rest: [f64; 6] = std::array::from_fn(|k| {
            let bent: f64 = (0..3).map(|m| gradient[m * controls + c] * positions[k][m]).sum();
            from[k * controls + c] - bent
        });
        let full = |j: usize, k: usize| match (j.min(k), j.max(k)) {
            (j, k) if j == k => rest[j],
            (j, k) => rest[2 + j + k],
        };
        for (row, [a, b]) in SECOND_AXES.into_iter().enumerate() {
            let mut sum = 0.0;
            for j in 0..3 {
                for k in 0..3 {
                    sum += inverse[j][a] * inverse[k][b] * full(j, k);
                }
            }
            to[row * controls + c] = sum;
        }
    }
}
