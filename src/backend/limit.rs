//! Results of an evaluation.

use std::any::Any;
use std::ops::Range;

use nalgebra::Matrix3;

use crate::numbers::{Precision, Real};
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
    /// How many numbers.
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

    /// The numbers, in precision `T` from now on; those of another precision are dropped.
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

    /// The triple that starts at number 3 `i`.
    pub fn triple(&self, i: usize) -> [f64; 3] {
        std::array::from_fn(|d| self.get(3 * i + d))
    }
}

/// Limit points of a range of elements, or of scattered samples.
///
/// Results of an element are consecutive, u fastest, then v, then w; those of
/// scattered samples stand in the samples' own order.
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
}

impl Limit {
    /// Makes places for the results of some elements; those of an evaluation before keep
    /// their memory.
    pub(super) fn begin(&mut self, elements: Range<usize>, derivatives: usize, attributes: usize) {
        self.elements = elements;
        self.derivatives.resize_with(derivatives, Values::default);
        self.attributes.resize_with(attributes, Values::default);
    }

    /// Number of results.
    pub fn len(&self) -> usize {
        self.positions.len() / 3
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Determinant of the Jacobian d(x, y, z)/d(u, v, w) of every result, if first
    /// derivatives were wanted; NaN where they do not exist.
    pub fn jacobian_determinants(&self) -> Option<Vec<f64>> {
        let [u, v, w] = self.derivatives.get(..3)? else { return None };
        let jacobian = |i| Matrix3::from([u, v, w].map(|d| d.triple(i)));
        // of the transpose, which has the derivatives as rows
        Some((0..self.len()).map(|i| jacobian(i).transpose().determinant()).collect())
    }

    /// For every result whether some wanted derivative does not exist (1) or all do
    /// (0).
    pub fn undefined_derivatives(&self) -> Vec<u8> {
        let undefined = |i: usize| self.derivatives.iter().any(|d| d.get(3 * i).is_nan());
        (0..self.len()).map(|i| u8::from(undefined(i))).collect()
    }
}
