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

#[cfg(test)]
mod tests {
    use super::*;

    /// B-spline `i` of degree `p` over the integer knots at `t`, by the recursion itself.
    fn cox_de_boor(i: i32, p: i32, t: f64) -> f64 {
        let k = f64::from(i);
        if p == 0 {
            return if k <= t && t < k + 1.0 { 1.0 } else { 0.0 };
        }
        let d = f64::from(p);
        (t - k) / d * cox_de_boor(i, p - 1, t)
            + (k + d + 1.0 - t) / d * cox_de_boor(i + 1, p - 1, t)
    }

    /// Derivative of the above: on integer knots a difference of lower splines.
    fn derivative(i: i32, p: i32, order: usize, t: f64) -> f64 {
        match order {
            0 => cox_de_boor(i, p, t),
            _ => derivative(i, p - 1, order - 1, t) - derivative(i + 1, p - 1, order - 1, t),
        }
    }

    #[test]
    fn agrees_with_cox_de_boor() {
        for step in 0..32 {
            let u = f64::from(step) / 32.0;
            for order in Order::ALL {
                let b = weights(order, u);
                let single = weights(order, u as f32);
                for i in 0..4 {
                    // The span [3, 4) meets the splines that start at knots 0 to 3.
                    let exact = derivative(i as i32, 3, order.degree(), 3.0 + u);
                    assert!((b[i] - exact).abs() < 4e-16, "{order:?} {i} {u}");
                    assert!((f64::from(single[i]) - exact).abs() < 3e-7, "{order:?} {i} {u}");
                }
            }
        }
    }

    #[test]
    fn spans_join_twice_differentiably() {
        for order in Order::ALL {
            let (end, start) = (weights(order, 1.0_f64), weights(order, 0.0_f64));
            assert!(end[0].abs() < 1e-16 && start[3].abs() < 1e-16);
            assert!((0..3).all(|i| (end[i + 1] - start[i]).abs() < 1e-15));
        }
    }

    #[test]
    fn folded_ends_equal_phantoms() {
        let p: [f64; 4] = [7.0, -1.25, 0.5, 3.0];
        for (low, high) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut q = p;
            if low {
                q[0] = 2.0 * p[1] - p[2];
            }
            if high {
                q[3] = 2.0 * p[2] - p[1];
            }
            for order in Order::ALL {
                let dot = |b: [f64; 4], p: [f64; 4]| (0..4).map(|i| b[i] * p[i]).sum::<f64>();
                let b = weights(order, 0.3);
                let folded = end(b, low, high);
                assert!((dot(b, q) - dot(folded, p)).abs() < 1e-14);
                assert!((!low || folded[0] == 0.0) && (!high || folded[3] == 0.0));
            }
        }
        // A natural end interpolates its control point, without curvature.
        assert_eq!(end(cubic(0.0), true, false), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(end(cubic_second(0.0), true, false), [0.0; 4]);
    }
}
