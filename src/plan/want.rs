//! What to evaluate.

use crate::basis::bspline::Order::{self, Characteristic, First, Second, Value};
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
    /// Determinant of the Jacobian of every sample; see
    /// [`Quantity::Determinant`](super::Quantity::Determinant).
    ///
    /// Results have the first derivatives that quantities follow from as well. Where
    /// [`Want::FIRST`] is not wanted too, they are those by [`Order::Characteristic`].
    ///
    /// [`Order::Characteristic`]: crate::basis::bspline::Order::Characteristic
    pub const DETERMINANT: Self = Self(32 | 1);
    /// Minimum determinant of every element, of tensor samples; see
    /// [`Quantity::LeastDeterminant`](super::Quantity::LeastDeterminant).
    pub const LEAST_DETERMINANT: Self = Self(64 | 1);
    /// Gradients of all attributes in space; see
    /// [`Quantity::Gradient`](super::Quantity::Gradient).
    pub const GRADIENT: Self = Self(128 | 1);
    /// Scaled Jacobian of every sample; see
    /// [`Quantity::ScaledJacobian`](super::Quantity::ScaledJacobian).
    pub const SCALED_JACOBIAN: Self = Self(256 | 1);
    /// What [`Quality`](crate::volume::Quality) takes.
    pub const QUALITY: Self = Self(Self::DETERMINANT.0 | Self::SCALED_JACOBIAN.0);

    /// Positions, and all attributes if asked for, with derivatives up to an order.
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

    /// Whether quantities are wanted, which follow from first derivatives.
    pub(crate) fn has_quantities(self) -> bool {
        self.0 >= 32
    }

    /// The derivatives evaluated of an input: 0 is the positions, all others are attributes. Those
    /// of attributes are the first ones of the positions.
    pub fn of_input(self, input: usize) -> Self {
        let [first, second] = match input {
            0 => [Self::FIRST, Self::SECOND],
            _ => [Self::ATTRIBUTE_FIRST, Self::ATTRIBUTE_SECOND],
        };
        let of_quantities = match input {
            0 => self.has_quantities(),
            _ => self.contains(Self::GRADIENT),
        };
        let mut want = Self::POSITION;
        if self.contains(first) || of_quantities {
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

/// Derivative orders of the results that `want` asks for of positions: value, then u, v, w, then
/// uu, vv, ww, uv, uw, vw.
pub fn wanted_orders(want: Want) -> Vec<Orders> {
    orders(want, if want.contains(Want::FIRST) { First } else { Characteristic })
}

/// The orders that are evaluated first, from which quantities follow.
pub(crate) fn evaluated_orders(want: Want) -> Vec<Orders> {
    orders(want, if want.has_quantities() { Characteristic } else { First })
}

fn orders(want: Want, first: Order) -> Vec<Orders> {
    let mut orders = vec![[Value; 3]];
    if want.contains(Want::FIRST) || want.has_quantities() {
        orders.extend([[first, Value, Value], [Value, first, Value], [Value, Value, first]]);
    }
    if want.contains(Want::SECOND) {
        orders.extend([[Second, Value, Value], [Value, Second, Value], [Value, Value, Second]]);
        orders.extend([[First, First, Value], [First, Value, First], [Value, First, First]]);
    }
    orders
}
