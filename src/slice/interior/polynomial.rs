//! Polynomials over a rectangle of the plane: where its pixels are in a part, and attributes there.
//!
//! Coefficients are those of products of Chebyshev polynomials, from values at 8 × 8 nodes. Along a
//! row of pixels the polynomials have one variable, and powers are faster.

#![allow(clippy::needless_range_loop)] // lanes index several arrays at once

use std::sync::LazyLock;

use super::Plane;
use super::newton::{LANES, LaneNumbers, NewtonPart};

/// Nodes along a side, and coefficients.
pub const NODES: usize = LANES;
/// Coefficients from here on are the last ones.
const LAST: usize = NODES - 2;

/// Pixels so near to a side, in the part's parameters, are left to Newton's method.
pub const NEAR: f64 = 1e-6;
/// Bounds of polynomials so much farther inside hold in spite of rounding.
const SLACK: f64 = 1e-7;

/// Polynomials over a rectangle of two of the frame's y.
#[derive(Debug)]
pub struct RectangleFit {
    along: [usize; 2],
    // least and largest of the two
    rectangle: [[f64; 2]; 2],
    // u, v, w in the part, then the channels: Chebyshev coefficients [along 1][along 0]
    quantities: Vec<[LaneNumbers; NODES]>,
    // whether u, v, w come near to the sides of the part
    may_leave: [bool; 3],
}

/// Polynomials along some pixels of a row; the variable goes from -1 to 1.
#[derive(Debug)]
pub struct RowFit {
    middle: f64,
    scale: f64,
    // u, v, w in the part, then the channels: coefficients of the powers; those of u, v, w only
    // where they may leave
    quantities: Vec<LaneNumbers>,
    may_leave: [bool; 3],
    inside: [u32; 2],
}

impl RectangleFit {
    /// Polynomials with these coefficients.
    pub fn new(
        along: [usize; 2],
        rectangle: [[f64; 2]; 2],
        quantities: Vec<[LaneNumbers; NODES]>,
    ) -> Self {
        let may_leave = std::array::from_fn(|d| {
            let (middle, all) = (quantities[d][0][0], quantities[d].as_flattened());
            let reach = all[1..].iter().map(|c| c.abs()).sum::<f64>();
            !(middle - reach >= NEAR + SLACK && middle + reach <= 1.0 - NEAR - SLACK)
        });
        Self { along, rectangle, quantities, may_leave }
    }
}

impl RowFit {
    /// Memory for the polynomials of `fit`.
    pub fn new(fit: &RectangleFit) -> Self {
        let quantities = vec![[0.0; LANES]; fit.quantities.len()];
        Self { middle: 0.0, scale: 1.0, quantities, may_leave: [true; 3], inside: [0; 2] }
    }

    /// Restricts the polynomials of `fit` to the `columns` of a row.
    #[inline(always)]
    pub fn restrict(
        &mut self,
        fit: &RectangleFit,
        part: &NewtonPart,
        plane: &Plane<'_>,
        row: u32,
        columns: [u32; 2],
    ) {
        let [first, last] = [columns[0], columns[1] - 1].map(f64::from);
        let (middle, half) = (0.5 * (first + last), (0.5 * (last - first)).max(0.5));
        (self.middle, self.scale) = (middle, 1.0 / half);
        let Tables { nodes, powers, .. } = &*TABLES;
        let [start, end] = [middle, middle + half]
            .map(|column| part.frame.guess(plane.at([column, f64::from(row)])));
        // Chebyshev polynomials at nodes of the row
        let mut basis = [[[0.0; LANES]; NODES]; 2];
        for ((basis, &d), [low, high]) in basis.iter_mut().zip(&fit.along).zip(fit.rectangle) {
            for i in 0..LANES {
                let y = start[d] + nodes[i] * (end[d] - start[d]);
                basis[0][i] = 1.0;
                basis[1][i] = (2.0 * y - (low + high)) / (high - low);
            }
            for k in 2..NODES {
                for i in 0..LANES {
                    basis[k][i] = 2.0 * basis[1][i] * basis[k - 1][i] - basis[k - 2][i];
                }
            }
        }
        let is_needed = |quantity: usize| fit.may_leave.get(quantity) != Some(&false);
        let quantities = self.quantities.iter_mut().zip(&fit.quantities).enumerate();
        for (_, (own, coefficients)) in quantities.filter(|(quantity, _)| is_needed(*quantity)) {
            let mut values = [0.0; LANES];
            for (j, coefficients) in coefficients.iter().enumerate() {
                let mut sum = [0.0; LANES];
                for (k, c) in coefficients.iter().enumerate() {
                    (0..LANES).for_each(|i| sum[i] += c * basis[0][k][i]);
                }
                (0..LANES).for_each(|i| values[i] += sum[i] * basis[1][j][i]);
            }
            *own = [0.0; LANES];
            for (value, powers) in values.iter().zip(powers) {
                (0..LANES).for_each(|k| own[k] += value * powers[k]);
            }
        }
        self.bound(fit.may_leave, columns, half);
    }

