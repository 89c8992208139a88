//! Parts of what is sliced: solids and closed surfaces on one plate.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::boundary::{ClosedSurface, Extent, Shells, Surface};
use super::frame::Axis;
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::check_point_count;

/// What bounds a part, with its control points.
#[derive(Clone, Copy, Debug)]
pub enum Boundary<'b> {
    /// The boundary of a solid's limit.
    Solid(&'b Solid, &'b [[f64; 3]]),
    /// The limit of a closed surface.
    Surface(&'b ClosedSurface, &'b [[f64; 3]]),
}

impl<'b> Boundary<'b> {
    /// Checks that there is a control point for each vertex.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Solid(solid, points) => {
                solid.check_whole("layers")?;
                check_point_count(points.len(), solid.topology().vertex_count())?;
                solid.topology().check_has_boundary()
            }
            Self::Surface(surface, points) => {
                check_point_count(points.len(), surface.vertex_count())
            }
        }
    }

    /// The coordinates of the control points that something depends on.
    pub(super) fn spanning(&self) -> Cow<'b, [f64]> {
        match self {
            Self::Solid(solid, points) => solid.spanning(points.as_flattened(), 3),
            Self::Surface(surface, points) => surface.spanning(points),
        }
    }

    /// The patches, and the shells of a surface.
    pub(super) fn cover(&self, axis: Axis, within: [f64; 2]) -> Result<(Surface, Shells)> {
        match self {
            Self::Solid(solid, points) => {
                Ok((Surface::new(solid, points, axis, within)?, Shells::default()))
            }
            Self::Surface(surface, points) => Surface::of_closed(surface, points, axis, within),
        }
    }
}

/// How a part is moved: turned about the z axis, then shifted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Along x, y and z, in length units.
    pub shift: [f64; 3],
    /// Degrees, counter-clockwise seen from above.
    pub degrees: f64,
}

impl Placement {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Request`] unless they are finite.
    pub fn check(&self) -> Result<()> {
        if self.shift.iter().all(|x| x.is_finite()) && self.degrees.is_finite() {
            return Ok(());
        }
        let ([x, y, z], degrees) = (self.shift, self.degrees);
        Err(Error::request(format!("a part at {x}, {y}, {z}, turned by {degrees}°"))
            .with_help("give finite numbers"))
    }

    /// Points moved; by quarters of a turn exactly but for the shift.
    pub fn apply(&self, points: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let degrees = self.degrees.rem_euclid(360.0);
        let quarters = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
        let quarter = (0..4).find(|&k| degrees == 90.0 * k as f64);
        let [cosine, sine] = quarter.map_or_else(
            || {
                let (sine, cosine) = degrees.to_radians().sin_cos();
                [cosine, sine]
            },
            |k| quarters[k],
        );
        let [dx, dy, dz] = self.shift;
        let moved = |&[x, y, z]: &[f64; 3]| {
            [cosine * x - sine * y + dx, sine * x + cosine * y + dy, z + dz]
        };
        points.iter().map(moved).collect()
    }
}

/// Where a part is among the patches of all, and in space.
#[derive(Clone, Debug)]
pub(super) struct PartExtent {
    /// Its patches.
    pub patches: Range<u32>,
    /// How far it reaches.
    pub extent: Extent,
    /// How many shells of it, at most, are around one point.
    pub most_around: usize,
}

impl PartExtent {
    /// Whether the boxes of two parts meet.
    pub fn meets(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|own| own.extent);
        let overlap =
            |[low, high]: [f64; 2], [lowest, highest]: [f64; 2]| low <= highest && lowest <= high;
        let along = |extent: Extent, d: usize| [extent.plane[0][d], extent.plane[1][d]];
        overlap(a.heights, b.heights) && (0..2).all(|d| overlap(along(a, d), along(b, d)))
    }
}
