//! The point of a Bézier piece that is closest to a point in space outside it.
//!
//! # Theory
//! ½|F(t) − x|² is minimized over the unit cube by Newton's method with the full Hessian
//! FᵢᵀFⱼ + (F − x)ᵀFᵢⱼ, projected to the cube (Bertsekas, *Projected Newton methods for
//! optimization problems with simple constraints*, 1982): parameters at a bound that the
//! gradient pushes out of are held. So faces, edges and corners are problems of fewer
//! parameters. Steps decrease the distance sufficiently (Armijo), and the end is stationary:
//! the projected gradient vanishes to rounding.
//!
//! A piece may have several such points. Halves of it follow until they are farther than the
//! closest place found: for any unit vector d the piece is at least min dᵀ(Pᵢ − x) away, Pᵢ
//! its Bézier points. With d towards the closest place this is sharp to second order, at any
//! distance.

use nalgebra::{Matrix3, Vector3};

use super::tricubic::{Points, jet2, most_bent_axis, restrict};

/// Most steps of a descent.
const STEPS: usize = 60;
/// Decrease as a part of what the gradient predicts.
const SUFFICIENT: f64 = 1e-4;
/// Halvings of a piece.
const HALVINGS: u32 = 7;
/// The projected gradient at the end, as a part of its summands.
const STATIONARY: f64 = 1e-14;

/// The closest place so far of all pieces.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// The locator's piece, and the element's parameters there.
    pub piece: u32,
    /// See `piece`.
    pub parameters: [f64; 3],
    /// Its distance from the point; infinite at first.
    pub distance: f64,
    // unit vector from the point to the place; 0 at first
    direction: Vector3<f64>,
    // differences of distances that do not count
    slack: f64,
}

impl Nearest {
    /// Nothing found yet. `rounding`: what rounding may move a point.
    pub fn new(rounding: f64) -> Self {
        Self {
            piece: u32::MAX,
            parameters: [0.0; 3],
            distance: f64::INFINITY,
            direction: Vector3::zeros(),
            slack: rounding,
        }
    }

    /// Whether nothing at this distance or farther is of interest.
    pub fn is_beyond(&self, distance: f64) -> bool {
        distance >= self.distance - self.slack - 1e-13 * self.distance
    }

    /// Whether all of a piece is too far away. `x`: the point in the coordinates of the piece.
    pub fn excludes(&self, points: &Points, x: &Vector3<f64>) -> bool {
        if self.distance.is_infinite() {
            return false;
        }
        let d = &self.direction;
        let least = points
            .iter()
            .map(|p| d.x * p[0] + d.y * p[1] + d.z * p[2])
            .fold(f64::INFINITY, |a, b| if b < a { b } else { a });
        self.is_beyond(least - d.dot(x))
    }

    /// Takes a place that is nearer: `away` is the place less the point.
    pub fn offer(&mut self, piece: u32, parameters: [f64; 3], away: Vector3<f64>) {
        let distance = away.norm();
        if distance < self.distance {
            let direction = if distance > 0.0 { away / distance } else { away };
            *self = Self { piece, parameters, distance, direction, ..*self };
        }
    }
}

/// Offers the closest place of a piece. `x`: the point in the coordinates of `points`;
/// `place`: the element's parameters of the piece's.
pub fn in_piece(
    points: &Points,
    x: Vector3<f64>,
    piece: u32,
    place: impl Fn([f64; 3]) -> [f64; 3],
    nearest: &mut Nearest,
) {
    if nearest.excludes(points, &x) {
        return;
    }
    // from the nearest corner, whose Bézier points are the piece's points
    let corner = |i: usize| [i & 1, i >> 1 & 1, i >> 2];
    let away = |i: usize| {
        let [u, v, w] = corner(i);
        (Vector3::from(points[3 * (u + 4 * v + 16 * w)]) - x).norm_squared()
    };
    let first = (1..8).fold(0, |least, i| if away(i) < away(least) { i } else { least });
    // a little inside, so that a corner that only looks stationary is left
    let start = corner(first).map(|c| if c == 0 { 0.125 } else { 0.875 });
    let mut search = Search { points, x, piece, place, stationary: Vec::new() };
    search.descend(start, nearest);
    search.halve(points, [0.0; 3], [1.0; 3], HALVINGS, nearest);
}

struct Search<'a, P> {
    points: &'a Points,
    x: Vector3<f64>,
    piece: u32,
    place: P,
    // where descents ended
    stationary: Vec<[f64; 3]>,
}

