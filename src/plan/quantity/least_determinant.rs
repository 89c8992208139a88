//! Least determinant of the Jacobian at the samples of an element.

use super::{QuantityRule, SampleDerivatives};
use crate::plan::Want;

pub(super) static RULE: QuantityRule = QuantityRule {
    want: Want::LEAST_DETERMINANT,
    name: "least_det_j",
    kernel: "least_determinant",
    of_attributes: false,
    per_element: true,
    columns: &[""],
    evaluate: |sampled: &SampleDerivatives<'_>, row: &mut [f64]| {
        let determinants = sampled.jacobians.iter().map(|j| j.transpose().determinant());
        // the minimum with NaN is the other number
        row[0] = determinants.fold(f64::NAN, f64::min);
    },
};
