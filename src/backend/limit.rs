//! Results of an evaluation.

use std::any::Any;
use std::ops::Range;

use crate::numbers::{Precision, Real};
use crate::plan::{
    Plan, Quantity, Samples, Want, WantedQuantity, wanted_orders, wanted_quantities,
};
use crate::result_buffer::ResultBuffer;

/// Numbers in the precision they were computed in.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Single precision.
    F32(ResultBuffer<f32>),
    /// Double precision.
    F64(ResultBuffer<f64>),
}

impl Default for Values {
    fn default() -> Self {
        Self::F64(ResultBuffer::default())
    }
}

impl Values {
    /// Number of values, of either precision.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number `i` in double precision.
    pub fn get(&self, i: usize) -> f64 {
        match self {
            Self::F32(values) => f64::from(values[i]),
            Self::F64(values) => values[i],
        }
    }

    /// All values in double precision.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The numbers, in precision `T` from now on; numbers of another precision are dropped.
    pub(super) fn numbers<T: Real>(&mut self) -> &mut ResultBuffer<T> {
        match T::PRECISION {
            Precision::F32 if !matches!(self, Self::F32(_)) => {
                *self = Self::F32(ResultBuffer::default())
            }
            Precision::F64 if !matches!(self, Self::F64(_)) => {
                *self = Self::F64(ResultBuffer::default())
            }
            _ => {}
        }
        let numbers: &mut dyn Any = match self {
            Self::F32(numbers) => numbers,
            Self::F64(numbers) => numbers,
        };
        numbers.downcast_mut().expect("`Real` is `f32` or `f64`")
    }

    /// Becomes these numbers.
    pub(super) fn copy_from<T: Real>(&mut self, from: &[T]) {
        self.numbers::<T>().reserve(from.len()).copy_from_slice(from);
    }

    /// Copies some rows, `pairs` of one of `from` and the one here, of arrays of so many rows each.
    fn copy_rows(&mut self, from: &Self, counts: [usize; 2], pairs: &[(usize, usize)]) {
        match from {
            Self::F32(from) => copy_rows(from, self.numbers::<f32>(), counts, pairs),
            Self::F64(from) => copy_rows(from, self.numbers::<f64>(), counts, pairs),
        }
    }

    /// The triple that starts at number 3 `i`.
    pub fn triple(&self, i: usize) -> [f64; 3] {
        std::array::from_fn(|d| self.get(3 * i + d))
    }
}

/// Limit points of a range of elements, or of scattered samples.
///
/// Results of an element are consecutive, u fastest, then v, then w; results of
/// scattered samples are in the samples' own order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limit {
    /// Elements evaluated.
    pub elements: Range<usize>,
    /// Positions `[result][3]`.
    pub positions: Values,
    /// Derivatives wanted, each `[result][3]`: u, v, w, then uu, vv, ww, uv, uw, vw
    /// (see [`crate::plan::wanted_orders`]), with respect to the element's
    /// parameters. NaN where a derivative does not exist, which is at extraordinary
    /// edges and vertices only.
    pub derivatives: Vec<Values>,
    /// Attributes in the order of the control points' own, each `[result][width]`.
    pub attributes: Vec<Values>,
    /// Derivatives of each attribute, as far as they were wanted: `[attribute][derivative]`,
    /// each `[result][width]`, in the order of `derivatives` and NaN where that is.
    pub attribute_derivatives: Vec<Vec<Values>>,
    /// Quantities wanted that follow from derivatives, in the order of [`Quantity::ALL`] and of
    /// the attributes; shapes and units: see [`Quantity`].
    pub quantities: Vec<DerivedQuantity>,
}

/// An array of results and the shape of its rows.
pub(super) struct ResultArray<'l> {
    pub values: &'l mut Values,
    pub width: usize,
    /// What has rows of its own.
    pub quantity: Option<Quantity>,
}

/// All arrays of a limit with attributes of these widths.
pub(super) fn arrays<'l>(limit: &'l mut Limit, widths: &[usize]) -> Vec<ResultArray<'l>> {
    let Limit { positions, derivatives, attributes, attribute_derivatives, quantities, .. } = limit;
    let mut arrays = Vec::new();
    let mut add = |values, width, quantity| arrays.push(ResultArray { values, width, quantity });
    std::iter::once(positions).chain(derivatives).for_each(|values| add(values, 3, None));
    let of_attributes = attributes.iter_mut().zip(attribute_derivatives).zip(widths);
    for ((values, derivatives), &width) in of_attributes {
        std::iter::once(values).chain(derivatives).for_each(|values| add(values, width, None));
    }
    for derived in quantities {
        add(&mut derived.values, derived.wanted.width, Some(derived.wanted.quantity));
    }
    arrays
}

fn copy_rows<T: Real>(
    from: &[T],
    to: &mut ResultBuffer<T>,
    counts: [usize; 2],
    pairs: &[(usize, usize)],
) {
    let width = from.len() / counts[0].max(1);
    let to = to.reserve(width * counts[1]);
    for &(own, place) in pairs {
        to[width * place..][..width].copy_from_slice(&from[width * own..][..width]);
    }
}

/// Number of rows of a quantity, or of results: of a range of elements, or of scattered samples.
pub(super) fn row_count(plan: &Plan<'_>, of: Option<Quantity>, range: &Range<usize>) -> usize {
    match (plan.samples(), of) {
        (Samples::Points(_), _) => range.len(),
        (Samples::Tensor(_), Some(quantity)) => plan.row_count(quantity, range),
        (Samples::Tensor(_), None) => plan.result_count(range),
    }
}

