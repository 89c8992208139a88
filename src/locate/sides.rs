//! Sides of pieces on the boundary, and the closest place on them so far.

use nalgebra::Vector3;

use super::closest::ClosestPoint;
use super::parameters;
use super::tricubic::TricubicPoints;
use crate::basis::{BicubicPoints, closest_on_patch};
use crate::bezier::Piece;

/// Sides of an element, or of a box of its parameters: bit 2 · axis + side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementSides(pub u8);

impl ElementSides {
    /// The sides of an element, of these, on which a box of its parameters has a side.
    pub fn of_box(self, origin: [f64; 3], size: [f64; 3]) -> Self {
        let meets = |&(axis, side): &(usize, usize)| match side {
            0 => origin[axis] == 0.0,
            _ => origin[axis] + size[axis] == 1.0,
        };
        Self(self.iter().filter(meets).map(|(axis, side)| Self::bit(axis, side)).sum())
    }

    /// (axis, side) of each.
    pub fn iter(self) -> impl Iterator<Item = (usize, usize)> {
        (0..6).filter(move |bit| self.0 >> bit & 1 == 1).map(|bit| (bit / 2, bit % 2))
    }

    /// The bit of a side.
    pub fn bit(axis: usize, side: usize) -> u8 {
        1 << (2 * axis + side)
    }
}

/// What is the closest so far, in the parameters of an element.
#[derive(Clone, Copy, Debug)]
pub struct BestPlace {
    /// The place; none yet if its distance is infinite.
    pub place: ClosestPoint,
    /// The unit vector from the point asked for to the place; 0 without one.
    pub toward: Vector3<f64>,
    /// Some place is nearer than this, whether it has been visited or not.
    pub bound: f64,
    /// A place that is nearer by less than this is as good.
    pub slack: f64,
}

impl BestPlace {
    /// No place yet.
    pub fn none(slack: f64) -> Self {
        let place = ClosestPoint { parameters: [0.0; 3], distance: f64::INFINITY };
        Self { place, toward: Vector3::zeros(), bound: f64::INFINITY, slack }
    }

    /// Says that a place at this distance exists, which is yet to be visited.
    pub fn bound_by(&mut self, distance: f64) {
        // beyond it, so that the place itself is not ruled out
        self.bound = self.bound.min(distance + 2.0 * self.slack);
    }

    /// Whether a place at this distance, or farther, need not be visited.
    pub fn rules_out(&self, distance: f64) -> bool {
        distance >= self.place.distance.min(self.bound) - self.slack
    }

    /// [`Self::rules_out`], of a squared distance.
    pub fn rules_out_square(&self, square: f64) -> bool {
        let least = self.place.distance.min(self.bound) - self.slack;
        least <= 0.0 || square >= least * least
    }

    /// Takes a place that is nearer; `away` is the vector from the point asked for.
    pub fn offer(&mut self, place: ClosestPoint, away: Vector3<f64>) {
        if place.distance < self.place.distance {
            self.place = place;
            self.toward = away.try_normalize(0.0).unwrap_or_default();
        }
    }

    /// Looks at sides of an exact piece, which is a box of its element's parameters.
    pub fn look_at(
        &mut self,
        points: &TricubicPoints,
        piece: &Piece,
        sides: ElementSides,
        x: Vector3<f64>,
    ) {
        for (axis, side) in sides.iter() {
            let patch = patch_of(points, axis, side);
            let most = self.place.distance.min(self.bound);
            let Some(found) = closest_on_patch(&patch, x, most, self.toward, self.slack) else {
                continue;
            };
            let mut t = [0.0; 3];
            t[axis] = side as f64;
            let [first, second] = along(axis);
            [t[first], t[second]] = found.parameters;
            let parameters = parameters::in_element(piece, t);
            self.offer(ClosestPoint { parameters, distance: found.distance }, found.away);
        }
    }
}

/// The side of a piece where `axis` is `side`, along its other axes in their order.
pub fn patch_of(points: &TricubicPoints, axis: usize, side: usize) -> BicubicPoints {
    let fixed = (3 * side) << (2 * axis);
    let [s, t] = along(axis);
    let mut patch = [Vector3::zeros(); 16];
    for (i, p) in patch.iter_mut().enumerate() {
        *p = points[fixed | (i % 4) << (2 * s) | (i / 4) << (2 * t)].into();
    }
    patch
}

/// The axes other than `axis`, in their order.
fn along(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}
