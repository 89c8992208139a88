//! How far the patches of a boundary reach: what one program finds, and what ranks find together,
//! bit by bit.

use rayon::prelude::*;

use super::bicubic::HEIGHT;
use super::lowest_point::{self, Heights};
use super::surface::{Patch, Surface};
use crate::error::Result;
use crate::numbers::bounds::Bounds;

/// The directions that ends are sought in: axes of the plane and the height, with signs.
const DIRECTIONS: [(usize, f64); 6] =
    [(0, 1.0), (1, 1.0), (0, -1.0), (1, -1.0), (HEIGHT, 1.0), (HEIGHT, -1.0)];

/// What [`Reach`] has numbers of.
const NUMBERS: usize = 2 * DIRECTIONS.len() + 1;

/// The lowest corner of patches in each direction, their lowest Bézier point in each, and their
/// largest error with its sign changed. The least numbers of several ranks are those of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach(pub [f64; NUMBERS]);

/// How far the limit reaches.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Lowest and highest point.
    pub heights: [f64; 2],
    /// Box in the plane that holds every contour.
    pub plane: Bounds<2>,
}

impl Reach {
    /// That of no patches.
    pub const NONE: Self = Self([f64::INFINITY; NUMBERS]);

    /// That of a surface.
    pub fn of(surface: &Surface) -> Self {
        let add = |mut all: Self, patch: &Patch| {
            for (side, direction) in DIRECTIONS.into_iter().enumerate() {
                let own = lowest_point::along(&patch.points, direction);
                let numbers = [lowest_point::lowest_corner(&own), lowest_point::bound(&own)];
                for (at, own) in [side, side + DIRECTIONS.len()].into_iter().zip(numbers) {
                    all.0[at] = all.0[at].min(own);
                }
            }
            all
        };
        let patches = surface.patches.par_iter();
        let mut all = patches.fold(|| Self::NONE, add).reduce(|| Self::NONE, Self::and);
        all.0[NUMBERS - 1] = -surface.error;
        all
    }

    /// That of this and other patches.
    pub fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at].min(other.0[at])))
    }

    /// Whether it is that of no patches.
    pub fn is_none(&self) -> bool {
        self.0[0] == f64::INFINITY
    }

    /// Largest distance of the patches from the limit.
    pub fn error(&self) -> f64 {
        0.0 - self.0[NUMBERS - 1]
    }

    /// The patches of a surface that may reach farther in a direction than the corners of all, in
    /// their order.
    pub fn farther(&self, surface: &Surface, side: usize) -> Vec<Heights> {
        let least = self.0[side] - surface.grid;
        let patches = surface.patches.par_iter();
        let along = patches.map(|patch| lowest_point::along(&patch.points, DIRECTIONS[side]));
        along.filter(|heights| lowest_point::bound(heights) < least).collect()
    }

    /// How far all patches reach, which `farther` lists those of for a direction that may reach
    /// farther than all corners.
    ///
    /// # Errors
    /// Those of `farther`.
    pub fn extent(
        &self,
        grid: f64,
        mut farther: impl FnMut(usize) -> Result<Vec<Heights>>,
    ) -> Result<Extent> {
        let mut ends = [0.0; DIRECTIONS.len()];
        for (side, (axis, sign)) in DIRECTIONS.into_iter().enumerate() {
            let [least, tolerance] =
                lowest_point::lowest(self.0[side], farther(side)?.into_iter(), grid);
            let end = if axis == HEIGHT {
                least
            } else {
                // edges between fitted patches reach beyond both by twice their error at most
                let beyond = tolerance + 2.0 * self.error();
                self.0[side + DIRECTIONS.len()].max(least - beyond)
            };
            ends[side] = sign * end + 0.0; // no negative zero
        }
        let [left, low, right, high, bottom, top] = ends;
        Ok(Extent { heights: [bottom, top], plane: [[left, low], [right, high]] })
    }
}
