//! Finding a point in one piece: Newton's method where it is conclusive, bisection of the piece
//! where it is not.
//!
//! Measured without gain: Newton's method restarted on the limit itself from up to a dozen
//! places takes 143 ms (cad9) and 298 ms (mount2) for the slowest point, instead of 4.9 and 0.3
//! ms by rings of exact pieces.

use std::cell::Cell;

use super::closest::{ClosestPoint, SearchBox, closest};
use super::frame::AffineFrame;
use super::tricubic::{TricubicPoints, bounds, jet, most_bent_axis, restrict};

/// How often a piece is halved before Newton's method has the last word.
const MAX_HALVINGS: u32 = 15;
/// Newton's method runs so often in a piece, at most, once a place is within the tolerance: more of
/// the halves of a thin piece may hold such places than can be searched.
const MAX_NEWTON_RUNS: u32 = 16;
/// A half whose frame sees a point farther outside than this is halved again before
/// Newton's method looks for it there.
const MAX_OUTSIDE_DISTANCE: f64 = 0.05;
/// A point so near to two elements, as fractions of their size, belongs to both, and so
/// to the first.
pub const SHARED_PLACE_TOLERANCE: f64 = 1e-12;

/// How near to a point a piece must come.
#[derive(Clone, Copy, Debug)]
pub struct Nearness {
    /// Within this distance it holds the point: no search goes on.
    pub enough: f64,
    /// Beyond this distance it does not.
    pub most: f64,
}

/// The place of a piece closest to `x`, in the piece's own parameters, if it is
/// nearer than `nearness.most`.
pub fn in_piece(
    points: &TricubicPoints,
    frame: Option<&AffineFrame>,
    x: [f64; 3],
    nearness: Nearness,
) -> Option<ClosestPoint> {
    let start = match frame {
        Some(frame) => {
            let y = frame.guess(x);
            if frame.excludes(y, nearness.most) {
                return None;
            }
            y
        }
        None => [0.5; 3],
    };
    let found = nearest(points, frame, x, nearness.enough, SearchBox::UNIT, start);
    if found.distance <= nearness.enough || frame.is_some_and(|frame| frame.converges) {
        return (found.distance <= nearness.most).then_some(found);
    }
    let halved = HalvingSearch { points, x, nearness, runs: Cell::new(0) };
    let best = halved.search(points, SearchBox::UNIT, MAX_HALVINGS, found);
    (best.distance <= nearness.most).then_some(best)
}

/// The place in `domain` that is closest to x, or one that is near `enough`.
///
/// Steps in a thin piece may end early at a side: the step that goes on along it goes far out of
/// the piece, and is cut off. In the frame the piece is not thin, and the place that it finds is a
/// better start.
fn nearest(
    points: &TricubicPoints,
    frame: Option<&AffineFrame>,
    x: [f64; 3],
    enough: f64,
    domain: SearchBox,
    start: [f64; 3],
) -> ClosestPoint {
    let descend = |start| closest(|t| jet(points, t), x, domain, start, 0.0);
    let found = descend(start);
    let Some(frame) = frame.filter(|frame| found.distance > enough && frame.is_thin()) else {
        return found;
    };
    let map = |t| frame.of_jet(jet(points, t));
    let again = descend(closest(map, frame.guess(x), domain, start, 0.0).parameters);
    if again.distance < found.distance { again } else { found }
}

/// A search through the halves of a piece.
struct HalvingSearch<'a> {
    points: &'a TricubicPoints,
    x: [f64; 3],
    nearness: Nearness,
    // of Newton's method
    runs: Cell<u32>,
}

impl HalvingSearch<'_> {
    /// Whether a place is as near as is asked, or as can be found.
    fn is_enough(&self, best: &ClosestPoint) -> bool {
        let is_spent = self.runs.get() >= MAX_NEWTON_RUNS && best.distance <= self.nearness.most;
        best.distance <= self.nearness.enough || is_spent
    }

    /// The better of `best` and what the part at `domain` holds.
    fn search(
        &self,
        part: &TricubicPoints,
        domain: SearchBox,
        halvings: u32,
        mut best: ClosestPoint,
    ) -> ClosestPoint {
        let axis = most_bent_axis(part);
        for side in 0..2 {
            let (mut low, mut high) = ([0.0; 3], [1.0; 3]);
            if side == 0 {
                high[axis] = 0.5
            } else {
                low[axis] = 0.5
            }
            let half = restrict(part, low, high);
            let [least, largest] = bounds(&half);
            // a half that is farther than the best place is of no use: all halves of a small piece
            // may be within the tolerance
            let most = self.nearness.most.min(best.distance);
            let off = (0..3).any(|d| self.x[d] < least[d] - most || self.x[d] > largest[d] + most);
            if off {
                continue;
            }
            let frame = AffineFrame::untried(&half);
            let guess = frame.map_or([0.5; 3], |frame| frame.guess(self.x));
            if frame.is_some_and(|frame| frame.excludes(guess, most)) {
                continue;
            }
            let converges_on = frame.is_some_and(|frame| frame.converges_on(&half));
            let place = |t: f64, d: usize| domain.low[d] + t * (domain.high[d] - domain.low[d]);
            let within = SearchBox {
                low: std::array::from_fn(|d| place(low[d], d)),
                high: std::array::from_fn(|d| place(high[d], d)),
            };
            let start = std::array::from_fn(|d| {
                within.low[d] + guess[d].clamp(0.0, 1.0) * (within.high[d] - within.low[d])
            });
            // a half that hardly holds the point may soon be excluded
            let is_likely = guess
                .iter()
                .all(|y| (-MAX_OUTSIDE_DISTANCE..=1.0 + MAX_OUTSIDE_DISTANCE).contains(y));
            if converges_on || is_likely || halvings == 1 {
                let (frame, enough) = (frame.as_ref(), self.nearness.enough);
                let found = nearest(self.points, frame, self.x, enough, within, start);
                self.runs.set(self.runs.get() + 1);
                if found.distance < best.distance {
                    best = found;
                }
            }
            if !self.is_enough(&best) && halvings > 1 && !converges_on {
                best = self.search(&half, within, halvings - 1, best);
            }
            if self.is_enough(&best) {
                break;
            }
        }
        best
    }
}
