//! How far the patches of a boundary reach.

use rayon::prelude::*;

use super::bicubic::HEIGHT;
use super::lowest_point;
use super::surface::{Patch, Surface};
use crate::numbers::bounds::{self, Bounds};

/// The directions that ends are sought in: axes of the plane and the height, with signs.
const DIRECTIONS: [(usize, f64); 6] =
    [(0, 1.0), (1, 1.0), (0, -1.0), (1, -1.0), (HEIGHT, 1.0), (HEIGHT, -1.0)];

/// How far the limit reaches.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Lowest and highest point.
    pub heights: [f64; 2],
    /// Box in the plane that holds every contour.
    pub plane: Bounds<2>,
}

impl Extent {
    /// The extent of a surface.
    pub fn of(surface: &Surface) -> Self {
        let [left, low, right, high, bottom, top] =
            DIRECTIONS.map(|direction| end(surface, direction));
        Self { heights: [bottom, top], plane: [[left, low], [right, high]] }
    }

    /// The extent of several surfaces.
    pub fn around(extents: impl Iterator<Item = Self>) -> Self {
        let corners = extents.flat_map(|own| {
            let ([low, high], [bottom, top]) = (own.plane, own.heights);
            [[low[0], low[1], bottom], [high[0], high[1], top]]
        });
        let [low, high]: Bounds<3> = bounds::around(corners);
        Self { heights: [low[2], high[2]], plane: [[low[0], low[1]], [high[0], high[1]]] }
    }
}

/// How far a surface reaches in a direction.
fn end(surface: &Surface, direction: (usize, f64)) -> f64 {
    let along = |patch: &Patch| lowest_point::along(&patch.points, direction);
    // the lowest corner of all, and the lowest Bézier point
    let of_patch = |patch: &Patch| {
        let own = along(patch);
        [lowest_point::lowest_corner(&own), lowest_point::bound(&own)]
    };
    let lower = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].min(b[1])];
    let patches = surface.patches.par_iter();
    let [corner, bound] = patches.map(of_patch).reduce(|| [f64::INFINITY; 2], lower);
    let patches = surface.patches.par_iter().map(along);
    let farther = |heights: &_| lowest_point::bound(heights) < corner - surface.grid;
    let farther: Vec<_> = patches.filter(farther).collect();
    let [least, tolerance] = lowest_point::lowest(corner, farther.into_iter(), surface.grid);
    let (axis, sign) = direction;
    if axis == HEIGHT {
        return sign * least + 0.0; // no negative zero
    }
    // edges between fitted patches reach beyond both by twice their error at most
    sign * bound.max(least - (tolerance + 2.0 * surface.error)) + 0.0
}
