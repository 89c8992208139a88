//! Trapezoids between pixel rows that cover the pixels of a part.
//!
//! # Theory
//! A part's pixels lie in a convex polygon: where all y of its frame are between their bounds.
//! Between two rows, the lines through the edges at the middle row hold the polygon, since it is
//! convex. Where they hold much more than the polygon they are split at one of its corners.

use super::newton::FRAME_ROUNDING;
use crate::backend::operations::PixelRegion;

/// A corner of a polygon, (column, row), whole numbers at the middles of pixels.
type PixelCorner = [f64; 2];

/// What a split must save at least, in pixels.
const MIN_SAVED_PIXELS: f64 = 64.0;
/// What a split must save at least, as a fraction of the trapezoid.
const MIN_SAVED_FRACTION: f64 = 0.15;
/// Trapezoids that a polygon is split into are not split more often.
const MAX_SPLITS: u32 = 4;
/// What rounding may do to columns and rows.
const COLUMN_ROUNDING: f64 = 1e-9;

/// Pixels between two rows and two lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trapezoid {
    /// The lower and the upper end.
    rows: [f64; 2],
    /// Columns at the lower end, from left to right.
    low: [f64; 2],
    /// Columns at the upper end.
    high: [f64; 2],
}

impl Trapezoid {
    /// About how many pixels it has.
    pub fn area(&self) -> f64 {
        let [low, high] = [self.low, self.high].map(|[left, right]| right - left);
        0.5 * (low + high) * (self.rows[1] - self.rows[0])
    }

    /// The rows, end excluded, that have pixels in it.
    pub fn rows(&self) -> [u32; 2] {
        whole(self.rows)
    }

    /// The columns, end excluded, of a row's pixels in it.
    pub fn columns(&self, row: u32) -> [u32; 2] {
        whole(self.ends(f64::from(row)))
    }

    /// Columns of the lines at a row.
    #[inline(always)]
    pub fn ends(&self, row: f64) -> [f64; 2] {
        self.ends_at(self.along(row))
    }

    /// Where a row is, from -1 to 1.
    #[inline(always)]
    pub fn along(&self, row: f64) -> f64 {
        let [low, high] = self.rows;
        let height = (high - low).max(f64::MIN_POSITIVE);
        ((2.0 * row - (low + high)) / height).clamp(-1.0, 1.0)
    }

    /// Columns of the lines at a place along the rows, from -1 to 1.
    #[inline(always)]
    pub fn ends_at(&self, along: f64) -> [f64; 2] {
        // written out: closures in hot loops may end up as calls
        let ([left, right], [upper_left, upper_right]) = (self.low, self.high);
        [mix([left, upper_left], along), mix([right, upper_right], along)]
    }

    /// The row at a place along the rows, from -1 to 1.
    #[inline(always)]
    pub fn row_at(&self, along: f64) -> f64 {
        mix(self.rows, along)
    }

    /// The same for a device, with the halves of an edge of a cell and its first polynomial.
    pub fn region(&self, halves: f64, first: u32) -> PixelRegion {
        let Self { rows, low, high } = *self;
        PixelRegion { rows, low, high, halves, first, padding: 0 }
    }

    /// Parts of equal widths and heights: `across` and `along` the rows.
    pub fn split(&self, [across, along]: [u32; 2]) -> impl Iterator<Item = Self> + use<> {
        let own = *self;
        let place = |i: u32, count: u32| 2.0 * f64::from(i) / f64::from(count) - 1.0;
        (0..across * along).map(move |i| {
            let (i, j) = (i % across, i / across);
            let columns = [0, 1].map(|k| {
                let ends = own.ends_at(place(j + k, along));
                [0, 1].map(|side| mix(ends, place(i + side, across)))
            });
            let rows = [0, 1].map(|k| mix(own.rows, place(j + k, along)));
            Self { rows, low: columns[0], high: columns[1] }
        })
    }
}

/// The whole numbers between two, end excluded.
fn whole([low, high]: [f64; 2]) -> [u32; 2] {
    // saturates; empty where they cross
    [(low - COLUMN_ROUNDING).ceil() as u32, (high + COLUMN_ROUNDING + 1.0).floor() as u32]
}

/// A linear function over the plane of pixels: at (0, 0), by column, by row.
pub type LinearFunction = [f64; 3];

