//! The point of a bicubic Bézier patch that is closest to a point in space, for certain.
//!
//! # Theory
//! Half the squared distance D(s, t) = |S(s, t) − x|²/2 has the gradient (r·Sₛ, r·Sₜ) and the
//! Hessian Sᵢ·Sⱼ + r·Sᵢⱼ with r = S − x. Newton's method with both terms of the Hessian, held in
//! the square, finds a stationary place of D. Gauss-Newton, without the second term, stops early
//! where the patch bends and x is far.
//!
//! The stationary place is the closest one if D is convex on the part considered, or rises
//! along one parameter and is convex along the other, which bounds of its derivatives by Bézier
//! points prove. Otherwise the part is halved. A part is left out
//! when the plane of its nearest Bézier point, seen from x, is farther than the best so far:
//! |p − x| ≥ n·(p − x) for every unit vector n. That bound is off by the square of the part's
//! size only, unlike the distance of its box. Two vectors n are tried: toward the middle of the
//! part, and toward the best place so far, whose plane leaves out all that meets there at once,
//! around an edge or a corner of the solid.

use nalgebra::{Matrix2, Vector2, Vector3};

use super::bernstein;

/// Bézier points `[t][s]`.
pub type BicubicPoints = [Vector3<f64>; 16];

/// Halvings at most: parts are then as small as rounding.
const MAX_HALVINGS: u32 = 100;
/// Steps of Newton's method at most.
const MAX_NEWTON_STEPS: usize = 40;
/// The decrease that a step must bring, as a fraction of its slope's (Armijo).
const ARMIJO_FRACTION: f64 = 1e-4;
/// Of half the squared distance, as a fraction of it.
const DISTANCE_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Steps at most whose decrease is less than rounding.
const MAX_HIDDEN_STEPS: u32 = 2;
/// The square of such a step, and so the error after it, is below rounding.
const LAST_STEP_LENGTH: f64 = 1e-8;

/// The closest place so far.
#[derive(Clone, Copy, Debug)]
pub struct PatchFoot {
    /// (s, t) in [0, 1]².
    pub parameters: [f64; 2],
    /// Distance of the place, in length units.
    pub distance: f64,
    /// The vector to it.
    pub away: Vector3<f64>,
}

/// The place of `patch` that is closest to `x`, if it is nearer than `most`. Nothing of the patch
/// is nearer by more than `slack`. `toward` is a unit vector along which the patch is likely to be
/// farther than `most`, or 0.
pub fn closest_on_patch(
    patch: &BicubicPoints,
    x: Vector3<f64>,
    most: f64,
    toward: Vector3<f64>,
    slack: f64,
) -> Option<PatchFoot> {
    let all = PatchSquare { low: [0.0; 2], size: [1.0; 2] };
    let mut search = PatchSearch { patch, x, slack, most, toward, found: None, within: all };
    search.part(patch, all, MAX_HALVINGS);
    search.found
}

struct PatchSearch<'a> {
    patch: &'a BicubicPoints,
    x: Vector3<f64>,
    slack: f64,
    // the best distance so far
    most: f64,
    // the unit vector to the best place so far, of this patch or another one
    toward: Vector3<f64>,
    found: Option<PatchFoot>,
    // where it is stationary
    within: PatchSquare,
}

/// A part of the patch's parameters.
#[derive(Clone, Copy)]
struct PatchSquare {
    low: [f64; 2],
    size: [f64; 2],
}

impl PatchSquare {
    fn high(&self, d: usize) -> f64 {
        self.low[d] + self.size[d]
    }

    fn contains(&self, part: &Self) -> bool {
        (0..2).all(|d| part.low[d] >= self.low[d] && part.high(d) <= self.high(d))
    }

    fn holds(&self, p: [f64; 2]) -> bool {
        (0..2).all(|d| p[d] >= self.low[d] && p[d] <= self.high(d))
    }

    fn clamp(&self, p: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|d| p[d].clamp(self.low[d], self.high(d)))
    }
}

