//! Newton's method along pixel rows, eight rows at a time.
//!
//! From pixel to pixel parameters change smoothly, so that the last four
//! columns extrapolate the next ones, and one or two steps are enough. Eight rows run
//! in the lanes of vectors; nothing depends on the machine's vectors.

// lanes index several arrays at once; `clamp` would keep NaN
#![allow(clippy::needless_range_loop, clippy::manual_clamp)]

use super::PixelPlane;
use super::newton::{
    FRAME_ROUNDING, LANES, LaneNumbers, NewtonPart, guess, settle, settle_or_exclude,
};
use crate::locate::FRAME_MARGIN;

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
    plane: &PixelPlane<'_>,
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
            let point = plane.center(column, first + lane as u32);
            (0..3).for_each(|d| x[d][lane] = point[d]);
        }
        let guess = guess(newton, &x);
        let mut t = history.extrapolate(&guess);
        let settled = settle(newton, &x, &mut t, &active);
        history.push(t, guess);
        for lane in (0..LANES).filter(|&lane| active[lane]) {
            let row = first + lane as u32;
            decide(newton, row, column, t.map(|t| t[lane]), settled[lane], claims);
        }
    }
}

/// Decides pixels, (row, column), one by one.
#[inline(always)]
pub fn decide_each(
    newton: &NewtonPart,
    plane: &PixelPlane<'_>,
    pixels: &[(u32, u32)],
    claims: &mut impl Claims,
) {
    for pixels in pixels.chunks(LANES) {
        let mut x = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            // lanes beyond the last pixel repeat it
            let (row, column) = pixels[lane.min(pixels.len() - 1)];
            let point = plane.center(column, row);
            (0..3).for_each(|d| x[d][lane] = point[d]);
        }
        let mut t = guess(newton, &x);
        let [settled, excluded] = settle_or_exclude(newton, &x, &mut t);
        for (lane, &(row, column)) in pixels.iter().enumerate().filter(|(lane, _)| !excluded[*lane])
        {
            decide(newton, row, column, t.map(|t| t[lane]), settled[lane], claims);
        }
    }
}

/// Whether a pixel is in the part.
#[inline(always)]
fn decide(
    newton: &NewtonPart,
    row: u32,
    column: u32,
    t: [f64; 3],
    settled: bool,
    claims: &mut impl Claims,
) {
    let beyond = |reach: [f64; 3]| {
        // also true of NaN
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
fn span(
    newton: &NewtonPart,
    plane: &PixelPlane<'_>,
    sides: &[[f64; 2]; 3],
    row: u32,
    columns: [u32; 2],
) -> [u32; 2] {
    let frame = &newton.frame;
    let y = frame.guess(plane.center(0, row));
    let next = frame.guess(plane.center(1, row));
    let (mut low, mut high) = (f64::from(columns[0]), f64::from(columns[1]) - 1.0);
    for d in 0..3 {
        let slope = next[d] - y[d];
        let ends = sides[d];
        if slope.abs() * high.max(1.0) < FRAME_ROUNDING {
            if y[d] < ends[0] - FRAME_ROUNDING || y[d] > ends[1] + FRAME_ROUNDING {
                return [0; 2];
            }
            continue;
        }
        let [a, b] = ends.map(|end| (end - y[d]) / slope);
        let extra = FRAME_ROUNDING / slope.abs();
        low = low.max(a.min(b) - extra);
        high = high.min(a.max(b) + extra);
    }
    // saturate; empty where they cross
    let (low, high) = (low.ceil() as u32, (high.floor() + 1.0) as u32);
    if low < high { [low, high] } else { [0; 2] }
}

/// Parameters of the columns before, the latest first.
#[derive(Default)]
struct History {
    count: usize,
    last: [[LaneNumbers; 3]; 4],
    guess: [LaneNumbers; 3],
}

impl History {
    /// The parameters of the next column, by a polynomial through the ones before.
    #[inline(always)]
    fn extrapolate(&self, guess: &[LaneNumbers; 3]) -> [LaneNumbers; 3] {
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
                t[d][i] = t[d][i].max(-FRAME_MARGIN).min(1.0 + FRAME_MARGIN);
            }
        }
        t
    }

    #[inline(always)]
    fn push(&mut self, t: [LaneNumbers; 3], guess: [LaneNumbers; 3]) {
        self.last = [t, self.last[0], self.last[1], self.last[2]];
        self.guess = guess;
        self.count += 1;
    }
}