    /// Finds which of u, v, w may leave the part, and the columns that none leaves in.
    #[inline(always)]
    fn bound(&mut self, may_leave: [bool; 3], columns: [u32; 2], half: f64) {
        let ([low, high], mut inside) = ([NEAR + SLACK, 1.0 - NEAR - SLACK], [-1.0_f64, 1.0]);
        for d in 0..3 {
            let [constant, slope, ref others @ ..] = self.quantities[d];
            let bend = others.iter().map(|x| x.abs()).sum::<f64>();
            let reach = bend + slope.abs();
            self.may_leave[d] =
                may_leave[d] && !(constant - reach >= low && constant + reach <= high);
            if !self.may_leave[d] {
                continue;
            }
            if slope == 0.0 {
                inside = [1.0, -1.0];
                continue;
            }
            let [a, b] = [low + bend, high - bend].map(|end| (end - constant) / slope);
            let ends = if slope > 0.0 { [a, b] } else { [b, a] };
            inside = [inside[0].max(ends[0]), inside[1].min(ends[1])];
        }
        // saturate; empty where they cross
        let first = (self.middle + inside[0] * half).ceil() as u32;
        let end = (self.middle + inside[1] * half + 1.0).floor() as u32;
        self.inside = [first.max(columns[0]), end.min(columns[1])];
    }

    /// Whether some columns are inside the part for certain, not near its sides.
    #[inline(always)]
    pub fn has_inside(&self, first: u32, count: usize) -> bool {
        self.inside[0] <= first && first as usize + count <= self.inside[1] as usize
    }

    /// Distance of eight columns from the sides of the part, positive inside and negative outside.
    #[inline(always)]
    pub fn inside(&self, variable: &LaneNumbers) -> LaneNumbers {
        let mut inside = [f64::INFINITY; LANES];
        for d in (0..3).filter(|&d| self.may_leave[d]) {
            let t = self.at(d, variable);
            (0..LANES).for_each(|i| inside[i] = inside[i].min(t[i].min(1.0 - t[i])));
        }
        inside
    }

    /// The variable of the polynomials at eight columns.
    #[inline(always)]
    pub fn variable(&self, first: u32) -> LaneNumbers {
        std::array::from_fn(|i| (f64::from(first + i as u32) - self.middle) * self.scale)
    }

    /// A quantity at eight columns.
    #[inline(always)]
    pub fn at(&self, quantity: usize, variable: &LaneNumbers) -> LaneNumbers {
        let powers = &self.quantities[quantity];
        let mut value = [powers[NODES - 1]; LANES];
        for k in (0..NODES - 1).rev() {
            (0..LANES).for_each(|i| value[i] = value[i] * variable[i] + powers[k]);
        }
        value
    }
}

/// Node `i`, from -1 to 1.
#[inline(always)]
pub fn node(i: usize) -> f64 {
    TABLES.nodes[i]
}

/// Maps the range from -1 to 1 to another.
pub fn mix([low, high]: [f64; 2], x: f64) -> f64 {
    0.5 * ((1.0 - x) * low + (1.0 + x) * high)
}

