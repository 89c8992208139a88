//! A part as polynomials over the plane: where pixels are in it, and its attributes there.
//!
//! # Theory
//! On a part that is nearly affine (u, v, w) and attributes are analytic functions of the place in
//! the plane. They are interpolated at 8 × 8 Chebyshev nodes of a rectangle of the frame's y, where
//! Newton's method finds them. The last coefficients tell how well that went (Trefethen,
//! Approximation Theory and Approximation Practice, 2013, chapter 8): where they are too large the
//! rectangle is quartered, and rectangles of few pixels are left to Newton's method. Along a row of
//! pixels the polynomials have one variable.
//!
//! Values differ from those at the pixel by some 10⁻⁹ of the attribute's range, parameters by as
//! much. Pixels within 10⁻⁶ of the sides of the part are left to Newton's method, too. So each pixel
//! is in the element where it would be without polynomials.

#![allow(clippy::needless_range_loop)] // lanes index several arrays at once

use std::sync::LazyLock;

use super::Plane;
use super::newton::{LANES, Lanes, NewtonPart, ROUNDED, settle};
use crate::locate::{AttributePieces, LocatorPieces, MARGIN};

/// Nodes along a side, and coefficients.
const NODES: usize = LANES;
/// Coefficients from here on are the last ones.
const LAST: usize = NODES - 2;
/// What the last coefficients may be, of parameters, and of attributes as a part of their range.
const TOLERANCE: f64 = 1e-7;
/// What rounding does to them, as a part of the largest value.
const ROUNDING: f64 = 1e-13;
/// Pixels so near to a side, in the part's parameters, are left to Newton's method.
pub const NEAR: f64 = 1e-6;
/// Rectangles of fewer pixels are, too.
const FEW_PIXELS: f64 = 150.0;
/// How often a rectangle is quartered.
const QUARTERINGS: u32 = 4;

/// A box of the frame's y, and what is in the plane there.
#[derive(Debug)]
pub struct Region {
    /// Least and largest y.
    pub sides: [[f64; 2]; 3],
    /// Rows whose pixels may be in it.
    pub rows: [u32; 2],
    /// None where pixels are decided one by one.
    pub fit: Option<Fit>,
}

/// Polynomials over a rectangle of two of the frame's y.
#[derive(Debug)]
pub struct Fit {
    along: [usize; 2],
    // least and largest of the two
    rectangle: [[f64; 2]; 2],
    // u, v, w in the part, then the channels: Chebyshev coefficients [along 1][along 0]
    quantities: Vec<[Lanes; NODES]>,
}

/// Where pixels are in the frame of a part: y = origin + column · by[0] + row · by[1].
struct Lattice {
    origin: [f64; 3],
    by: [[f64; 3]; 2],
}

/// Polynomials along some pixels of a row; the variable goes from -1 to 1.
#[derive(Debug)]
pub struct Line {
    middle: f64,
    scale: f64,
    // u, v, w in the part, then the channels: coefficients of the powers
    quantities: Vec<Lanes>,
}

/// The regions of a part whose pixels are in `rows`, with these attributes.
pub fn regions(
    pieces: &LocatorPieces<'_>,
    plane: &Plane<'_>,
    (piece, part): (usize, &NewtonPart),
    attributes: &[AttributePieces],
    rows: [u32; 2],
) -> Vec<Region> {
    let lattice = Lattice::new(part, plane);
    let area = |[a, b]: [usize; 2]| {
        let [c, r] = &lattice.by;
        (c[a] * r[b] - c[b] * r[a]).abs()
    };
    let pairs = [[0, 1], [0, 2], [1, 2]];
    let along = pairs.into_iter().fold(pairs[0], |m, p| if area(p) > area(m) { p } else { m });
    let pixel = area(along);
    let fitting = Fitting { pieces, plane, piece, part, attributes, rows, lattice, along, pixel };
    let mut regions = Vec::new();
    pulp::Arch::new().dispatch(Covering { fitting, regions: &mut regions });
    regions
}

/// A part covered by regions, compiled for the widest vectors that the machine has.
struct Covering<'b, 'a, 's> {
    fitting: Fitting<'a, 's>,
    regions: &'b mut Vec<Region>,
}

impl pulp::NullaryFnOnce for Covering<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { fitting, regions } = self;
        // rectangles, and how often they may still be quartered; the next one last
        let mut rest = vec![(fitting.part.sides(), QUARTERINGS)];
        while let Some((sides, quarterings)) = rest.pop() {
            match fitting.next(&sides, quarterings) {
                Next::Skip => {}
                Next::Take(fit) => {
                    regions.push(Region { sides, rows: fitting.rows(&sides), fit });
                }
                Next::Quarter => {
                    let quarters = fitting.quarters(sides).into_iter().rev();
                    rest.extend(quarters.map(|quarter| (quarter, quarterings - 1)));
                }
            }
        }
    }
}

