//! Basis weights of the samples on one axis.

use super::buffer::{AlignedBuffer, padded};
use crate::basis::bspline::{self, Order};
use crate::error::{Error, Result};
use crate::numbers::Real;

/// Maximum number of samples along an axis of an element.
pub const MAX_SAMPLES: usize = 64;

/// Cubic weights at the sample parameters of one axis, for each derivative order.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisWeights {
    // weights: [order][sample][control]
    weights: [Vec<[f64; 4]>; 3],
}

impl AxisWeights {
    /// The cubic B-spline at `parameters`, each in [0, 1].
    ///
    /// # Errors
    /// No parameter, more than [`MAX_SAMPLES`], or one outside [0, 1].
    pub fn new(parameters: &[f64]) -> Result<Self> {
        if !(1..=MAX_SAMPLES).contains(&parameters.len()) {
            return Err(Error::request(format!("{} samples on an axis", parameters.len()))
                .with_help(format!("ask for 1 to {MAX_SAMPLES} samples per axis")));
        }
        if let Some(wrong) = parameters.iter().find(|u| !(0.0..=1.0).contains(*u)) {
            return Err(Error::request(format!("sample parameter {wrong} is outside [0, 1]"))
                .with_help("give parameters from 0 to 1"));
        }
        let table = |order| parameters.iter().map(|&u| bspline::weights(order, u)).collect();
        Ok(Self { weights: Order::ALL.map(table) })
    }

    /// These weights for a parameter that runs `factor` times as fast: derivatives of order o grow
    /// by factorᵒ.
    #[must_use]
    pub fn sped_up(mut self, factor: f64) -> Self {
        for (order, table) in self.weights.iter_mut().enumerate() {
            let grown = factor.powi(order as i32);
            table.iter_mut().flatten().for_each(|weight| *weight *= grown);
        }
        self
    }

    /// These weights with the samples in descending order.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.weights.iter_mut().for_each(|table| table.reverse());
        self
    }

    /// Number of samples.
    pub fn samples(&self) -> usize {
        self.weights[0].len()
    }

    /// Weights of derivative `order`: `[sample][control]`.
    pub fn weights(&self, order: Order) -> &[[f64; 4]] {
        &self.weights[order.degree()]
    }

    /// The weights of all orders in `T`; see [`expand`].
    pub(super) fn expand<T: Real>(&self, m: usize) -> (AlignedBuffer<T>, usize) {
        expand(&self.weights, m)
    }

    /// The weights of all orders in `T`: `[order][sample][control]`.
    pub(super) fn narrow<T: Real>(&self) -> [Vec<[T; 4]>; 3] {
        self.weights.each_ref().map(|table| table.iter().map(|b| b.map(T::from_f64)).collect())
    }
}

/// Weights `[order][sample][control]` in `T` as `[order][control][sample, padded]`, every
/// sample's weight repeated for its `m` components. Returns the row length too.
pub(super) fn expand<T: Real>(weights: &[Vec<[f64; 4]>], m: usize) -> (AlignedBuffer<T>, usize) {
    let row = padded(weights[0].len() * m);
    let len = weights.len() * 4 * row;
    let mut out = AlignedBuffer::zeros(len);
    let numbers = out.numbers(len);
    for (order, table) in weights.iter().enumerate() {
        for (sample, weights) in table.iter().enumerate() {
            for (control, &weight) in weights.iter().enumerate() {
                let at = (order * 4 + control) * row + sample * m;
                numbers[at..at + m].fill(T::from_f64(weight));
            }
        }
    }
    (out, row)
}