/// Chebyshev coefficients of values at the nodes, unless the last ones are larger than `most`.
#[inline(always)]
pub fn interpolate(values: &[LaneNumbers; NODES], most: f64) -> Option<[LaneNumbers; NODES]> {
    let coefficients = coefficients(values);
    let mut last = 0.0;
    for (j, row) in coefficients.iter().enumerate() {
        let from = if j < LAST { LAST } else { 0 };
        row[from..].iter().for_each(|c| last += c.abs());
    }
    // what is not a number is no answer either
    (last <= most).then_some(coefficients)
}

/// Chebyshev coefficients of values at the nodes.
#[inline(always)]
fn coefficients(values: &[LaneNumbers; NODES]) -> [LaneNumbers; NODES] {
    let table = &TABLES.coefficients;
    let mut coefficients = [[0.0; LANES]; NODES];
    for (values, to_rows) in values.iter().zip(table) {
        let mut row = [0.0; LANES];
        for (value, table) in values.iter().zip(table) {
            (0..LANES).for_each(|k| row[k] += value * table[k]);
        }
        for (own, weight) in coefficients.iter_mut().zip(to_rows) {
            (0..LANES).for_each(|k| own[k] += weight * row[k]);
        }
    }
    coefficients
}

struct Tables {
    /// Zeros of the Chebyshev polynomial of degree 8.
    nodes: LaneNumbers,
    /// From values at the nodes to Chebyshev coefficients, `[node][coefficient]`.
    coefficients: [LaneNumbers; NODES],
    /// To coefficients of the powers, `[node][power]`.
    powers: [LaneNumbers; NODES],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let angle = |i: usize| std::f64::consts::PI * (i as f64 + 0.5) / NODES as f64;
    let weight = |k: usize| if k == 0 { 1.0 } else { 2.0 } / NODES as f64;
    let coefficients: [LaneNumbers; NODES] =
        std::array::from_fn(|i| std::array::from_fn(|k| weight(k) * (k as f64 * angle(i)).cos()));
    // powers of each Chebyshev polynomial
    let mut chebyshev = [[0.0; NODES]; NODES];
    (chebyshev[0][0], chebyshev[1][1]) = (1.0, 1.0);
    for k in 2..NODES {
        for power in 0..NODES {
            let before = if power > 0 { chebyshev[k - 1][power - 1] } else { 0.0 };
            chebyshev[k][power] = 2.0 * before - chebyshev[k - 2][power];
        }
    }
    let power =
        |i: usize, power: usize| (0..NODES).map(|k| coefficients[i][k] * chebyshev[k][power]).sum();
    let powers = std::array::from_fn(|i| std::array::from_fn(|p| power(i, p)));
    Tables { nodes: std::array::from_fn(|i| angle(i).cos()), coefficients, powers }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_found_again() {
        let p = |x: f64| 1.0 - 2.0 * x + 0.5 * x.powi(3) - 0.25 * x.powi(7);
        let q = |y: f64| 3.0 + y * y;
        let nodes = TABLES.nodes;
        let values = nodes.map(|y| nodes.map(|x| p(x) * q(y)));
        let found = coefficients(&values);
        let chebyshev = |k: usize, x: f64| (k as f64 * x.acos()).cos();
        let quantities = vec![[0.0; LANES]];
        let mut line =
            RowFit { middle: 0.0, scale: 1.0, quantities, may_leave: [true; 3], inside: [0; 2] };
        for (power, own) in line.quantities[0].iter_mut().enumerate() {
            *own = (0..NODES).map(|i| values[3][i] * TABLES.powers[i][power]).sum();
        }
        for x in [-0.9, -0.2, 0.4, 1.0] {
            let y = 0.3;
            let terms = (0..64).map(|at| (at / NODES, at % NODES));
            let sum: f64 =
                terms.map(|(j, i)| found[j][i] * chebyshev(i, x) * chebyshev(j, y)).sum();
            assert!((sum - p(x) * q(y)).abs() < 1e-13);
            let along = line.at(0, &[x; LANES])[0];
            assert!((along - p(x) * q(nodes[3])).abs() < 1e-13);
        }
    }
}
