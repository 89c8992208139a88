//! Contours around where a field on the middles of pixels is at most 0 (marching squares: Lorensen and
//! Cline 1987 in the plane), linear between pixels. Where both diagonals of a square are possible the
//! mean of its corners decides.

use crate::slice::frame::PixelGrid;
use crate::slice::layer::Contour;

/// Contours with the inside to their left. A field that is NaN is outside. `values`:
/// `[row][column]`.
pub fn field_contours(values: &[f64], grid: &PixelGrid) -> Vec<Contour> {
    let [columns, rows] = grid.size;
    let field = Field { values, columns, grid };
    let mut segments: Vec<[usize; 2]> = Vec::new();
    for row in 0..rows.saturating_sub(1) {
        for column in 0..columns.saturating_sub(1) {
            field.square(column, row, &mut segments);
        }
    }
    // every side that is crossed ends a segment and starts another
    segments.sort_unstable();
    let mut taken = vec![false; segments.len()];
    let mut contours = Vec::new();
    for first in 0..segments.len() {
        let mut points: Vec<[f64; 2]> = Vec::new();
        let mut at = first;
        // a field that is outside around its border has no open end
        while taken.get(at) == Some(&false) {
            taken[at] = true;
            let point = field.crossing(segments[at][0]);
            if points.last() != Some(&point) {
                points.push(point);
            }
            let end = segments[at][1];
            at = segments.partition_point(|segment| segment[0] < end);
        }
        while points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        if points.len() > 2 {
            contours.push(Contour { points, depth: 0 });
        }
    }
    contours
}

struct Field<'a> {
    values: &'a [f64],
    columns: usize,
    grid: &'a PixelGrid,
}

impl Field<'_> {
    /// Adds the segments in a square of four pixels: numbers of the sides where each begins and ends.
    fn square(&self, column: usize, row: usize, segments: &mut Vec<[usize; 2]>) {
        let at = row * self.columns + column;
        let above = at + self.columns;
        let corners = [at, at + 1, above + 1, above].map(|place| self.values[place]);
        let inside = corners.map(|value| value <= 0.0);
        if inside == [true; 4] || inside == [false; 4] {
            return;
        }
        // sides after each corner, around the square
        let sides = [2 * at, 2 * (at + 1) + 1, 2 * above, 2 * at + 1];
        let joined = corners.iter().sum::<f64>() <= 0.0;
        for begin in 0..4 {
            // the curve comes in where the outside follows the inside
            if !inside[begin] || inside[(begin + 1) % 4] {
                continue;
            }
            let leaves = |side: &usize| !inside[*side] && inside[(side + 1) % 4];
            let ends: Vec<usize> = (1..4).map(|k| (begin + k) % 4).filter(leaves).collect();
            // the next one goes around the outside, the last around the inside
            let end = if joined { ends.first() } else { ends.last() };
            segments.extend(end.map(|&end| [sides[begin], sides[end]]));
        }
    }

    /// Where the field is 0 on a side.
    fn crossing(&self, side: usize) -> [f64; 2] {
        let place = side / 2;
        let step = if side.is_multiple_of(2) { 1 } else { self.columns };
        let [a, b] = [self.values[place], self.values[place + step]];
        let part = a / (a - b);
        let part = if part.is_finite() { part } else { 0.5 };
        let mut at = [(place % self.columns) as f64, (place / self.columns) as f64];
        at[side % 2] += part;
        self.grid.at(at)
    }
}
