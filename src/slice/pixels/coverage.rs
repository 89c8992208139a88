//! Pixels that contours cover.
//!
//! # Practice
//! Contours are snapped to 1/8192 of a pixel; from there on everything is integers,
//! so pixels do not depend on the order of segments, on threads or on the processor.
//! Walking along a row, the covered area of a pixel changes only where a contour
//! passes. So every segment leaves, in each row it passes, a change in a column or
//! two: the area of the pixel to its right, signed by its direction. A row's pixels
//! are running sums of its changes, with long runs of equal pixels between them, so the
//! time for a layer is proportional to the length of its contours plus its bytes.
//!
//! Pixels inside several overlapping contours are full; what lies inside a
//! clockwise contour alone is empty. So a pixel in which two contours end has the sum of
//! their areas, at most all of it: its union would take their intersections. The planes of an
//! image have sums of their own ([`Raster::begin_plane`]): what overlaps in one does not fill
//! another.

use crate::backend::operations::Sampling;
use crate::error::Result;
use crate::slice::frame::PixelGrid;

/// Steps that an edge of a pixel is divided into.
const STEPS_PER_PIXEL: i64 = 1 << 13;

/// Sum of the changes up to a full pixel: twice the area in steps.
const FULL: i64 = 2 * STEPS_PER_PIXEL * STEPS_PER_PIXEL;

/// Maximum number of columns or rows.
pub const MAX_IMAGE_SIDE: usize = 1 << 16;

/// Most planes.
const PLANES: u32 = 1 << 16;

/// A gray value.
pub trait Gray: Copy + Default + Send + bytemuck::Pod {
    /// The nearest gray to `part / whole`, 0 ≤ `part` ≤ `whole`.
    fn gray(part: i64, whole: i64) -> Self;
}

impl Gray for u8 {
    fn gray(part: i64, whole: i64) -> Self {
        ((part * 255 + whole / 2) / whole) as Self
    }
}

impl Gray for u16 {
    fn gray(part: i64, whole: i64) -> Self {
        ((part * 65535 + whole / 2) / whole) as Self
    }
}

/// Gathers contours, then writes pixels. Memory follows the contours, not the image.
#[derive(Debug)]
pub struct Raster {
    grid: PixelGrid,
    sampling: Sampling,
    changes: Vec<Change>,
    // planes begun; running sums of each along a row
    planes: u32,
    sums: Vec<i64>,
    // the changes by rows: of row r, by_row[row_ends[r - 1]..row_ends[r]]
    by_row: Vec<(u32, i32)>,
    row_ends: Vec<u32>,
}

/// From its column on, pixels of `row` hold `amount` more.
#[derive(Clone, Copy, Debug)]
struct Change {
    row: u32,
    // column · 2¹⁶ + plane
    place: u32,
    amount: i32,
}

impl Raster {
    /// An empty image.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a pitch that is not a positive number, or more
    /// than 65,536 columns or rows.
    pub fn new(grid: PixelGrid, sampling: Sampling) -> Result<Self> {
        grid.check(MAX_IMAGE_SIDE)?;
        let (changes, by_row, row_ends) = (vec![], vec![], vec![]);
        Ok(Self { grid, sampling, changes, planes: 1, sums: vec![], by_row, row_ends })
    }

    /// The grid of the image.
    pub fn grid(&self) -> &PixelGrid {
        &self.grid
    }