impl PatchSearch<'_> {
    /// Looks at the part with these Bézier points.
    fn part(&mut self, points: &BicubicPoints, square: PatchSquare, halvings: u32) {
        if self.is_beyond(points, self.toward) || self.is_beyond(points, self.middle(points)) {
            return;
        }
        let is_settled =
            self.found.is_some_and(|f| square.holds(f.parameters) && self.within.contains(&square));
        if !is_settled {
            let start = [0, 1].map(|d| square.low[d] + 0.5 * square.size[d]);
            let found = descend(self.patch, self.x, square, start);
            if found.distance < self.most {
                self.most = found.distance;
                self.toward = found.away.try_normalize(0.0).unwrap_or_default();
                self.found = Some(found);
                self.within = square;
                if self.is_beyond(points, self.toward) {
                    return;
                }
            }
        }
        if halvings == 0 || has_one_minimum(points, self.x) {
            return;
        }
        let along = longest(points);
        let (first, second) = halves(points, along);
        let mut squares = [square; 2];
        squares[0].size[along] *= 0.5;
        squares[1].size[along] *= 0.5;
        squares[1].low[along] += squares[1].size[along];
        let mut parts = [(first, squares[0]), (second, squares[1])];
        // the half with the best so far prunes the other
        let best_is_second = self.found.is_some_and(|found| squares[1].holds(found.parameters));
        if best_is_second {
            parts.swap(0, 1);
        }
        for (points, square) in parts {
            self.part(&points, square, halvings - 1);
        }
    }
    /// The unit vector from `x` to the middle of the part.
    fn middle(&self, points: &BicubicPoints) -> Vector3<f64> {
        let middle = (points[0] + points[3] + points[12] + points[15]) * 0.25;
        (middle - self.x).try_normalize(0.0).unwrap_or_default()
    }

    /// Whether a plane across the unit vector `n` has the part beyond it, no nearer than the best.
    fn is_beyond(&self, points: &BicubicPoints, n: Vector3<f64>) -> bool {
        // a least one of each line: comparisons that do not wait for each other
        let mut least = [f64::INFINITY; 4];
        for line in points.as_chunks::<4>().0 {
            for (least, p) in least.iter_mut().zip(line) {
                let along = n.x * p.x + n.y * p.y + n.z * p.z;
                *least = if along < *least { along } else { *least };
            }
        }
        let least = least.into_iter().fold(f64::INFINITY, f64::min);
        least - n.dot(&self.x) >= self.most - self.slack
    }
}

/// Newton's method from `start`, held in the square.
fn descend(
    patch: &BicubicPoints,
    x: Vector3<f64>,
    square: PatchSquare,
    start: [f64; 2],
) -> PatchFoot {
    let mut at = start;
    let mut jet = PatchJet::of(patch, at);
    let mut away = jet.point - x;
    let mut half_square = 0.5 * away.norm_squared();
    let mut hidden = 0;
    for _ in 0..MAX_NEWTON_STEPS {
        let gradient = Vector2::new(away.dot(&jet.first[0]), away.dot(&jet.first[1]));
        // held where the distance falls only beyond the side
        let free = [0, 1].map(|d| {
            !(at[d] <= square.low[d] && gradient[d] >= 0.0
                || at[d] >= square.high(d) && gradient[d] <= 0.0)
        });
        let Some(step) = feasible_step(&jet, away, gradient, free, at, square) else { break };
        // a decrease that rounding hides cannot be checked, and the next step is as good as none
        if -gradient.dot(&step) <= DISTANCE_ROUNDING * half_square {
            let next = square.clamp([0, 1].map(|d| at[d] + step[d]));
            let next_jet = PatchJet::of(patch, next);
            let next_away = next_jet.point - x;
            let next_half = 0.5 * next_away.norm_squared();
            if next_half > half_square * (1.0 + DISTANCE_ROUNDING) {
                break;
            }
            (at, jet, away, half_square) = (next, next_jet, next_away, next_half);
            hidden += 1;
            if hidden == MAX_HIDDEN_STEPS || step.amax() <= LAST_STEP_LENGTH {
                break;
            }
            continue;
        }
        let mut length = 1.0;
        let next = loop {
            let next = square.clamp([0, 1].map(|d| at[d] + length * step[d]));
            let moved = Vector2::new(next[0] - at[0], next[1] - at[1]);
            if moved.amax() <= 1e-15 {
                break None;
            }
            let next_jet = PatchJet::of(patch, next);
            let next_away = next_jet.point - x;
            let next_half = 0.5 * next_away.norm_squared();
            if next_half <= half_square + ARMIJO_FRACTION * gradient.dot(&moved)
                && next_half < half_square
            {
                break Some((next, next_jet, next_away, next_half));
            }
            length *= 0.5;
        };
        let Some(next) = next else { break };
        (at, jet, away, half_square) = next;
    }
    PatchFoot { parameters: at, distance: away.norm(), away }
}

