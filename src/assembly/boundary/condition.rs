//! How well unknowns are scaled: functions of bends have small supports in the solid.

use nalgebra::DMatrix;

use super::BoundaryBasis;
use crate::assembly::Matrix;
use crate::interrupt::stop_point;
use crate::numbers::sum::dot;

/// Steps of Lanczos iterations at most.
const MAX_STEPS: usize = 300;
/// Residual at which they end, as a part of the first.
const ENOUGH: f64 = 1e-12;

/// Scales of unknowns, and condition numbers of a matrix with and without them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasisCondition {
    /// 1 / √(entry of the diagonal) for each unknown; 0 for those whose functions are 0 in the solid.
    pub scales: Vec<f64>,
    /// Condition number over control values, as conjugate gradients see it.
    pub controls: f64,
    /// Over unknowns whose functions are scaled.
    pub scaled: f64,
}

impl BoundaryBasis {
    /// The diagonal of Cᵀ M C, `[unknown][width]`.
    fn diagonal(&self, matrix: &Matrix) -> Vec<f64> {
        let width = (matrix.size() / self.is_bend.len().max(1)).max(1);
        let mut diagonal = vec![0.0; matrix.size()];
        let mut row = 0;
        let Ok(()) = matrix.for_each_row(|columns, values| {
            let (vertex, d) = (row / width, row % width);
            row += 1;
            let own: Vec<(u32, f64)> = self.matrix.row(vertex).collect();
            for (&column, value) in columns.iter().zip(values) {
                if column as usize % width != d {
                    continue;
                }
                for (unknown, weight) in self.matrix.row(column as usize / width) {
                    if let Ok(at) = own.binary_search_by_key(&unknown, |&(v, _)| v) {
                        diagonal[unknown as usize * width + d] += own[at].1 * value * weight;
                    }
                }
            }
            Ok::<(), std::convert::Infallible>(())
        });
        diagonal
    }

    /// Scales of the unknowns for a positive definite matrix over control values with one a vertex,
    /// such as the mass, and its condition numbers.
    pub fn condition(&self, matrix: &Matrix) -> BasisCondition {
        let scale = |&d: &f64| if d > 0.0 { d.sqrt().recip() } else { 0.0 };
        let scales: Vec<f64> = self.diagonal(matrix).iter().map(scale).collect();
        let is_used: Vec<f64> =
            matrix.diagonal().iter().map(|&d| f64::from(u8::from(d > 0.0))).collect();
        let controls = condition_number(&is_used, |x, y| matrix.apply(x, y));
        let (mut values, mut sums) = (vec![0.0; scales.len()], vec![0.0; scales.len()]);
        let scaled = condition_number(&scales, |x, y| {
            self.matrix.apply(x, &mut values);
            matrix.apply(&values, &mut sums);
            self.transposed.apply(&sums, y);
        });
        BasisCondition { scales, controls, scaled }
    }
}

/// The condition number of S A S, of diagonal S, where S is not 0: from the tridiagonal matrix of
/// conjugate gradients (Saad, Iterative Methods for Sparse Linear Systems, section 6.7.3).
fn condition_number(scales: &[f64], mut product: impl FnMut(&[f64], &mut [f64])) -> f64 {
    // irregular, and the same on every call
    let start = |(i, scale): (usize, &f64)| match *scale {
        0.0 => 0.0,
        _ => 1.0 + (i as f64 * 1.7).sin(),
    };
    let mut r: Vec<f64> = scales.iter().enumerate().map(start).collect();
    let (mut p, mut scaled, mut q) = (r.clone(), vec![0.0; r.len()], vec![0.0; r.len()]);
    let mut gamma = dot(&r, &r);
    let first = gamma;
    let (mut diagonal, mut beside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut before = None;
    for _ in 0..MAX_STEPS {
        stop_point();
        if gamma <= ENOUGH * ENOUGH * first {
            break;
        }
        scaled.iter_mut().zip(&p).zip(scales).for_each(|((to, x), s)| *to = s * x);
        product(&scaled, &mut q);
        q.iter_mut().zip(scales).for_each(|(q, s)| *q *= s);
        let energy = dot(&p, &q);
        if energy.is_nan() || energy <= 0.0 {
            break;
        }
        let alpha = gamma / energy;
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
        let next = dot(&r, &r);
        let beta = next / gamma;
        let own = before.map_or(0.0, |(alpha, beta): (f64, f64)| beta / alpha);
        diagonal.push(alpha.recip() + own);
        beside.push(beta.sqrt() / alpha);
        before = Some((alpha, beta));
        p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + beta * *p);
        gamma = next;
    }
    let tridiagonal =
        DMatrix::from_fn(diagonal.len(), diagonal.len(), |i, j| match i.abs_diff(j) {
            0 => diagonal[i],
            1 => beside[i.min(j)],
            _ => 0.0,
        });
    let values = tridiagonal.symmetric_eigenvalues();
    if values.is_empty() { 1.0 } else { values.max() / values.min() }
}
