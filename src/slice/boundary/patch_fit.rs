//! Bicubic Bézier patches fitted to a limit.
//!
//! The limit is bicubic but for rings of ever smaller squares around an extraordinary vertex,
//! and for Loop's quartic triangles. So a square that is not bicubic as a whole is quartered
//! until its parts are, or are as near to it as asked: this finds the rings by itself, and
//! needs points of the limit only.
//!
//! Near an extraordinary vertex no bicubic patch follows the parameters of the limit, but patches
//! of moderate size follow its shape. Layers depend on the shape alone, so the distance along the
//! patch counts little. A torus of 10,000 triangles then needs a third of the patches.

use super::bicubic::{BicubicPatch, PlanePoint};
use crate::bezier::{FIT_MARGIN, interpolate};
use crate::limit::rim::UNIT;
use crate::numbers::vector::{difference, dot, norm, squared_norm};

/// Part of the distance along a patch that counts as error. It covers the distance from a curved
/// patch that a shift along it leaves, for radii of curvature above 32 tolerances. The limit at the
/// same parameters is within 8 tolerances.
const ALONG: f64 = 1.0 / 8.0;

/// Derivatives by u and v at a smaller sine have no normal.
const MIN_SINE: f64 = 1e-8;

/// Patches pass through the limit at these, along both directions.
const NODES: [f64; 4] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0];

/// Where fits are checked, along both directions: in between the nodes.
const CHECKS: [f64; 3] = [1.0 / 12.0, 0.5, 11.0 / 12.0];

/// Number of the places of a square where a fit knows the limit.
pub const PLACES: usize = 25;

/// Maximum number of halvings of an element's side.
const MAX_HALVINGS: u32 = 24;

/// A patch over a part of a boundary face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// `[s0, t0, s1, t1]` in the parameters of the face.
    pub rectangle: [u32; 4],
    /// Bézier points of the patch.
    pub points: BicubicPatch,
    /// Largest distance of the patch from the limit, estimated from samples, in length units; 0 if
    /// it is exact.
    pub error: f64,
}

impl Fit {
    /// A patch that is the limit itself.
    pub fn exact(square: Square, mut points: BicubicPatch, grid: f64) -> Self {
        points.round_heights(grid);
        Self { rectangle: square.rectangle(), points, error: 0.0 }
    }

    /// The patch with s and t exchanged: seen from the other side.
    pub fn transposed(self) -> Self {
        let [s0, t0, s1, t1] = self.rectangle;
        Self { rectangle: [t0, s0, t1, s1], points: self.points.transposed(), ..self }
    }
}

/// A square in the parameters of a face.
#[derive(Clone, Copy, Debug)]
pub struct Square {
    /// Least (s, t) of the square; sides of a face have the length `UNIT`.
    pub corner: [u32; 2],
    /// Side length of the square; sides of a face have the length `UNIT`.
    pub length: u32,
}

impl Square {
    /// The square that is the whole face.
    pub const FACE: Self = Self { corner: [0; 2], length: UNIT };

    fn rectangle(self) -> [u32; 4] {
        let Self { corner: [s, t], length } = self;
        [s, t, s + length, t + length]
    }

    fn quarters(self) -> [Self; 4] {
        let length = self.length / 2;
        [[0, 0], [1, 0], [0, 1], [1, 1]].map(|offset| {
            let corner = [0, 1].map(|d| self.corner[d] + offset[d] * length);
            Self { corner, length }
        })
    }

    /// What a fit of `part` asks for: the nodes `[t][s]`, then the checks, in this square's own
    /// parameters from 0 to 1.
    pub fn places(self, part: Self) -> [[f64; 2]; PLACES] {
        std::array::from_fn(|k| {
            let x = match k.checked_sub(16) {
                None => [NODES[k % 4], NODES[k / 4]],
                Some(k) => [CHECKS[k % 3], CHECKS[k / 3]],
            };
            [0, 1].map(|d| {
                let from = f64::from(part.corner[d] - self.corner[d]);
                (from + f64::from(part.length) * x[d]) / f64::from(self.length)
            })
        })
    }

    /// A square in this one, as one in a face that this one was all of.
    pub fn enlarged(self, part: Self) -> Self {
        let scale = UNIT / self.length;
        let corner = [0, 1].map(|d| (part.corner[d] - self.corner[d]) * scale);
        Self { corner, length: part.length * scale }
    }
}

/// How close fits are.
#[derive(Clone, Copy, Debug)]
pub struct Fitter {
    /// Heights are rounded to its multiples; errors below are rounding.
    pub grid: f64,
    /// Largest distance of patches from the limit, in length units.
    pub tolerance: f64,
}

impl Fitter {
    /// Covers a square by patches. `limit` gives the limit at the [places](Square::places) of a
    /// part of it.
    pub fn cover(
        &self,
        square: Square,
        limit: &impl Fn(Square) -> [PlanePoint; PLACES],
        fits: &mut Vec<Fit>,
    ) {
        let fit = self.fit(square, &limit(square));
        if fit.error <= self.tolerance || square.length <= UNIT >> MAX_HALVINGS {
            fits.push(fit);
            return;
        }
        for quarter in square.quarters() {
            self.cover(quarter, limit, fits);
        }
    }

    /// The patch through 4 × 4 limit points of a square, and its error.
    fn fit(&self, square: Square, limit: &[PlanePoint; PLACES]) -> Fit {
        let (nodes, checks) = limit.split_at(16);
        let node = |j: usize| std::array::from_fn(|i| nodes[4 * j + i]);
        let mut points = BicubicPatch(std::array::from_fn(node));
        let values = points.0.as_flattened_mut().as_flattened_mut();
        [3, 12].into_iter().for_each(|stride| interpolate(values, stride));
        let (mut error, mut farthest) = (0.0_f64, 0.0_f64);
        for (k, limit) in checks.iter().enumerate() {
            let patch = points.at([CHECKS[k % 3], CHECKS[k / 3]]);
            let [above, along] = distances(limit, &patch);
            error = error.max(above + ALONG * along);
            farthest = farthest.max(above * above + along * along);
        }
        points.round_heights(self.grid);
        let error = if farthest.sqrt() <= self.grid { 0.0 } else { FIT_MARGIN * error };
        Fit { rectangle: square.rectangle(), points, error }
    }
}

/// Distances of a point of the limit from a patch's position, of which the derivatives are given:
/// from the tangent plane, and along it. Where there is no such plane all of it is from it.
fn distances(limit: &PlanePoint, [position, u, v]: &[PlanePoint; 3]) -> [f64; 2] {
    let away = difference(*limit, *position);
    let normal = [0, 1, 2].map(|d| {
        let [a, b] = [(d + 1) % 3, (d + 2) % 3];
        u[a] * v[b] - u[b] * v[a]
    });
    let (all, length) = (squared_norm(away), norm(normal));
    if length <= MIN_SINE * (squared_norm(*u) * squared_norm(*v)).sqrt() {
        return [all.sqrt(), 0.0];
    }
    let above = dot(away, normal).abs() / length;
    [above, (all - above * above).max(0.0).sqrt()]
}
