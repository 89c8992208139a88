//! Quantities that follow from the derivatives of an evaluation.

use std::ops::Range;

use super::super::Limit;
use super::super::limit::Values;
use crate::numbers::Real;
use crate::plan::{Plan, QuantityInputs};

/// Evaluates the quantities of `limit`, whose derivatives are there; `widths`: of the
/// attributes.
pub(super) fn evaluate<T: Real>(
    plan: &Plan<'_>,
    elements: &Range<usize>,
    widths: &[usize],
    limit: &mut Limit,
) {
    let Limit { derivatives, attribute_derivatives, quantities, .. } = limit;
    for derived in quantities {
        let wanted = derived.wanted;
        let (attribute, components) = match wanted.attribute {
            Some(index) => (first::<T>(&mut attribute_derivatives[index]), widths[index]),
            None => ([&[][..]; 3], 0),
        };
        let samples = plan.samples_per_element();
        let inputs =
            QuantityInputs { position: first(derivatives), attribute, components, samples };
        let rows = plan.row_count(wanted.quantity, elements);
        let out = derived.values.numbers::<T>().reserve(rows * wanted.width);
        wanted.quantity.evaluate(inputs, out);
    }
}

/// The derivatives by u, v, w.
fn first<T: Real>(derivatives: &mut [Values]) -> [&[T]; 3] {
    let mut all = derivatives.iter_mut().map(|values| &**values.numbers::<T>());
    std::array::from_fn(|_| all.next().unwrap_or(&[]))
}