/// What to do with a rectangle.
enum Next {
    /// Nothing of the part is in the plane there.
    Skip,
    /// It is a region.
    Take(Option<Fit>),
    /// It is too large for polynomials.
    Quarter,
}

struct Fitting<'a, 's> {
    pieces: &'a LocatorPieces<'s>,
    plane: &'a Plane<'a>,
    piece: usize,
    part: &'a NewtonPart,
    attributes: &'a [AttributePieces],
    rows: [u32; 2],
    lattice: Lattice,
    along: [usize; 2],
    // area of a pixel in the two y
    pixel: f64,
}

impl Fitting<'_, '_> {
    #[inline(always)]
    fn next(&self, sides: &[[f64; 2]; 3], quarterings: u32) -> Next {
        let [a, b] = self.along;
        let across = 3 - a - b;
        let length = |d: usize| sides[d][1] - sides[d][0];
        let [low, high] = self.across(sides, across);
        let [bottom, top] = sides[across];
        if low > top + ROUNDED || high < bottom - ROUNDED {
            return Next::Skip;
        }
        let is_small = length(a) * length(b) < FEW_PIXELS * self.pixel;
        if quarterings == 0 || is_small || self.pixel == 0.0 {
            return Next::Take(None);
        }
        // nodes far outside have no parameters
        if low > -MARGIN
            && high < 1.0 + MARGIN
            && let Some(fit) = self.fit(sides)
        {
            return Next::Take(Some(fit));
        }
        Next::Quarter
    }

    fn quarters(&self, sides: [[f64; 2]; 3]) -> [[[f64; 2]; 3]; 4] {
        [0, 1, 2, 3].map(|quarter| {
            let mut own = sides;
            for (i, &d) in self.along.iter().enumerate() {
                let [low, high] = sides[d];
                let middle = 0.5 * (low + high);
                own[d] = if quarter >> i & 1 == 0 { [low, middle] } else { [middle, high] };
            }
            own
        })
    }

    /// Column and row at the corners of a rectangle.
    fn corners(&self, sides: &[[f64; 2]; 3]) -> [[f64; 2]; 4] {
        let [a, b] = self.along;
        [0, 1, 2, 3].map(|corner: usize| {
            self.lattice.pixel(self.along, [sides[a][corner & 1], sides[b][corner >> 1]])
        })
    }

    /// Least and largest of the third y over a rectangle.
    fn across(&self, sides: &[[f64; 2]; 3], across: usize) -> [f64; 2] {
        let corners = self.corners(sides).map(|pixel| self.lattice.at(pixel)[across]);
        corners
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &y| [low.min(y), high.max(y)])
    }

    /// Rows that may have pixels in a rectangle.
    fn rows(&self, sides: &[[f64; 2]; 3]) -> [u32; 2] {
        let [first, end] = self.rows;
        if self.pixel == 0.0 {
            return self.rows;
        }
        let rows = self.corners(sides).map(|[_, row]| row);
        let low = rows.iter().fold(f64::INFINITY, |low, &row| low.min(row));
        let high = rows.iter().fold(f64::NEG_INFINITY, |high, &row| high.max(row));
        // saturate; a row more on either side for rounding
        [first.max((low - 1.0) as u32), end.min((high + 2.0) as u32)]
    }

    /// Interpolates over a rectangle; nothing if that is not good enough.
    #[inline(always)]
    fn fit(&self, sides: &[[f64; 2]; 3]) -> Option<Fit> {
        let places = self.nodes(sides)?;
        let mut quantities = Vec::new();
        for d in 0..3 {
            let values: [Lanes; NODES] = std::array::from_fn(|j| places[j].map(|t| t[d]));
            quantities.push(interpolate(&values, TOLERANCE)?);
        }
        let NewtonPart { origin, size, .. } = self.part;
        let in_element = |t: &[f64; 3]| std::array::from_fn(|d| origin[d] + size[d] * t[d]);
        let parameters: Vec<[f64; 3]> = places.as_flattened().iter().map(in_element).collect();
        for attribute in self.attributes {
            let width = attribute.width;
            let mut values = vec![0.0; parameters.len() * width];
            self.pieces.attributes_at(attribute, self.piece, &parameters, &mut values);
            for (component, &[low, high]) in attribute.ranges.iter().enumerate() {
                let value = |j: usize, i: usize| values[(NODES * j + i) * width + component];
                let values = std::array::from_fn(|j| std::array::from_fn(|i| value(j, i)));
                let rounding = ROUNDING * low.abs().max(high.abs());
                quantities.push(interpolate(&values, TOLERANCE * (high - low) + rounding)?);
            }
        }
        Some(Fit { along: self.along, rectangle: self.along.map(|d| sides[d]), quantities })
    }

    /// The part's parameters at the nodes of a rectangle, `[along 1][along 0]`, if Newton's method
    /// finds them.
    #[inline(always)]
    fn nodes(&self, sides: &[[f64; 2]; 3]) -> Option<[[[f64; 3]; NODES]; NODES]> {
        let [a, b] = self.along;
        let mut places = [[[0.0; 3]; NODES]; NODES];
        // what parameters differ from y by
        let mut off = [[0.0; LANES]; 3];
        for (j, places) in places.iter_mut().enumerate() {
            let (mut x, mut t) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
            for i in 0..NODES {
                let y = [mix(sides[a], TABLES.nodes[i]), mix(sides[b], TABLES.nodes[j])];
                let point = self.plane.at(self.lattice.pixel(self.along, y));
                let y = self.part.frame.guess(point);
                for d in 0..3 {
                    x[d][i] = point[d];
                    t[d][i] = y[d] + off[d][i];
                    off[d][i] = -y[d];
                }
            }
            let settled = settle(self.part, &x, &mut t, &[true; LANES]);
            for i in 0..NODES {
                if !settled[i] {
                    return None;
                }
                places[i] = [t[0][i], t[1][i], t[2][i]];
                (0..3).for_each(|d| off[d][i] += t[d][i]);
            }
        }
        Some(places)
    }
}