/// A quantity of the results.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedQuantity {
    /// The quantity, and the attribute that it is of.
    pub wanted: WantedQuantity,
    /// Values of the quantity, `[row][width]`: one row for each result or element.
    pub values: Values,
}

impl Limit {
    /// Places for what `want` asks for with attributes of these widths, without results yet.
    pub fn of(want: Want, widths: &[usize]) -> Self {
        let mut limit = Self::default();
        limit.begin(0..0, want, widths);
        limit
    }

    /// Makes room for the results of some elements, with attributes of these widths; earlier
    /// results keep their memory.
    pub(super) fn begin(&mut self, elements: Range<usize>, want: Want, widths: &[usize]) {
        let derivatives = |input: usize| wanted_orders(want.of_input(input)).len() - 1;
        self.elements = elements;
        self.derivatives.resize_with(derivatives(0), Values::default);
        self.attributes.resize_with(widths.len(), Values::default);
        self.attribute_derivatives.resize_with(widths.len(), Vec::new);
        for values in &mut self.attribute_derivatives {
            values.resize_with(derivatives(1), Values::default);
        }
        let wanted = wanted_quantities(want, widths);
        if !self.quantities.iter().map(|derived| derived.wanted).eq(wanted.iter().copied()) {
            let derived = |wanted| DerivedQuantity { wanted, values: Values::default() };
            self.quantities = wanted.into_iter().map(derived).collect();
        }
    }

    /// Becomes a limit of some elements like `from`, and takes over the results of elements of it:
    /// `pairs` of one, counted from the first of `from`, and the one here, counted from the first of
    /// `elements`. The other results stay as they were if there were as many.
    pub(crate) fn copy_elements(
        &mut self,
        elements: Range<usize>,
        from: &Self,
        pairs: &[(usize, usize)],
    ) {
        let counts = [from.elements.len(), elements.len()];
        self.elements = elements;
        self.derivatives.resize_with(from.derivatives.len(), Values::default);
        self.attributes.resize_with(from.attributes.len(), Values::default);
        self.attribute_derivatives.resize_with(from.attribute_derivatives.len(), Vec::new);
        let own = self.attribute_derivatives.iter_mut().zip(&from.attribute_derivatives);
        own.for_each(|(own, from)| own.resize_with(from.len(), Values::default));
        let wanted = |limit: &Self| limit.quantities.iter().map(|d| d.wanted).collect::<Vec<_>>();
        if wanted(self) != wanted(from) {
            let derived = |wanted| DerivedQuantity { wanted, values: Values::default() };
            self.quantities = wanted(from).into_iter().map(derived).collect();
        }
        self.positions.copy_rows(&from.positions, counts, pairs);
        let flat = self.derivatives.iter_mut().chain(&mut self.attributes);
        let flat = flat.zip(from.derivatives.iter().chain(&from.attributes));
        let nested = self.attribute_derivatives.iter_mut().flatten();
        let nested = nested.zip(from.attribute_derivatives.iter().flatten());
        let derived = self.quantities.iter_mut().map(|d| &mut d.values);
        let derived = derived.zip(from.quantities.iter().map(|d| &d.values));
        flat.chain(nested).chain(derived).for_each(|(own, from)| {
            own.copy_rows(from, counts, pairs);
        });
    }

    /// Number of results.
    pub fn len(&self) -> usize {
        self.positions.len() / 3
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// A quantity of the position (`None`) or of an attribute, if it was wanted.
    pub fn quantity(&self, quantity: Quantity, attribute: Option<usize>) -> Option<&Values> {
        let is_it = |w: &WantedQuantity| w.quantity == quantity && w.attribute == attribute;
        self.quantities.iter().find(|d| is_it(&d.wanted)).map(|derived| &derived.values)
    }

    /// As [`Limit::quantity`], to write into.
    pub fn quantity_mut(
        &mut self,
        quantity: Quantity,
        attribute: Option<usize>,
    ) -> Option<&mut Values> {
        let is_it = |w: &WantedQuantity| w.quantity == quantity && w.attribute == attribute;
        self.quantities.iter_mut().find(|d| is_it(&d.wanted)).map(|derived| &mut derived.values)
    }

    /// For every result whether some of its derivatives or gradients does not exist (1) or all
    /// do (0). What is NaN because an attribute itself is not finite there exists.
    pub fn undefined_derivatives(&self) -> Vec<u8> {
        let width_of = |values: &Values| values.len() / self.len().max(1);
        let is_finite = |values: &Values, i: usize| {
            let width = width_of(values);
            (width * i..width * (i + 1)).all(|at| values.get(at).is_finite())
        };
        // a derivative of an attribute exists where the position's of the same order does
        let of_attributes = self.attributes.iter().zip(&self.attribute_derivatives);
        let of_attributes = of_attributes.flat_map(|(attribute, derivatives)| {
            let unknown = derivatives.iter().skip(self.derivatives.len());
            unknown.map(move |values| (values, width_of(values), Some(attribute)))
        });
        let per_result = self.quantities.iter().filter(|d| !d.wanted.quantity.is_per_element());
        let derived = per_result.map(|d| {
            let attribute = d.wanted.attribute.and_then(|a| self.attributes.get(a));
            (&d.values, d.wanted.width, attribute)
        });
        let all: Vec<(&Values, usize, Option<&Values>)> = (self.derivatives.iter())
            .map(|d| (d, 3, None))
            .chain(of_attributes)
            .chain(derived)
            .collect();
        let undefined = |i: usize| {
            all.iter().any(|(values, width, attribute)| {
                values.get(width * i).is_nan() && attribute.is_none_or(|a| is_finite(a, i))
            })
        };
        (0..self.len()).map(|i| u8::from(undefined(i))).collect()
    }
}