    /// Empties the image and keeps its memory.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.planes = 1;
    }

    /// Begins the next of several planes; the first has begun. Each fills a pixel once, whatever
    /// overlaps in it.
    ///
    /// # Panics
    /// If there are more than 65,536.
    pub fn begin_plane(&mut self) {
        self.planes += 1;
        assert!(self.planes <= PLANES, "too many planes");
    }

    /// Adds a directed segment of a closed contour with the material on its left, in
    /// the plane's coordinates.
    pub fn add_segment(&mut self, a: [f64; 2], b: [f64; 2]) {
        let (origin, pitch) = (self.grid.origin, self.grid.pitch);
        let [a, b] = [a, b].map(|p| [0, 1].map(|d| (p[d] - origin[d]) / pitch[d]));
        let [width, height] = self.grid.size.map(|n| n as f64);
        if a[1].max(b[1]) <= 0.0 || a[1].min(b[1]) >= height || a[0].min(b[0]) >= width {
            return;
        }
        let inside = |p: [f64; 2]| p[0] >= 0.0 && p[0] <= width && p[1] >= 0.0 && p[1] <= height;
        if inside(a) && inside(b) {
            self.add_steps(snap(a), snap(b));
        } else {
            self.add_clipped(a, b);
        }
    }

    /// A segment that leaves the image: its part on the left acts from the first
    /// column on, its parts right, above or below do not matter.
    fn add_clipped(&mut self, a: [f64; 2], b: [f64; 2]) {
        let [width, height] = self.grid.size.map(|n| n as f64);
        let at = |t: f64, d: usize| a[d] + t * (b[d] - a[d]);
        let mut stops = vec![0.0, 1.0];
        for (d, value) in [(0, 0.0), (0, width), (1, 0.0), (1, height)] {
            let t = (value - a[d]) / (b[d] - a[d]);
            if t > 0.0 && t < 1.0 {
                stops.push(t);
            }
        }
        stops.sort_by(f64::total_cmp);
        let place = |t: f64| {
            let p = if t == 0.0 {
                a
            } else if t == 1.0 {
                b
            } else {
                [at(t, 0), at(t, 1)]
            };
            [p[0].clamp(0.0, width), p[1].clamp(0.0, height)]
        };
        for pair in stops.windows(2) {
            // clamped parts lie on the border of the image
            self.add_steps(snap(place(pair[0])), snap(place(pair[1])));
        }
    }

    fn add_steps(&mut self, a: [i64; 2], b: [i64; 2]) {
        if a[1] == b[1] {
            return;
        }
        // upward, the material is on the left: pixels to the right lose
        let (low, high, sign) = if a[1] < b[1] { (a, b, -1) } else { (b, a, 1) };
        match self.sampling {
            Sampling::Center => self.add_centers(low, high, sign),
            Sampling::Area => self.add_areas(low, high, sign),
        }
    }

    /// Changes in the rows whose middle line the segment crosses.
    fn add_centers(&mut self, low: [i64; 2], high: [i64; 2], sign: i64) {
        let [dx, dy] = [high[0] - low[0], high[1] - low[1]];
        let half = STEPS_PER_PIXEL / 2;
        // middle lines y with low < y ≤ high
        let first = (low[1] - half).div_euclid(STEPS_PER_PIXEL) + 1;
        let last = (high[1] - half).div_euclid(STEPS_PER_PIXEL);
        for row in first..=last {
            let y = row * STEPS_PER_PIXEL + half;
            // the first column whose middle lies to the right
            let crossing = low[0] * dy + (y - low[1]) * dx;
            let column = (crossing - half * dy).div_euclid(STEPS_PER_PIXEL * dy) + 1;
            self.push(row, column, sign * FULL);
        }
    }

    /// Changes in all rows that the segment passes.
    fn add_areas(&mut self, low: [i64; 2], high: [i64; 2], sign: i64) {
        let [dx, dy] = [high[0] - low[0], high[1] - low[1]];
        let (mut x, mut y) = (low[0], low[1]);
        while y < high[1] {
            let row = y.div_euclid(STEPS_PER_PIXEL);
            let top = ((row + 1) * STEPS_PER_PIXEL).min(high[1]);
            let end = if top == high[1] {
                high[0]
            } else {
                low[0] + (dx * (top - low[1])).div_euclid(dy)
            };
            self.add_row_part(row, [x, end], top - y, sign);
            (x, y) = (end, top);
        }
    }

    /// A part of a segment within a row, from `x[0]` to `x[1]`, `rise` high.
    fn add_row_part(&mut self, row: i64, x: [i64; 2], rise: i64, sign: i64) {
        let (left, right) = (x[0].min(x[1]), x[0].max(x[1]));
        let last = right.div_euclid(STEPS_PER_PIXEL);
        let (mut from, mut risen) = (left, 0);
        loop {
            let column = from.div_euclid(STEPS_PER_PIXEL);
            let to = if column >= last { right } else { (column + 1) * STEPS_PER_PIXEL };
            // rises add up to the whole, however they are rounded
            let until = if to == right { rise } else { rise * (to - left) / (right - left) };
            let step = sign * (until - risen);
            let into = (from - column * STEPS_PER_PIXEL) + (to - column * STEPS_PER_PIXEL);
            self.push(row, column, step * (2 * STEPS_PER_PIXEL - into));
            self.push(row, column + 1, step * into);
            if to == right {
                return;
            }
            (from, risen) = (to, until);
        }
    }

    fn push(&mut self, row: i64, column: i64, amount: i64) {
        let [columns, rows] = self.grid.size.map(|n| n as i64);
        if amount != 0 && column < columns && (0..rows).contains(&row) {
            let place = column.max(0) as u32 * PLANES + (self.planes - 1);
            self.changes.push(Change { row: row as u32, place, amount: amount as i32 });
        }
    }

    /// Writes the pixels, row by row from the lowest, as the mean of all planes.
    ///
    /// # Panics
    /// If `pixels` is not as large as the grid.
    pub fn write<T: Gray>(&mut self, pixels: &mut [T]) {
        let [columns, rows] = self.grid.size;
        assert_eq!(pixels.len(), columns * rows, "pixels of the grid");
        if columns == 0 {
            return;
        }
        self.sort_by_row(rows);
        self.sums.resize(self.planes as usize, 0);
        let mut start = 0;
        for (row, &end) in pixels.chunks_exact_mut(columns).zip(&self.row_ends) {
            let changes = &mut self.by_row[start..end as usize];
            changes.sort_unstable();
            fill_row(row, changes, &mut self.sums);
            start = end as usize;
        }
    }

    /// A counting sort.
    fn sort_by_row(&mut self, rows: usize) {
        self.row_ends.clear();
        self.row_ends.resize(rows + 1, 0);
        for change in &self.changes {
            self.row_ends[change.row as usize + 1] += 1;
        }
        for row in 0..rows {
            self.row_ends[row + 1] += self.row_ends[row];
        }
        self.by_row.clear();
        self.by_row.resize(self.changes.len(), (0, 0));
        for change in &self.changes {
            let next = &mut self.row_ends[change.row as usize];
            self.by_row[*next as usize] = (change.place, change.amount);
            *next += 1;
        }
        self.row_ends.truncate(rows);
    }
}

/// Fills a row. `sums`: `[plane]`.
fn fill_row<T: Gray>(row: &mut [T], changes: &[(u32, i32)], sums: &mut [i64]) {
    let whole = FULL * sums.len() as i64;
    sums.fill(0);
    let (mut filled, mut covered) = (0, 0);
    for &(place, amount) in changes {
        let column = (place / PLANES) as usize;
        if column > filled {
            row[filled..column].fill(T::gray(covered, whole));
            filled = column;
        }
        let sum = &mut sums[(place % PLANES) as usize];
        covered -= i64::clamp(*sum, 0, FULL);
        *sum += i64::from(amount);
        covered += i64::clamp(*sum, 0, FULL);
    }
    if filled < row.len() {
        row[filled..].fill(T::gray(covered, whole));
    }
}

fn snap(p: [f64; 2]) -> [i64; 2] {
    p.map(|x| (x * STEPS_PER_PIXEL as f64).round() as i64)
}
