//! Newton's method along pixel rows, eight rows at a time.
//!
//! From pixel to pixel parameters change smoothly, so that those of the last four
//! columns extrapolate the next ones, and one or two steps are enough. Eight rows run
//! in the lanes of vectors; nothing depends on what the machine's vectors are.

// lanes index several arrays at once; `clamp` would keep what is not a number
#![allow(clippy::needless_range_loop, clippy::manual_clamp)]

use nalgebra::Vector3;

use super::Plane;
use super::parts::NewtonPart;
use crate::locate::MARGIN;

/// Rows that march together.
pub const LANES: usize = 8;
/// Steps a pixel at most; those that need more are left to the locator.
const STEPS: usize = 8;
/// A step so short was the last: the error that it leaves is about its square.
const SHORT: f64 = 1e-7;

/// A number in every lane.
pub type Lanes = [f64; LANES];

/// Who looks for the pixels of a part.
pub trait Claims {
    /// Whether a pixel is still looked for.
    fn wanted(&self, row: u32, column: u32) -> bool;
    /// A pixel is in the part, at these of the part's own parameters.
    fn inside(&mut self, row: u32, column: u32, t: [f64; 3]);
    /// A pixel is so near to the part's sides that distances decide, or Newton's
    /// method did not settle.
    fn undecided(&mut self, row: u32, column: u32);
}

/// Marches over the pixels of `newton` in the rows `first..first + LANES`.
#[inline(always)]
pub fn march(
    newton: &NewtonPart,
    plane: &Plane<'_>,
    first: u32,
    columns: [u32; 2],
    claims: &mut impl Claims,
) {
    let sides = newton.sides();
    let spans: [[u32; 2]; LANES] =
        std::array::from_fn(|lane| span(newton, plane, &sides, first + lane as u32, columns));
    let start = spans.iter().map(|s| s[0]).min().unwrap_or(0);
    let end = spans.iter().map(|s| s[1]).max().unwrap_or(0);
    let mut history = History::default();
    for column in start..end {
        let mut active = [false; LANES];
        for lane in 0..LANES {
            let [low, high] = spans[lane];
            let row = first + lane as u32;
            active[lane] = low <= column && column < high && claims.wanted(row, column);
        }
        if !active.contains(&true) {
            history.count = 0;
            continue;
        }
        let mut x = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            let point = plane.centre(column, first + lane as u32);
            (0..3).for_each(|d| x[d][lane] = point[d]);
        }
        let guess = guess(newton, &x);
        let mut t = history.extrapolate(&guess);
        let settled = settle(newton, &x, &mut t, &active);
        history.push(t, guess);
        for lane in (0..LANES).filter(|&lane| active[lane]) {
            let pixel = (first + lane as u32, column);
            decide(newton, pixel, t.map(|t| t[lane]), settled[lane], claims);
        }
    }
}

/// Decides pixels, (row, column), one by one.
#[inline(always)]
pub fn decide_each(
    newton: &NewtonPart,
    plane: &Plane<'_>,
    pixels: &[(u32, u32)],
    claims: &mut impl Claims,
) {
    for pixels in pixels.chunks(LANES) {
        let mut x = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            // lanes beyond the last pixel repeat it
            let (row, column) = pixels[lane.min(pixels.len() - 1)];
            let point = plane.centre(column, row);
            (0..3).for_each(|d| x[d][lane] = point[d]);
        }
        let mut t = guess(newton, &x);
        let settled = settle(newton, &x, &mut t, &[true; LANES]);
        for (lane, &pixel) in pixels.iter().enumerate() {
            decide(newton, pixel, t.map(|t| t[lane]), settled[lane], claims);
        }
    }
}

/// Newton's method from `t`, until the lanes that are active have settled; says which have.
#[inline(always)]
pub fn settle(
    newton: &NewtonPart,
    x: &[Lanes; 3],
    t: &mut [Lanes; 3],
    active: &[bool; LANES],
) -> [bool; LANES] {
    let mut settled = [false; LANES];
    for _ in 0..STEPS {
        let longest = step(newton, x, t);
        settled = longest.map(|length| length <= SHORT);
        if (0..LANES).all(|lane| settled[lane] || !active[lane]) {
            break;
        }
    }
    settled
}

