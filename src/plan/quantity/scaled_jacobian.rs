//! Determinant of the Jacobian over the lengths of its columns.

use super::{QuantityRule, SampleDerivatives, unit_columns};
use crate::plan::Want;

pub(super) static RULE: QuantityRule = QuantityRule {
    want: Want::SCALED_JACOBIAN,
    name: "scaled_jacobian",
    kernel: "scaled_jacobian",
    of_attributes: false,
    per_element: false,
    columns: &[""],
    evaluate: |sampled: &SampleDerivatives<'_>, row: &mut [f64]| {
        row[0] = unit_columns(&sampled.jacobians[0]).0.determinant();
    },
};
