//! What to evaluate.

use crate::error::{Error, Result};
use crate::limit::Orders;

/// What to evaluate; combine with `|`. Positions and attributes always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Want(u16);

impl Want {
    /// Positions and attributes.
    pub const POSITION: Self = Self(1);
    /// First derivatives of the position with respect to u, v, w.
    pub const FIRST: Self = Self(2 | 1);
    /// Second derivatives uu, vv, ww, uv, uw, vw of the position.
    pub const SECOND: Self = Self(4 | 1);
    /// First derivatives of the position and of all attributes.
    pub const ATTRIBUTE_FIRST: Self = Self(8 | Self::FIRST.0);
    /// First and second derivatives of the position and of all attributes.
    pub const ATTRIBUTE_SECOND: Self = Self(16 | Self::ATTRIBUTE_FIRST.0 | Self::SECOND.0);
    /// Determinant of the Jacobian of every sample, with the first derivatives that it follows
    /// from; see [`Quantity::Determinant`](super::Quantity::Determinant).
    pub const DETERMINANT: Self = Self(32 | Self::FIRST.0);
    /// Minimum determinant of every element, of tensor samples; see
    /// [`Quantity::LeastDeterminant`](super::Quantity::LeastDeterminant).
    pub const LEAST_DETERMINANT: Self = Self(64 | Self::FIRST.0);
    /// Gradients of all attributes in space, with the first derivatives that they follow from;
    /// see [`Quantity::Gradient`](super::Quantity::Gradient).
    pub const GRADIENT: Self = Self(128 | Self::ATTRIBUTE_FIRST.0);

    /// Positions with their derivatives up to an order, and those of all attributes if asked for.
    ///
    /// # Errors
    /// [`Error::Request`] for an order above 2.
    pub fn derivatives(order: usize, of_attributes: bool) -> Result<Self> {
        match (order, of_attributes) {
            (0, _) => Ok(Self::POSITION),
            (1, false) => Ok(Self::FIRST),
            (1, true) => Ok(Self::ATTRIBUTE_FIRST),
            (2, false) => Ok(Self::FIRST | Self::SECOND),
            (2, true) => Ok(Self::ATTRIBUTE_SECOND),
            _ => Err(Error::request(format!("derivatives of order {order}"))
                .with_help("ask for 0, 1 or 2")),
        }
    }

    /// Whether everything in `other` is wanted.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The derivatives wanted of an input: 0 is the positions, all others are attributes. Those
    /// of attributes are the first of those of the positions.
    pub fn of_input(self, input: usize) -> Self {
        let [first, second] = match input {
            0 => [Self::FIRST, Self::SECOND],
            _ => [Self::ATTRIBUTE_FIRST, Self::ATTRIBUTE_SECOND],
        };
        let mut want = Self::POSITION;
        if self.contains(first) {
            want = want | Self::FIRST;
        }
        if self.contains(second) {
            want = want | Self::SECOND;
        }
        want
    }
}

impl std::ops::BitOr for Want {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Derivative orders of the outputs that `want` asks for of positions, in the order of the
/// results: value, then u, v, w, then uu, vv, ww, uv, uw, vw.
pub fn wanted_orders(want: Want) -> Vec<Orders> {
    use crate::basis::bspline::Order::{First, Second, Value};
    let mut orders = vec![[Value; 3]];
    if want.contains(Want::FIRST) {
        orders.extend([[First, Value, Value], [Value, First, Value], [Value, Value, First]]);
    }
    if want.contains(Want::SECOND) {
        orders.extend([[Second, Value, Value], [Value, Second, Value], [Value, Value, Second]]);
        orders.extend([[First, First, Value], [First, Value, First], [Value, First, First]]);
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_attributes_are_the_first_of_those_of_positions() {
        // as `|` combines the constants
        let all = [
            Want::FIRST,
            Want::SECOND,
            Want::ATTRIBUTE_FIRST,
            Want::ATTRIBUTE_SECOND,
            Want::DETERMINANT,
            Want::LEAST_DETERMINANT,
            Want::GRADIENT,
        ];
        for bits in 0..1 << all.len() {
            let chosen = all.into_iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            let want = chosen.fold(Want::POSITION, |want, (_, one)| want | one);
            let [positions, attributes] = [0, 1].map(|input| wanted_orders(want.of_input(input)));
            assert_eq!(positions, wanted_orders(want));
            assert!(positions.starts_with(&attributes), "{want:?}");
        }
    }
}
