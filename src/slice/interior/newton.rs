//! Newton's method on nearly affine parts, eight points at a time in the lanes of vectors.

// lanes index several arrays at once; `clamp` would keep NaN
#![allow(clippy::needless_range_loop, clippy::manual_clamp)]

use nalgebra::Vector3;

use crate::locate::{AffineFrame, FRAME_MARGIN, MAX_KAPPA, TricubicPoints};

/// Points that are worked on together.
pub const LANES: usize = 8;
/// Steps a pixel at most; those that need more are left to the locator.
const MAX_NEWTON_STEPS: usize = 8;
/// A step so short was the last: the error that it leaves is about its square.
const LAST_STEP_LENGTH: f64 = 1e-7;

/// Such a step was the last where some 10⁻⁹ are enough.
const NODE_SHORT: f64 = 1e-5;
/// How far beyond [0, 1] places are followed that only have to continue those inside smoothly.
const NODE_MARGIN: f64 = 1.0;

/// What rounding may do to the frame's y.
pub const FRAME_ROUNDING: f64 = 1e-9;

/// A number in every lane.
pub type LaneNumbers = [f64; LANES];

/// A box of a Bézier piece in which Newton's method decides.
pub struct NewtonPart {
    /// Bézier points, `[w][v][u]`.
    pub points: TricubicPoints,
    /// The nearly affine map.
    pub frame: AffineFrame,
    /// Least corner of the part in the element's parameters.
    pub origin: [f64; 3],
    /// Edge lengths of the part in the element's parameters.
    pub size: [f64; 3],
    /// A point so near, in the part's own parameters, is in it for certain.
    pub enough: [f64; 3],
    /// A point farther away is not in it.
    pub most: [f64; 3],
    /// The sides that are sides of the piece too, the lower and the upper: beyond the others the
    /// piece goes on.
    pub outer: [[bool; 2]; 3],
}

impl NewtonPart {
    /// Least and largest y of its points in the frame.
    pub fn sides(&self) -> [[f64; 2]; 3] {
        let AffineFrame { low, high, .. } = &self.frame;
        std::array::from_fn(|d| [low[d] - self.most[d], high[d] + self.most[d]])
    }
}

/// Newton's method from `t`, until the lanes that are active have settled; says which have.
#[inline(always)]
pub fn settle(
    newton: &NewtonPart,
    x: &[LaneNumbers; 3],
    t: &mut [LaneNumbers; 3],
    active: &[bool; LANES],
) -> [bool; LANES] {
    let mut settled = [false; LANES];
    for _ in 0..MAX_NEWTON_STEPS {
        let (longest, _) = step(newton, x, t, FRAME_MARGIN);
        settled = longest.map(|length| length <= LAST_STEP_LENGTH);
        if (0..LANES).all(|lane| settled[lane] || !active[lane]) {
            break;
        }
    }
    settled
}

/// Newton's method from `t` to about 10⁻⁹, in the part or beside it; whether all lanes have
/// settled.
#[inline(always)]
pub fn approach(newton: &NewtonPart, x: &[LaneNumbers; 3], t: &mut [LaneNumbers; 3]) -> bool {
    for _ in 0..MAX_NEWTON_STEPS {
        let (longest, _) = step(newton, x, t, NODE_MARGIN);
        if longest.iter().all(|&length| length <= NODE_SHORT) {
            return true;
        }
    }
    false
}

/// Newton's method from `t`, until every lane has settled or is known to be outside the part; says
/// which are which.
#[inline(always)]
pub fn settle_or_exclude(
    newton: &NewtonPart,
    x: &[LaneNumbers; 3],
    t: &mut [LaneNumbers; 3],
) -> [[bool; LANES]; 2] {
    let (mut settled, mut excluded) = ([false; LANES], [false; LANES]);
    for t in t.iter_mut().flatten() {
        *t = t.max(-FRAME_MARGIN).min(1.0 + FRAME_MARGIN);
    }
    for _ in 0..MAX_NEWTON_STEPS {
        let before = *t;
        let (longest, off) = step(newton, x, t, FRAME_MARGIN);
        exclude(newton, &before, &off, &mut excluded);
        settled = longest.map(|length| length <= LAST_STEP_LENGTH);
        if (0..LANES).all(|lane| settled[lane] || excluded[lane]) {
            break;
        }
    }
    [settled, excluded]
}

