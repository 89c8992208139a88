//! Determinant of the Jacobian d(x, y, z)/d(u, v, w).

use super::{QuantityRule, SampleDerivatives};
use crate::plan::Want;

pub(super) static RULE: QuantityRule = QuantityRule {
    want: Want::DETERMINANT,
    name: "det_j",
    kernel: "determinant",
    of_attributes: false,
    per_element: false,
    columns: &[""],
    evaluate: |sampled: &SampleDerivatives<'_>, row: &mut [f64]| {
        // of the transpose, which has the derivatives as rows
        row[0] = sampled.jacobians[0].transpose().determinant();
    },
};
