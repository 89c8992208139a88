//! A part as polynomials over the plane: where pixels are in it, and its attributes there.
//!
//! # Theory
//! On a part that is nearly affine (u, v, w) and attributes are analytic functions of the place in
//! the plane. Trapezoids cover its pixels ([`super::trapezoid`]). On each the functions are
//! interpolated at 8 × 8 Chebyshev nodes, where Newton's method finds them. The last coefficients
//! tell how well that went (Trefethen, Approximation Theory and Approximation Practice, 2013,
//! chapter 8). Where they are too large the trapezoid is split, across or along its rows as they
//! tell, and trapezoids of few pixels are left to Newton's method.
//!
//! Values differ from those at the pixel by some 10⁻⁹ of the attribute's range, parameters by as
//! much. Pixels within 10⁻⁶ of the sides of the piece are left to Newton's method, too. So each
//! pixel is in the element where it would be without polynomials. A pixel on the side between two
//! parts of one piece may go to either.

// lanes index several arrays at once; negated comparisons hold for NaN
#![allow(clippy::needless_range_loop, clippy::neg_cmp_op_on_partial_ord)]

use super::PixelPlane;
use super::newton::{LANES, LaneNumbers, NewtonPart, approach};
use super::polynomial::{MIN_SIDE_DISTANCE, NODES, RegionFit, before, coefficients, last, node};
use super::trapezoid::{LinearFunction, Trapezoid, mix, trapezoids};
use crate::locate::{AttributePieces, LocatorPieces};

/// What the last coefficients may be, of parameters, and of attributes as a fraction of their
/// range.
const TOLERANCE: f64 = 1e-7;
/// Largest sum of coefficients that are left out, of parameters, and as a fraction of the range.
const MAX_DROPPED: f64 = 1e-10;
/// What rounding does to them, as a fraction of the largest value.
const COEFFICIENT_ROUNDING: f64 = 1e-13;
/// Trapezoids of fewer pixels are left to Newton's method.
const FEW_PIXELS: f64 = 64.0;
/// How often a trapezoid is split, and into how many parts across and along its rows at once.
const MAX_SPLITS: u32 = 4;
const SPLIT_PARTS: u32 = 8;
/// What halving a trapezoid makes of the last coefficients, about: 2⁻⁶ and less.
const HALVING_FACTOR: f64 = 1.0 / 64.0;

/// Pixels of a part between two rows and two lines.
#[derive(Debug)]
pub struct PlaneRegion {
    /// Where the pixels are.
    pub area: Trapezoid,
    /// Polynomials of the region; `None` where pixels are decided one by one.
    pub fit: Option<RegionFit>,
}

/// The regions of a part whose pixels are in these `[columns, rows]`, with these attributes.
pub fn regions(
    pieces: &LocatorPieces<'_>,
    plane: &PixelPlane<'_>,
    piece: usize,
    part: &NewtonPart,
    attributes: &[AttributePieces],
    pixels: [[u32; 2]; 2],
) -> Vec<PlaneRegion> {
    let functions = PixelFunctions::new(part, plane);
    let areas = trapezoids(pixels, &functions.y, &part.sides());
    let fitting = TrapezoidFit { pieces, piece, part, attributes, functions };
    let mut regions = Vec::new();
    pulp::Arch::new().dispatch(CoverKernel { fitting, areas, regions: &mut regions });
    regions
}

/// A part covered by regions, compiled for the widest vectors that the machine has.
struct CoverKernel<'b, 'a, 's> {
    fitting: TrapezoidFit<'a, 's>,
    areas: Vec<Trapezoid>,
    regions: &'b mut Vec<PlaneRegion>,
}

impl pulp::NullaryFnOnce for CoverKernel<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { fitting, areas, regions } = self;
        // trapezoids, and how often they may still be split; the next one last
        let mut rest: Vec<_> = areas.into_iter().rev().map(|area| (area, MAX_SPLITS)).collect();
        while let Some((area, splits)) = rest.pop() {
            let is_last = splits == 0 || area.area() < FEW_PIXELS;
            if is_last {
                regions.push(PlaneRegion { area, fit: None });
                continue;
            }
            // not in a closure, which would not have the vectors of this function
            let fit = match fitting.fit(area) {
                Ok(fit) => Some(fit),
                Err([across, along]) if area.area() >= FEW_PIXELS * f64::from(across * along) => {
                    let parts: Vec<_> = area.split([across, along]).collect();
                    rest.extend(parts.into_iter().rev().map(|part| (part, splits - 1)));
                    continue;
                }
                Err(_) => None,
            };
            regions.push(PlaneRegion { area, fit });
        }
    }
}

struct TrapezoidFit<'a, 's> {
    pieces: &'a LocatorPieces<'s>,
    piece: usize,
    part: &'a NewtonPart,
    attributes: &'a [AttributePieces],
    functions: PixelFunctions,
}

/// Points and the frame's y of them, as functions of columns and rows.
struct PixelFunctions {
    x: [LinearFunction; 3],
    y: [LinearFunction; 3],
}

