//! Gauss-Legendre rules on [0, 1].

use std::f64::consts::PI;

use crate::error::{Error, Result};

/// Maximum number of points a [`rule`] may have.
pub const MAX_POINTS: usize = 32;

/// Points and weights of a quadrature rule on [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Points in (0, 1), ascending, symmetric about 1/2.
    pub points: Vec<f64>,
    /// Weights of the points; they are > 0 and sum to 1.
    pub weights: Vec<f64>,
}

/// The Gauss-Legendre rule of `count` points, exact up to degree 2·`count` − 1.
///
/// # Errors
/// `count` is not in 1..=[`MAX_POINTS`].
pub fn rule(count: usize) -> Result<Rule> {
    if !(1..=MAX_POINTS).contains(&count) {
        return Err(Error::request(format!("there is no Gauss rule with {count} points"))
            .with_help(format!("ask for 1 to {MAX_POINTS} points per axis")));
    }
    let mut rule = Rule { points: vec![0.5; count], weights: vec![0.0; count] };
    for i in 0..count.div_ceil(2) {
        // Newton's method from Tricomi's estimate; the middle root is known.
        let mut x = (PI * (i as f64 + 0.75) / (count as f64 + 0.5)).cos();
        if 2 * i + 1 == count {
            x = 0.0;
        }
        let mut slope = legendre(count, x).1;
        for _ in 0..16 {
            let step = legendre(count, x).0 / slope;
            x -= step;
            slope = legendre(count, x).1;
            if step.abs() < 1e-16 {
                break;
            }
        }
        // On [-1, 1] the weight is 2 / ((1 - x²) P'(x)²); [0, 1] is half as long.
        let weight = 1.0 / ((1.0 - x * x) * slope * slope);
        let mirror = count - 1 - i;
        (rule.points[i], rule.points[mirror]) = (0.5 - 0.5 * x, 0.5 + 0.5 * x);
        (rule.weights[i], rule.weights[mirror]) = (weight, weight);
    }
    Ok(rule)
}

/// Legendre polynomial of degree `n` ≥ 1 and its derivative at `x` in (-1, 1).
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 1..n {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0));
    }
    (value, n as f64 * (before - x * value) / (1.0 - x * x))
}