/// A step that does not lead out of the square where the place is at its side: what would is held.
fn feasible_step(
    jet: &PatchJet,
    away: Vector3<f64>,
    gradient: Vector2<f64>,
    mut free: [bool; 2],
    at: [f64; 2],
    square: PatchSquare,
) -> Option<Vector2<f64>> {
    loop {
        let step = step(jet, away, gradient, free)?;
        let leaves = |d: usize| {
            free[d]
                && (at[d] <= square.low[d] && step[d] < 0.0
                    || at[d] >= square.high(d) && step[d] > 0.0)
        };
        match (0..2).find(|&d| leaves(d)) {
            Some(d) => free[d] = false,
            None => return Some(step),
        }
    }
}

/// A step along which the distance falls: Newton's, or where the Hessian is not positive,
/// Gauss-Newton's, or down the slope. `None` where no parameter is free.
fn step(
    jet: &PatchJet,
    away: Vector3<f64>,
    gradient: Vector2<f64>,
    free: [bool; 2],
) -> Option<Vector2<f64>> {
    let [a, b] = jet.first;
    let metric = Matrix2::new(a.dot(&a), a.dot(&b), a.dot(&b), b.dot(&b));
    let [aa, ab, bb] = jet.second.map(|second| away.dot(&second));
    let newton = metric + Matrix2::new(aa, ab, ab, bb);
    let scale = metric.trace();
    let solve = |m: &Matrix2<f64>| match free {
        [false, false] => None,
        [true, true] => {
            let determinant = m.determinant();
            let is_positive = m[(0, 0)] > 1e-14 * scale && determinant > 1e-14 * scale * scale;
            is_positive.then(|| {
                let (x, y) = (gradient[0], gradient[1]);
                let toward =
                    Vector2::new(m[(1, 1)] * x - m[(0, 1)] * y, m[(0, 0)] * y - m[(1, 0)] * x);
                -toward / determinant
            })
        }
        [first, _] => {
            let d = usize::from(!first);
            let mut step = Vector2::zeros();
            step[d] = -gradient[d] / m[(d, d)];
            (m[(d, d)] > 1e-14 * scale).then_some(step)
        }
    };
    let slope = || {
        let down = Vector2::from_fn(|d, _| if free[d] { -gradient[d] } else { 0.0 });
        (free != [false; 2] && scale > 0.0).then(|| down / scale)
    };
    solve(&newton).or_else(|| solve(&metric)).or_else(slope)
}