impl<P: Fn([f64; 3]) -> [f64; 3]> Search<'_, P> {
    fn descend(&mut self, start: [f64; 3], nearest: &mut Nearest) {
        let (t, away) = descend(self.points, &self.x, start);
        nearest.offer(self.piece, (self.place)(t), away);
        self.stationary.push(t);
    }

    /// Looks at a half, or a half of a half, of the piece.
    fn halve(
        &mut self,
        part: &Points,
        low: [f64; 3],
        high: [f64; 3],
        halvings: u32,
        nearest: &mut Nearest,
    ) {
        if nearest.excludes(part, &self.x) {
            return;
        }
        if halvings == 0 {
            // what is around a stationary point descends to it
            let is_known = |t: &[f64; 3]| {
                (0..3).all(|d| {
                    let margin = 0.5 * (high[d] - low[d]);
                    (low[d] - margin..=high[d] + margin).contains(&t[d])
                })
            };
            if !self.stationary.iter().any(is_known) {
                self.descend(std::array::from_fn(|d| 0.5 * (low[d] + high[d])), nearest);
            }
            return;
        }
        let axis = most_bent_axis(part);
        for side in 0..2 {
            let (mut from, mut to) = ([0.0; 3], [1.0; 3]);
            let (mut part_low, mut part_high) = (low, high);
            let middle = 0.5 * (low[axis] + high[axis]);
            if side == 0 {
                (to[axis], part_high[axis]) = (0.5, middle);
            } else {
                (from[axis], part_low[axis]) = (0.5, middle);
            }
            let half = restrict(part, from, to);
            self.halve(&half, part_low, part_high, halvings - 1, nearest);
        }
    }
}

/// A stationary point that the descent from `start` ends at, and the place less the point.
fn descend(points: &Points, x: &Vector3<f64>, start: [f64; 3]) -> ([f64; 3], Vector3<f64>) {
    let mut t = start;
    let mut jet = jet2(points, t);
    let mut away = jet.point - x;
    for _ in 0..STEPS {
        let gradient = Vector3::from(jet.first.map(|j| j.dot(&away)));
        let free: [bool; 3] = std::array::from_fn(|d| {
            !(t[d] <= 0.0 && gradient[d] >= 0.0 || t[d] >= 1.0 && gradient[d] <= 0.0)
        });
        let length = away.norm();
        let is_stationary = (0..3)
            .all(|d| !free[d] || gradient[d].abs() <= STATIONARY * length * jet.first[d].norm());
        if is_stationary {
            break;
        }
        let hessian =
            Matrix3::from_fn(|i, j| jet.first[i].dot(&jet.first[j]) + away.dot(&jet.second[i][j]));
        let Some(step) = newton_step(hessian, &gradient, free, &jet.first) else { break };
        let squared = away.norm_squared();
        let mut scale = 1.0;
        let next = loop {
            let next: [f64; 3] = std::array::from_fn(|d| (t[d] + scale * step[d]).clamp(0.0, 1.0));
            let predicted: f64 = (0..3).map(|d| gradient[d] * (next[d] - t[d])).sum();
            let next_jet = jet2(points, next);
            let next_away = next_jet.point - x;
            let change = 0.5 * (next_away.norm_squared() - squared);
            if predicted < 0.0 && change <= SUFFICIENT * predicted {
                break Some((next, next_jet, next_away));
            }
            scale *= 0.5;
            if scale < 1e-10 || predicted.abs() <= 1e-17 * squared {
                break None;
            }
        };
        let Some(next) = next else { break };
        (t, jet, away) = next;
    }
    (t, away)
}

/// The step of Newton's method for the free parameters, of the Hessian made positive definite.
fn newton_step(
    hessian: Matrix3<f64>,
    gradient: &Vector3<f64>,
    free: [bool; 3],
    first: &[Vector3<f64>; 3],
) -> Option<Vector3<f64>> {
    let largest = hessian.amax().max(first.iter().map(Vector3::norm_squared).fold(0.0, f64::max));
    let mut added = 0.0;
    for _ in 0..16 {
        let matrix = Matrix3::from_fn(|i, j| match (free[i] && free[j], i == j) {
            (true, diagonal) => hessian[(i, j)] + if diagonal { added } else { 0.0 },
            (false, diagonal) => f64::from(u8::from(diagonal)) * largest,
        });
        let right = Vector3::from_fn(|d, _| if free[d] { -gradient[d] } else { 0.0 });
        if let Some(cholesky) = matrix.cholesky() {
            let least = cholesky.l_dirty().diagonal().amin();
            if least * least > 1e-12 * largest {
                return Some(cholesky.solve(&right));
            }
        }
        added = if added == 0.0 { 1e-4 * largest } else { 4.0 * added };
    }
    None
}