/// Whether a pixel is in the part.
#[inline(always)]
fn decide(
    newton: &NewtonPart,
    (row, column): (u32, u32),
    t: [f64; 3],
    settled: bool,
    claims: &mut impl Claims,
) {
    let beyond = |reach: [f64; 3]| {
        // also true of what is not a number
        (0..3).any(|d| !(t[d] >= -reach[d] && t[d] <= 1.0 + reach[d]))
    };
    if settled && !beyond(newton.enough) {
        claims.inside(row, column, t.map(|t| t.clamp(0.0, 1.0)));
    } else if !settled || !beyond(newton.most) {
        claims.undecided(row, column);
    }
}

/// The columns of a row whose y are in `sides`.
#[inline(always)]
pub fn span(
    newton: &NewtonPart,
    plane: &Plane<'_>,
    sides: &[[f64; 2]; 3],
    row: u32,
    columns: [u32; 2],
) -> [u32; 2] {
    let frame = &newton.frame;
    let y = frame.guess(plane.centre(0, row));
    let next = frame.guess(plane.centre(1, row));
    let (mut low, mut high) = (f64::from(columns[0]), f64::from(columns[1]) - 1.0);
    for d in 0..3 {
        let slope = next[d] - y[d];
        let ends = sides[d];
        // what rounding may do to y
        let slack = 1e-9;
        if slope.abs() * high.max(1.0) < slack {
            if y[d] < ends[0] - slack || y[d] > ends[1] + slack {
                return [0; 2];
            }
            continue;
        }
        let [a, b] = ends.map(|end| (end - y[d]) / slope);
        let extra = slack / slope.abs();
        low = low.max(a.min(b) - extra);
        high = high.min(a.max(b) + extra);
    }
    // saturate; empty where they cross
    let (low, high) = (low.ceil() as u32, (high.floor() + 1.0) as u32);
    if low < high { [low, high] } else { [0; 2] }
}

/// The frame's y of points.
#[inline(always)]
fn guess(newton: &NewtonPart, x: &[Lanes; 3]) -> [Lanes; 3] {
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

/// Parameters of the columns before, the latest first.
#[derive(Default)]
struct History {
    count: usize,
    last: [[Lanes; 3]; 4],
    guess: [Lanes; 3],
}

impl History {
    /// The parameters of the next column, by a polynomial through the ones before.
    #[inline(always)]
    fn extrapolate(&self, guess: &[Lanes; 3]) -> [Lanes; 3] {
        let [a, b, c, e] = &self.last;
        let mut t = [[0.0; LANES]; 3];
        for d in 0..3 {
            for i in 0..LANES {
                t[d][i] = match self.count {
                    0 => guess[d][i],
                    1 => a[d][i] + (guess[d][i] - self.guess[d][i]),
                    2 => 2.0 * a[d][i] - b[d][i],
                    3 => 3.0 * (a[d][i] - b[d][i]) + c[d][i],
                    _ => 4.0 * (a[d][i] + c[d][i]) - 6.0 * b[d][i] - e[d][i],
                };
                t[d][i] = t[d][i].max(-MARGIN).min(1.0 + MARGIN);
            }
        }
        t
    }

    #[inline(always)]
    fn push(&mut self, t: [Lanes; 3], guess: [Lanes; 3]) {
        self.last = [t, self.last[0], self.last[1], self.last[2]];
        self.guess = guess;
        self.count += 1;
    }
}

/// One Newton step, kept near the part. Returns how long it was in each lane.
#[inline(always)]
fn step(newton: &NewtonPart, x: &[Lanes; 3], t: &mut [Lanes; 3]) -> Lanes {
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
    let mut longest = [0.0; LANES];
    for i in 0..LANES {
        let vector = |q: usize| Vector3::new(jet[q][0][i], jet[q][1][i], jet[q][2][i]);
        let (a, b, c) = (vector(1), vector(2), vector(3));
        let r = Vector3::new(x[0][i], x[1][i], x[2][i]) - vector(0);
        let (bc, ca, ab) = (b.cross(&c), c.cross(&a), a.cross(&b));
        let scale = 1.0 / a.dot(&bc);
        let steps = [r.dot(&bc) * scale, r.dot(&ca) * scale, r.dot(&ab) * scale];
        for d in 0..3 {
            // the order of these two turns what is not a number into a bound
            t[d][i] = (t[d][i] + steps[d]).max(-MARGIN).min(1.0 + MARGIN);
            // but leaves it here
            let length = steps[d].abs();
            longest[i] = if length <= longest[i] { longest[i] } else { length };
        }
    }
    longest
}

/// Bernstein polynomials and their derivatives.
#[inline(always)]
fn basis(t: &Lanes) -> [[Lanes; 4]; 2] {
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