/// Whether a place that is stationary in the part is proven to be the closest in it: the distance
/// from `x` is convex in the parameters, or it rises along one of them and is convex, or rises,
/// along the other.
fn has_one_minimum(points: &BicubicPoints, x: Vector3<f64>) -> bool {
    let at = |i: usize, j: usize| points[4 * j + i];
    let middle = (at(0, 0) + at(3, 0) + at(0, 3) + at(3, 3)) * 0.25;
    let radius = points.iter().map(|p| (p - middle).norm_squared()).fold(0.0, f64::max).sqrt();
    let away = middle - x;
    // r·derivative at the middle, and what it may differ elsewhere
    let bend = |second: Vector3<f64>| (away.dot(&second), radius * second.norm());
    let (mut uu, mut vv, mut uv) = (f64::INFINITY, f64::INFINITY, 0.0_f64);
    for k in 0..4 {
        for i in 0..2 {
            let (value, slack) = bend(6.0 * (at(i, k) - 2.0 * at(i + 1, k) + at(i + 2, k)));
            uu = uu.min(value - slack);
            let (value, slack) = bend(6.0 * (at(k, i) - 2.0 * at(k, i + 1) + at(k, i + 2)));
            vv = vv.min(value - slack);
        }
    }
    let mut u = [Vector3::zeros(); 12];
    let mut v = [Vector3::zeros(); 12];
    for k in 0..4 {
        for i in 0..3 {
            u[3 * k + i] = 3.0 * (at(i + 1, k) - at(i, k));
            v[3 * k + i] = 3.0 * (at(k, i + 1) - at(k, i));
        }
    }
    for j in 0..3 {
        for i in 0..3 {
            let mixed = at(i + 1, j + 1) - at(i, j + 1) - at(i + 1, j) + at(i, j);
            let (value, slack) = bend(9.0 * mixed);
            uv = uv.max(value.abs() + slack);
        }
    }
    let spread = |vectors: &[Vector3<f64>; 12]| {
        let mean = vectors.iter().sum::<Vector3<f64>>() / 12.0;
        let off = vectors.iter().map(|v| (v - mean).norm_squared()).fold(0.0, f64::max).sqrt();
        (mean, off)
    };
    let ((a, da), (b, db)) = (spread(&u), spread(&v));
    let least = |mean: Vector3<f64>, off: f64| (mean.norm() - off).max(0.0).powi(2);
    let cross = a.dot(&b).abs() + a.norm() * db + b.norm() * da + da * db;
    let (uu, vv, uv) = (uu + least(a, da), vv + least(b, db), uv + cross);
    // whether the slope along derivatives has one sign
    let is_monotone = |derivatives: &[Vector3<f64>; 12]| {
        let slopes = derivatives.iter().map(|&derivative| bend(derivative));
        let [least, most] = slopes
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (s, e)| {
                [low.min(s - e), high.max(s + e)]
            });
        least > 0.0 || most < 0.0
    };
    let is_convex = uu > 0.0 && vv > 0.0 && uu * vv > uv * uv;
    is_convex
        || if is_monotone(&u) { vv > 0.0 || is_monotone(&v) } else { uu > 0.0 && is_monotone(&v) }
}

/// The direction, 0 along s and 1 along t, in which a part is longer.
fn longest(points: &BicubicPoints) -> usize {
    let length = |stride: usize, first: [usize; 4]| {
        let line = |from: usize| {
            (0..3)
                .map(|i| (points[from + (i + 1) * stride] - points[from + i * stride]).norm())
                .sum()
        };
        first.map(line).into_iter().fold(0.0, f64::max)
    };
    usize::from(length(4, [0, 1, 2, 3]) > length(1, [0, 4, 8, 12]))
}

/// Both halves of a part.
fn halves(points: &BicubicPoints, along: usize) -> (BicubicPoints, BicubicPoints) {
    let (stride, other) = if along == 0 { (1, 4) } else { (4, 1) };
    let (mut first, mut second) = (*points, *points);
    for line in 0..4 {
        let at = |i: usize| line * other + i * stride;
        let own = [0, 1, 2, 3].map(|i| points[at(i)]);
        let [low, high] = bernstein::halves(own, |a, b| (a + b) * 0.5);
        for i in 0..4 {
            first[at(i)] = low[i];
            second[at(i)] = high[i];
        }
    }
    (first, second)
}

/// The patch and its derivatives at a place.
struct PatchJet {
    point: Vector3<f64>,
    // by s, t
    first: [Vector3<f64>; 2],
    // by ss, st, tt
    second: [Vector3<f64>; 3],
}

impl PatchJet {
    // written out: closures over arrays are calls of their own here, which took a fifth of the time
    fn of(patch: &BicubicPoints, [s, t]: [f64; 2]) -> Self {
        let (bs, bt) = (bernstein::jet(s), bernstein::jet(t));
        let mut jet = Self {
            point: Vector3::zeros(),
            first: [Vector3::zeros(); 2],
            second: [Vector3::zeros(); 3],
        };
        for (j, line) in patch.as_chunks::<4>().0.iter().enumerate() {
            let along =
                |b: &[f64; 4]| line[0] * b[0] + line[1] * b[1] + line[2] * b[2] + line[3] * b[3];
            let (value, slope, bend) = (along(&bs[0]), along(&bs[1]), along(&bs[2]));
            jet.point += value * bt[0][j];
            jet.first[0] += slope * bt[0][j];
            jet.first[1] += value * bt[1][j];
            jet.second[0] += bend * bt[0][j];
            jet.second[1] += slope * bt[1][j];
            jet.second[2] += value * bt[2][j];
        }
        jet
    }
}
