//! Gradient of an attribute in space: ∂f/∂xᵢ = Σⱼ ∂f/∂uⱼ ∂uⱼ/∂xᵢ.

use nalgebra::Vector3;

use super::{QuantityRule, SampleDerivatives, unit_columns};
use crate::plan::Want;

pub(super) static RULE: QuantityRule = QuantityRule {
    want: Want::GRADIENT,
    name: "grad",
    kernel: "gradient",
    of_attributes: true,
    per_element: false,
    columns: &["x", "y", "z"],
    evaluate: gradient,
};

fn gradient(sampled: &SampleDerivatives<'_>, row: &mut [f64]) {
    let (unit, lengths) = unit_columns(&sampled.jacobians[0]);
    let is_regular = unit.determinant().abs() > sampled.rounding;
    let inverse = if is_regular { unit.try_inverse() } else { None };
    let Some(inverse) = inverse else { return row.fill(f64::NAN) };
    let components = row.len() / 3;
    for (c, row) in row.chunks_exact_mut(3).enumerate() {
        let derivative = |d: usize| sampled.derivatives[d * components + c] / lengths[d];
        let found = inverse.tr_mul(&Vector3::from([0, 1, 2].map(derivative)));
        row.copy_from_slice(found.as_slice());
    }
}
