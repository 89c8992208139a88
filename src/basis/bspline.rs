//! One span of the uniform cubic B-spline.
//!
//! A span with parameter u in [0, 1] is governed by four control points
//! p₋₁, p₀, p₁, p₂; the functions here give their weights `[4]`, in that order.
//! At a natural end the missing control point is the phantom p₋₁ = 2p₀ − p₁ (or
//! p₂ = 2p₁ − p₀), which [`end`] folds into the weights of those that exist.

use crate::numbers::Real;

/// Weights of the position at `u` in [0, 1]; they are ≥ 0 and sum to 1.
#[inline]
pub fn cubic<T: Real>(u: T) -> [T; 4] {
    let (three, four, six) = (T::from_f64(3.0), T::from_f64(4.0), T::from_f64(6.0));
    let s = T::from_f64(1.0) - u;
    let near = |t: T| (four + t * t * (three * t - six)) / six;
    [s * s * s / six, near(u), near(s), u * u * u / six]
}

/// Weights of the first derivative with respect to `u`; they sum to 0.
#[inline]
pub(crate) fn cubic_derivative<T: Real>(u: T) -> [T; 4] {
    let (half, two, zero) = (T::from_f64(0.5), T::from_f64(2.0), T::from_f64(0.0));
    let s = T::from_f64(1.0) - u;
    let near = |t: T| t * (T::from_f64(1.5) * t - two);
    [zero - half * s * s, near(u), zero - near(s), half * u * u]
}

/// Weights of the second derivative with respect to `u`; they sum to 0.
#[inline]
pub(crate) fn cubic_second<T: Real>(u: T) -> [T; 4] {
    let (two, three) = (T::from_f64(2.0), T::from_f64(3.0));
    let s = T::from_f64(1.0) - u;
    [s, three * u - two, three * s - two, u]
}

/// The weights of derivative `order` 0, 1 or 2; higher ones are refused by the type.
#[inline]
pub fn weights<T: Real>(order: Order, u: T) -> [T; 4] {
    match order {
        Order::Value => cubic(u),
        Order::First | Order::Characteristic => cubic_derivative(u),
        Order::Second => cubic_second(u),
    }
}

/// Order of differentiation along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// Not at all.
    Value,
    /// Once.
    First,
    /// Twice.
    Second,
    /// Once, at an extraordinary edge or vertex in its characteristic parametrization: see
    /// [`crate::guide::exactness`].
    Characteristic,
}

impl Order {
    /// An order of each degree, so that `ALL[i].degree() == i`.
    pub const ALL: [Self; 3] = [Self::Value, Self::First, Self::Second];

    /// How often the function is differentiated.
    pub fn degree(self) -> usize {
        match self {
            Self::Value => 0,
            Self::First | Self::Characteristic => 1,
            Self::Second => 2,
        }
    }
}

/// Axes of the second derivatives uu, vv, ww, uv, uw, vw.
pub const SECOND_AXES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

/// Weights with the phantoms of missing control points folded into the others.
///
/// `low`: p₋₁ is missing; `high`: p₂ is missing. The weight of a missing control
/// point becomes 0: (2b₀ + b₁, b₂ − b₀, b₃) stands in `[1..4]` for a low end.
#[inline]
pub fn end<T: Real>(mut b: [T; 4], low: bool, high: bool) -> [T; 4] {
    let (zero, two) = (T::from_f64(0.0), T::from_f64(2.0));
    if low {
        b = [zero, two * b[0] + b[1], b[2] - b[0], b[3]];
    }
    if high {
        b = [b[0], b[1] - b[3], two * b[3] + b[2], zero];
    }
    b
}
