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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_are_as_near_as_asked() {
        // a quintic in u: no bicubic patch is it
        let limit = |[u, v]: [f64; 2]| [u, v, u.powi(5) + v * v];
        let fitter = Fitter { grid: 1e-12, tolerance: 1e-5 };
        let mut fits = Vec::new();
        let at = |part| Square::FACE.places(part).map(limit);
        fitter.cover(Square::FACE, &at, &mut fits);
        let whole = f64::from(UNIT);
        let area = |fit: &Fit| {
            let [s0, t0, s1, t1] = fit.rectangle.map(f64::from);
            (s1 - s0) * (t1 - t0) / (whole * whole)
        };
        assert_eq!(fits.iter().map(area).sum::<f64>(), 1.0);
        assert!(fits.len() > 4);
        for fit in &fits {
            assert!(fit.error <= 1e-5);
            let [s0, t0, s1, t1] = fit.rectangle.map(|x| f64::from(x) / whole);
            for k in 0..=20 {
                let x = [f64::from(k) / 20.0, f64::from(20 - k) / 20.0];
                let expected = limit([s0 + x[0] * (s1 - s0), t0 + x[1] * (t1 - t0)]);
                let found = fit.points.at(x)[0];
                // places are on the limit: it is above the patch, across a slope of it
                assert!((0..2).all(|d| (found[d] - expected[d]).abs() < 1e-12));
                let [u, v] = [found[0], found[1]];
                let slope = (1.0 + 25.0 * u.powi(8) + 4.0 * v * v).sqrt();
                assert!((found[2] - expected[2]).abs() / slope <= fit.error + 1e-12);
            }
        }
    }

    #[test]
    fn parameters_need_not_be_those_of_the_limit() {
        // a plane, along which no bicubic patch follows the parameters
        let plane = |[u, v]: [f64; 2]| [u + 0.01 * u.powi(5), v, 0.5 * v];
        let fits = |tolerance: f64| {
            let mut fits = Vec::new();
            let at = |part| Square::FACE.places(part).map(plane);
            Fitter { grid: 1e-12, tolerance }.cover(Square::FACE, &at, &mut fits);
            fits
        };
        let along = |fit: &Fit| {
            let [s0, t0, s1, t1] = fit.rectangle.map(|x| f64::from(x) / f64::from(UNIT));
            let places = (0..=20).map(|k| [f64::from(k) / 20.0, 0.5]);
            let apart = places.map(|[u, v]| {
                let limit = plane([s0 + u * (s1 - s0), t0 + v * (t1 - t0)]);
                (fit.points.at([u, v])[0][0] - limit[0]).abs()
            });
            apart.fold(0.0, f64::max)
        };
        // as far along the plane as 8 tolerances
        let [whole] = &fits(1e-4)[..] else { panic!() };
        assert!(along(whole) > 1.5e-4 && along(whole) <= 8.0 * whole.error);
        let quartered = fits(1e-5);
        assert!(quartered.len() > 1);
        assert!(quartered.iter().all(|fit| along(fit) <= 8.0 * 1e-5));
    }

    #[test]
    fn sides_that_meet_in_a_point_have_no_normal() {
        let point = [1.0, 2.0, 3.0];
        for v in [[0.0; 3], [2.0, 0.0, 0.0], [2.0, 1e-9, 0.0]] {
            let patch = [[1.0, 2.0, 0.0], [1.0, 0.0, 0.0], v];
            assert_eq!(distances(&point, &patch), [3.0, 0.0]);
        }
        let patch = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
        assert_eq!(distances(&point, &patch), [3.0, 1.0]);
    }
}