impl Lattice {
    fn new(part: &NewtonPart, plane: &Plane<'_>) -> Self {
        let origin = part.frame.guess(plane.centre(0, 0));
        let slope = |axis: usize| part.frame.inverse.map(|row| plane.grid.pitch * row[axis]);
        Self { origin, by: plane.axis.plane().map(slope) }
    }

    /// The frame's y at a column and row.
    fn at(&self, [column, row]: [f64; 2]) -> [f64; 3] {
        std::array::from_fn(|d| self.origin[d] + column * self.by[0][d] + row * self.by[1][d])
    }

    /// The column and row where two y are these.
    fn pixel(&self, [a, b]: [usize; 2], y: [f64; 2]) -> [f64; 2] {
        let [c, r] = &self.by;
        let scale = 1.0 / (c[a] * r[b] - c[b] * r[a]);
        let [p, q] = [y[0] - self.origin[a], y[1] - self.origin[b]];
        [(p * r[b] - q * r[a]) * scale, (c[a] * q - c[b] * p) * scale]
    }
}

impl Line {
    /// Memory for the polynomials of `fit`.
    pub fn new(fit: &Fit) -> Self {
        Self { middle: 0.0, scale: 1.0, quantities: vec![[0.0; LANES]; fit.quantities.len()] }
    }

    /// Restricts the polynomials of `fit` to the `columns` of a row.
    #[inline(always)]
    pub fn restrict(
        &mut self,
        fit: &Fit,
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
        for (own, coefficients) in self.quantities.iter_mut().zip(&fit.quantities) {
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
    }

    /// The variable of the polynomials at eight columns.
    #[inline(always)]
    pub fn variable(&self, first: u32) -> Lanes {
        std::array::from_fn(|i| (f64::from(first + i as u32) - self.middle) * self.scale)
    }

    /// Least and largest of a quantity, or less and more.
    #[inline(always)]
    pub fn bounds(&self, quantity: usize) -> [f64; 2] {
        let powers = &self.quantities[quantity];
        let reach: f64 = powers[1..].iter().map(|x| x.abs()).sum();
        [powers[0] - reach, powers[0] + reach]
    }

    /// A quantity at eight columns.
    #[inline(always)]
    pub fn at(&self, quantity: usize, variable: &Lanes) -> Lanes {
        let powers = &self.quantities[quantity];
        let mut value = [powers[NODES - 1]; LANES];
        for k in (0..NODES - 1).rev() {
            (0..LANES).for_each(|i| value[i] = value[i] * variable[i] + powers[k]);
        }
        value
    }
}

/// From -1 to 1 to a range.
fn mix([low, high]: [f64; 2], x: f64) -> f64 {
    0.5 * ((1.0 - x) * low + (1.0 + x) * high)
}

/// Chebyshev coefficients of values at the nodes, unless the last ones are larger than `most`.
#[inline(always)]
fn interpolate(values: &[Lanes; NODES], most: f64) -> Option<[Lanes; NODES]> {
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
fn coefficients(values: &[Lanes; NODES]) -> [Lanes; NODES] {
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
    nodes: Lanes,
    /// From values at the nodes to Chebyshev coefficients, `[node][coefficient]`.
    coefficients: [Lanes; NODES],
    /// To coefficients of the powers, `[node][power]`.
    powers: [Lanes; NODES],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let angle = |i: usize| std::f64::consts::PI * (i as f64 + 0.5) / NODES as f64;
    let weight = |k: usize| if k == 0 { 1.0 } else { 2.0 } / NODES as f64;
    let coefficients: [Lanes; NODES] =
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
        let mut line = Line { middle: 0.0, scale: 1.0, quantities: vec![[0.0; LANES]] };
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