/// Finds lanes whose points are not in the part: their places at `t` are `off` from them.
///
/// With A the frame's matrix and κ its bound, A⁻¹ (F(s) − F(t)) differs from s − t by at most κ ‖s
/// − t‖ (largest components), and so ‖s − t‖ ≤ ‖A⁻¹ (F(s) − F(t))‖ / (1 − κ). So a point whose F(s)
/// is in reach has s in a box around t + A⁻¹ off, and if that box misses the part, it has none.
#[inline(always)]
fn exclude(
    newton: &NewtonPart,
    t: &[LaneNumbers; 3],
    off: &[LaneNumbers; 3],
    excluded: &mut [bool; LANES],
) {
    const STEP_TO_ERROR: f64 = MAX_KAPPA / (1.0 - MAX_KAPPA);
    let (rows, most) = (&newton.frame.inverse, &newton.most);
    let farthest = most[0].max(most[1]).max(most[2]);
    let (mut y, mut longest) = ([[0.0; LANES]; 3], [0.0_f64; LANES]);
    for d in 0..3 {
        for i in 0..LANES {
            y[d][i] = rows[d][0] * off[0][i] + rows[d][1] * off[1][i] + rows[d][2] * off[2][i];
            longest[i] = longest[i].max(y[d][i].abs());
        }
    }
    for d in 0..3 {
        for i in 0..LANES {
            let (s, reach) =
                (t[d][i] + y[d][i], STEP_TO_ERROR * (longest[i] + farthest) + farthest);
            // also false of NaN
            excluded[i] |= s - reach > 1.0 || s + reach < 0.0;
        }
    }
}

/// The frame's y of points.
#[inline(always)]
pub fn guess(newton: &NewtonPart, x: &[LaneNumbers; 3]) -> [LaneNumbers; 3] {
    let (rows, offset) = (&newton.frame.inverse, &newton.frame.offset);
    let mut y = [[0.0; LANES]; 3];
    for d in 0..3 {
        for lane in 0..LANES {
            y[d][lane] = rows[d][0] * x[0][lane]
                + rows[d][1] * x[1][lane]
                + rows[d][2] * x[2][lane]
                + offset[d];
        }
    }
    y
}

/// One Newton step, kept within `margin` of the part. Returns how long it was in each lane, and how
/// far the points were off before it.
#[inline(always)]
fn step(
    newton: &NewtonPart,
    x: &[LaneNumbers; 3],
    t: &mut [LaneNumbers; 3],
    margin: f64,
) -> (LaneNumbers, [LaneNumbers; 3]) {
    let [u, v, w] = [basis(&t[0]), basis(&t[1]), basis(&t[2])];
    // point, by u, by v, by w: [quantity][d]
    let mut jet = [[[0.0; LANES]; 3]; 4];
    for (k, layer) in newton.points.as_chunks::<16>().0.iter().enumerate() {
        // value, by u, by v
        let mut across = [[[0.0; LANES]; 3]; 3];
        for (j, line) in layer.as_chunks::<4>().0.iter().enumerate() {
            for d in 0..3 {
                for i in 0..LANES {
                    let [p, q, r, s] = [line[0][d], line[1][d], line[2][d], line[3][d]];
                    let [b, db] = [&u[0], &u[1]];
                    let value = b[0][i] * p + b[1][i] * q + (b[2][i] * r + b[3][i] * s);
                    let by_u = db[0][i] * p + db[1][i] * q + (db[2][i] * r + db[3][i] * s);
                    across[0][d][i] += v[0][j][i] * value;
                    across[1][d][i] += v[0][j][i] * by_u;
                    across[2][d][i] += v[1][j][i] * value;
                }
            }
        }
        for d in 0..3 {
            for i in 0..LANES {
                jet[0][d][i] += w[0][k][i] * across[0][d][i];
                jet[1][d][i] += w[0][k][i] * across[1][d][i];
                jet[2][d][i] += w[0][k][i] * across[2][d][i];
                jet[3][d][i] += w[1][k][i] * across[0][d][i];
            }
        }
    }
    let (mut longest, mut off) = ([0.0; LANES], [[0.0; LANES]; 3]);
    for i in 0..LANES {
        let vector = |q: usize| Vector3::new(jet[q][0][i], jet[q][1][i], jet[q][2][i]);
        let (a, b, c) = (vector(1), vector(2), vector(3));
        let r = Vector3::new(x[0][i], x[1][i], x[2][i]) - vector(0);
        (0..3).for_each(|d| off[d][i] = r[d]);
        let (bc, ca, ab) = (b.cross(&c), c.cross(&a), a.cross(&b));
        let scale = 1.0 / a.dot(&bc);
        let steps = [r.dot(&bc) * scale, r.dot(&ca) * scale, r.dot(&ab) * scale];
        for d in 0..3 {
            // the order of these two turns NaN into a bound
            t[d][i] = (t[d][i] + steps[d]).max(-margin).min(1.0 + margin);
            // but leaves it here
            let length = steps[d].abs();
            longest[i] = if length <= longest[i] { longest[i] } else { length };
        }
    }
    (longest, off)
}

/// Bernstein polynomials and their derivatives.
#[inline(always)]
fn basis(t: &LaneNumbers) -> [[LaneNumbers; 4]; 2] {
    let mut all = [[[0.0; LANES]; 4]; 2];
    for i in 0..LANES {
        let [b, db] = crate::locate::basis(t[i]);
        for n in 0..4 {
            all[0][n][i] = b[n];
            all[1][n][i] = db[n];
        }
    }
    all
}
