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

use super::Plane;
use super::newton::{LANES, LaneNumbers, NewtonPart, ROUNDED, settle};
use super::polynomial::{NODES, RectangleFit, interpolate, mix, node};
use crate::locate::{AttributePieces, LocatorPieces, MARGIN};

/// What the last coefficients may be, of parameters, and of attributes as a part of their range.
const TOLERANCE: f64 = 1e-7;
/// What rounding does to them, as a part of the largest value.
const ROUNDING: f64 = 1e-13;
/// Rectangles of fewer pixels are left to Newton's method.
const FEW_PIXELS: f64 = 150.0;
/// How often a rectangle is quartered.
const QUARTERINGS: u32 = 4;

/// A box of the frame's y, and what is in the plane there.
#[derive(Debug)]
pub struct PlaneRegion {
    /// Least and largest y.
    pub sides: [[f64; 2]; 3],
    /// Rows whose pixels may be in it.
    pub rows: [u32; 2],
    /// Polynomials of the region; `None` where pixels are decided one by one.
    pub fit: Option<RectangleFit>,
}

/// Where pixels are in the frame of a part: y = origin + column · by[0] + row · by[1].
struct Lattice {
    origin: [f64; 3],
    by: [[f64; 3]; 2],
}

/// The regions of a part whose pixels are in `rows`, with these attributes.
pub fn regions(
    pieces: &LocatorPieces<'_>,
    plane: &Plane<'_>,
    (piece, part): (usize, &NewtonPart),
    attributes: &[AttributePieces],
    rows: [u32; 2],
) -> Vec<PlaneRegion> {
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
    regions: &'b mut Vec<PlaneRegion>,
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
                    regions.push(PlaneRegion { sides, rows: fitting.rows(&sides), fit });
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
    /// The rectangle is a region.
    Take(Option<RectangleFit>),
    /// The rectangle is too large for polynomials.
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
    fn fit(&self, sides: &[[f64; 2]; 3]) -> Option<RectangleFit> {
        let places = self.nodes(sides)?;
        let mut quantities = Vec::new();
        for d in 0..3 {
            let values: [LaneNumbers; NODES] = std::array::from_fn(|j| places[j].map(|t| t[d]));
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
        Some(RectangleFit::new(self.along, self.along.map(|d| sides[d]), quantities))
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
                let y = [mix(sides[a], node(i)), mix(sides[b], node(j))];
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
        let origin = part.frame.guess(plane.center(0, 0));
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
