//! Merging of points that several pieces of a mesh share.

use std::collections::HashMap;

use crate::io::CREASE_EDGES;

use super::assemble::Assembly;
use super::high_order::retain_rows;

/// No point.
const NONE: u32 = u32::MAX;

/// How many units in the last place of the largest coordinate a shared point may be off.
const ROUNDING: f64 = 64.0;

/// Cells of space, many times as wide as rounding, in which points are looked up.
struct Grid {
    rounding: f64,
    width: f64,
}

impl Grid {
    fn of(points: &[[f64; 3]]) -> Self {
        let coordinates = points.as_flattened();
        let largest = coordinates.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let is_single = coordinates.iter().all(|&x| f64::from(x as f32) == x);
        let unit = if is_single { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let rounding = (ROUNDING * unit * largest).max(f64::MIN_POSITIVE);
        Self { rounding, width: 1024.0 * rounding }
    }

    fn key(&self, point: [f64; 3]) -> [i64; 3] {
        point.map(|x| (x / self.width).floor() as i64)
    }

    /// The cells that hold what lies within rounding of a point, each once.
    fn keys(&self, point: [f64; 3]) -> impl Iterator<Item = [i64; 3]> {
        let low = self.key(point.map(|x| x - self.rounding));
        let high = self.key(point.map(|x| x + self.rounding));
        (0..8).filter_map(move |corner| {
            let upper = |d: usize| corner >> d & 1 == 1;
            let is_new = (0..3).all(|d| !upper(d) || low[d] != high[d]);
            is_new.then(|| [0, 1, 2].map(|d| if upper(d) { high[d] } else { low[d] }))
        })
    }

    fn is_same(&self, a: [f64; 3], b: [f64; 3]) -> bool {
        (0..3).all(|d| (a[d] - b[d]).abs() <= self.rounding)
    }
}

impl Assembly<'_> {
    /// Merges points of different pieces that lie within rounding of each other, and returns
    /// how many went away. Programs compute a shared point once in every piece, so its
    /// coordinates may differ in the last bits. Piece i has the points from `starts[i]` on.
    /// Points of one piece stay apart, so a cut inside a piece stays a cut. Of merged points
    /// the one of the first piece stays, with its values.
    pub(super) fn weld_pieces(&mut self, starts: &[usize]) -> usize {
        let count = self.points();
        let grid = Grid::of(&self.mesh.points);
        // The last point of each grid cell, and for each point the one before it there.
        let mut last: HashMap<[i64; 3], u32> = HashMap::with_capacity(count);
        let mut before: Vec<u32> = vec![NONE; count];
        // new_ids: [point before]
        let mut new_ids: Vec<u32> = Vec::with_capacity(count);
        let mut dropped = vec![false; count];
        // The piece whose point was merged into this one last; a piece merges one at most.
        let mut merged_by = vec![NONE; count];
        let mut kept = 0;
        let ends = starts.iter().skip(1).copied().chain([count]);
        for (piece, (&start, end)) in (0..).zip(starts.iter().zip(ends)) {
            for v in start..end {
                let point = self.mesh.points[v];
                let mut found = NONE;
                for key in grid.keys(point) {
                    let mut at = last.get(&key).copied().unwrap_or(NONE);
                    // The first point that fits: the chain goes from the last to the first.
                    while at != NONE {
                        let w = at as usize;
                        let free = w < start && merged_by[w] != piece;
                        if free && grid.is_same(self.mesh.points[w], point) {
                            found = found.min(at);
                        }
                        at = before[w];
                    }
                }
                if found == NONE {
                    new_ids.push(kept);
                    kept += 1;
                    before[v] = last.insert(grid.key(point), v as u32).unwrap_or(NONE);
                } else {
                    merged_by[found as usize] = piece;
                    new_ids.push(new_ids[found as usize]);
                    dropped[v] = true;
                }
            }
        }
        let merged = dropped.iter().filter(|&&dropped| dropped).count();
        if merged == 0 {
            return 0;
        }
        // Ids beyond the points stay beyond them, and are refused by `finish`.
        let new_id = |vertex: u32| new_ids.get(vertex as usize).copied().unwrap_or(vertex);
        self.mesh.cells.renumber(new_id);
        self.high_order.renumber(new_id);
        self.groups.renumber(new_id);
        retain_rows(&mut self.mesh.points, 1, &dropped);
        for attribute in &mut self.mesh.attributes {
            // Arrays of another length are refused by `finish`.
            if attribute.values.len() == count * attribute.width {
                retain_rows(&mut attribute.values, attribute.width, &dropped);
            }
        }
        for field in self.fields.iter_mut().filter(|field| field.name == CREASE_EDGES) {
            for value in &mut field.values {
                // Values that are no vertex are refused by `finish`.
                if value.fract() == 0.0 && *value >= 0.0 && *value < count as f64 {
                    *value = f64::from(new_id(*value as u32));
                }
            }
        }
        merged
    }
}