/// Trapezoids that cover the pixels in `columns` and `rows`, ends excluded, where all of `y` are
/// between their `sides`.
pub fn trapezoids(
    [columns, rows]: [[u32; 2]; 2],
    y: &[LinearFunction; 3],
    sides: &[[f64; 2]; 3],
) -> Vec<Trapezoid> {
    let ends = |[first, end]: [u32; 2]| [f64::from(first) - 0.5, f64::from(end) - 0.5];
    let ([left, right], [low, high]) = (ends(columns), ends(rows));
    let mut polygon = vec![[left, low], [right, low], [right, high], [left, high]];
    for (y, [least, most]) in y.iter().zip(sides) {
        let at = |[column, row]: PixelCorner| y[0] + column * y[1] + row * y[2];
        polygon = clipped(&polygon, |corner| at(corner) - (least - FRAME_ROUNDING));
        polygon = clipped(&polygon, |corner| most + FRAME_ROUNDING - at(corner));
    }
    let mut found = Vec::new();
    let rows = polygon.iter().map(|corner| corner[1]);
    let [low, high] =
        rows.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], row| [a.min(row), b.max(row)]);
    if low <= high {
        cover(&polygon, [low, high], MAX_SPLITS, &mut found);
    }
    found
}

/// The part of a convex polygon where a linear function is not negative.
fn clipped(polygon: &[PixelCorner], function: impl Fn(PixelCorner) -> f64) -> Vec<PixelCorner> {
    let mut part = Vec::with_capacity(polygon.len() + 1);
    for (i, &a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        let (at_a, at_b) = (function(a), function(b));
        if at_a >= 0.0 {
            part.push(a);
        }
        if (at_a >= 0.0) != (at_b >= 0.0) {
            let t = at_a / (at_a - at_b);
            part.push([0, 1].map(|d| a[d] + t * (b[d] - a[d])));
        }
    }
    part
}

/// Covers a convex polygon between two rows.
fn cover(polygon: &[PixelCorner], rows: [f64; 2], splits: u32, found: &mut Vec<Trapezoid>) {
    let whole = around(polygon, rows);
    let mut best = (whole.area() * (1.0 - MIN_SAVED_FRACTION) - MIN_SAVED_PIXELS, None);
    if splits > 0 && best.0 > 0.0 {
        let between = polygon.iter().map(|corner| corner[1]);
        for row in between.filter(|&row| rows[0] < row && row < rows[1]) {
            let parts = [[rows[0], row], [row, rows[1]]];
            let area = parts.iter().map(|&rows| around(polygon, rows).area()).sum();
            if area < best.0 {
                best = (area, Some(parts));
            }
        }
    }
    match best.1 {
        Some(parts) => parts.iter().for_each(|&rows| cover(polygon, rows, splits - 1, found)),
        None => found.push(whole),
    }
}

/// The trapezoid around a convex polygon between two rows.
fn around(polygon: &[PixelCorner], [low, high]: [f64; 2]) -> Trapezoid {
    let middle = 0.5 * (low + high);
    // the edges that reach the middle row: columns there, at the lower and at the upper end
    let mut left = [f64::INFINITY; 3];
    let mut right = [f64::NEG_INFINITY; 3];
    for (i, &a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        let [bottom, top] = if a[1] < b[1] { [a, b] } else { [b, a] };
        if bottom[1] > middle || top[1] < middle {
            continue;
        }
        if top[1] - bottom[1] <= COLUMN_ROUNDING {
            // all of the polygon is in about one row
            let ends = [a[0].min(b[0]), a[0].max(b[0])];
            left = least(left, [ends[0]; 3]);
            right = least(right.map(|x| -x), [-ends[1]; 3]).map(|x| -x);
            continue;
        }
        let slope = (top[0] - bottom[0]) / (top[1] - bottom[1]);
        let line = [middle, low, high].map(|row| bottom[0] + slope * (row - bottom[1]));
        left = least(left, line);
        right = least(right.map(|x| -x), line.map(|x| -x)).map(|x| -x);
    }
    Trapezoid { rows: [low, high], low: [left[1], right[1]], high: [left[2], right[2]] }
}

/// The line that is less at the middle row.
fn least(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    if b[0] < a[0] { b } else { a }
}

/// Maps the range from -1 to 1 to another.
#[inline(always)]
pub fn mix([low, high]: [f64; 2], x: f64) -> f64 {
    0.5 * ((1.0 - x) * low + (1.0 + x) * high)
}