impl PixelFunctions {
    fn new(part: &NewtonPart, plane: &PixelPlane<'_>) -> Self {
        let pitch = plane.grid.pitch;
        let origin = plane.center(0, 0);
        let y = part.frame.guess(origin);
        let axes = plane.axis.plane();
        let [mut of_x, mut of_y] = [[[0.0; 3]; 3]; 2];
        for d in 0..3 {
            let by_axis = [0, 1].map(|k| if axes[k] == d { pitch[k] } else { 0.0 });
            let [by_column, by_row] = [0, 1].map(|k| pitch[k] * part.frame.inverse[d][axes[k]]);
            of_x[d] = [origin[d], by_axis[0], by_axis[1]];
            of_y[d] = [y[d], by_column, by_row];
        }
        Self { x: of_x, y: of_y }
    }
}

impl TrapezoidFit<'_, '_> {
    /// Interpolates over a trapezoid; if that is not good enough, the number of parts to split it
    /// into, across and along its rows.
    #[inline(always)]
    fn fit(&self, area: Trapezoid) -> Result<RegionFit, [u32; 2]> {
        let places = self.nodes(&area).ok_or([2; 2])?;
        let mut quantities = Vec::with_capacity(4);
        let mut values = [[0.0; LANES]; NODES];
        for d in 0..3 {
            for (values, places) in values.iter_mut().zip(&places) {
                *values = places[d];
            }
            quantities.push((coefficients(&values), 1.0));
        }
        check(&quantities)?;
        let NewtonPart { origin, size, outer, .. } = self.part;
        let mut parameters = [[[0.0; 3]; NODES]; NODES];
        for (parameters, places) in parameters.iter_mut().zip(&places) {
            for (i, parameters) in parameters.iter_mut().enumerate() {
                (0..3).for_each(|d| parameters[d] = origin[d] + size[d] * places[d][i]);
            }
        }
        for attribute in self.attributes {
            let width = attribute.width;
            let mut found = vec![0.0; NODES * NODES * width];
            let parameters = parameters.as_flattened();
            self.pieces.attributes_at(attribute, self.piece, parameters, &mut found);
            for (component, &[low, high]) in attribute.ranges.iter().enumerate() {
                for (j, values) in values.iter_mut().enumerate() {
                    for (i, value) in values.iter_mut().enumerate() {
                        *value = found[(NODES * j + i) * width + component];
                    }
                }
                let rounding = COEFFICIENT_ROUNDING / TOLERANCE * low.abs().max(high.abs());
                quantities.push((coefficients(&values), high - low + rounding));
            }
        }
        check(&quantities[3..])?;
        let certain = outer.map(|[low, high]| {
            let side =
                |is_outer: bool| if is_outer { MIN_SIDE_DISTANCE } else { -MIN_SIDE_DISTANCE };
            [side(low), 1.0 - side(high)]
        });
        quantities.iter_mut().for_each(|(_, range)| *range *= MAX_DROPPED);
        Ok(RegionFit::new(area, certain, &quantities))
    }

    /// The part's parameters at the nodes of a trapezoid, `[along the rows][d][across]`, if
    /// Newton's method finds them.
    #[inline(always)]
    fn nodes(&self, area: &Trapezoid) -> Option<[[LaneNumbers; 3]; NODES]> {
        let mut places = [[[0.0; LANES]; 3]; NODES];
        // what parameters differ from y by
        let mut off = [[[0.0; LANES]; 3]; NODES];
        for j in 0..NODES {
            let (ends, row) = (area.ends_at(node(j)), area.row_at(node(j)));
            let mut columns = [0.0; LANES];
            for i in 0..NODES {
                columns[i] = mix(ends, node(i));
            }
            let (mut x, mut y) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
            for d in 0..3 {
                let ([a, b, c], [e, f, g]) = (self.functions.x[d], self.functions.y[d]);
                for i in 0..NODES {
                    x[d][i] = a + columns[i] * b + row * c;
                    y[d][i] = e + columns[i] * f + row * g;
                }
            }
            let mut t = y;
            for (weight, off) in before(j).iter().zip(off[..j].iter().rev()) {
                for d in 0..3 {
                    (0..LANES).for_each(|i| t[d][i] += weight * off[d][i]);
                }
            }
            if !approach(self.part, &x, &mut t) {
                return None;
            }
            for d in 0..3 {
                (0..LANES).for_each(|i| off[j][d][i] = t[d][i] - y[d][i]);
            }
            places[j] = t;
        }
        Some(places)
    }
}

/// Whether the last coefficients of quantities, which come with their ranges, are small enough; if
/// not, the number of parts to split a trapezoid into, across and along its rows.
#[inline(always)]
fn check(quantities: &[([LaneNumbers; NODES], f64)]) -> Result<(), [u32; 2]> {
    let mut most = [0.0_f64; 2];
    for (coefficients, range) in quantities {
        let part = |last: f64| if last == 0.0 { 0.0 } else { last / (TOLERANCE * range) };
        let last = last(coefficients).map(part);
        if !(last[0] + last[1] <= 1.0) {
            // NaN is larger than all
            most = [0, 1].map(|d| if last[d] <= most[d] { most[d] } else { last[d] });
        }
    }
    if most == [0.0; 2] {
        return Ok(());
    }
    let parts = |last: f64| {
        let (mut parts, mut left) = (1, last);
        while !(left <= 0.5) && parts < SPLIT_PARTS {
            (parts, left) = (2 * parts, left * HALVING_FACTOR);
        }
        parts
    };
    Err(most.map(parts))
}
