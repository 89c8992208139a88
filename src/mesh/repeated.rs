//! Points that several pieces of a mesh repeat where they touch.
//!
//! Programs compute a shared point once in every piece, so its coordinates may differ in the last
//! bits. Points of *different* pieces that lie within rounding of each other are one vertex. Points
//! of one piece stay apart, so a cut inside a piece stays a cut.

use std::collections::HashMap;

/// No point.
const NONE: u32 = u32::MAX;

/// How many units in the last place of the largest coordinate a repeated point may be off.
const ROUNDING: f64 = 64.0;

/// A box of space, many times as wide as rounding, in which points are looked up.
pub(crate) type WeldPlace = [i64; 3];

/// How near points of several pieces are one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeldNearness {
    rounding: f64,
    width: f64,
}

impl WeldNearness {
    /// In a mesh with this largest coordinate, whose coordinates are all of single precision or
    /// not.
    pub fn new(largest: f64, is_single: bool) -> Self {
        let unit = if is_single { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let rounding = (ROUNDING * unit * largest).max(f64::MIN_POSITIVE);
        Self { rounding, width: 1024.0 * rounding }
    }

    /// The largest coordinate of some points, and whether all are of single precision.
    pub fn of(points: &[[f64; 3]]) -> (f64, bool) {
        let coordinates = points.as_flattened();
        let largest = coordinates.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        (largest, coordinates.iter().all(|&x| f64::from(x as f32) == x))
    }

    /// The box that holds a point. Planes between boxes are not where meshes have planes.
    pub fn place(&self, point: [f64; 3]) -> WeldPlace {
        point.map(|x| (x / self.width + 0.5).floor() as i64)
    }

    /// The boxes that hold what lies within rounding of a point, each once.
    pub fn places(&self, point: [f64; 3]) -> impl Iterator<Item = WeldPlace> + use<> {
        let low = self.place(point.map(|x| x - self.rounding));
        let high = self.place(point.map(|x| x + self.rounding));
        (0..8).filter_map(move |corner| {
            let upper = |d: usize| corner >> d & 1 == 1;
            let is_new = (0..3).all(|d| !upper(d) || low[d] != high[d]);
            is_new.then(|| [0, 1, 2].map(|d| if upper(d) { high[d] } else { low[d] }))
        })
    }

    fn is_same(&self, a: [f64; 3], b: [f64; 3]) -> bool {
        (0..3).all(|d| (a[d] - b[d]).abs() <= self.rounding)
    }

    /// Which earlier point each of so many points repeats: the first of another piece within
    /// rounding that repeats none itself. A point that repeats none has its own index. Points come
    /// piece by piece; `point` gives one and its piece.
    pub fn repeated(&self, count: usize, point: impl Fn(usize) -> ([f64; 3], u32)) -> Vec<u32> {
        // The last point of each box, and for each point the one before it there.
        let mut last: HashMap<WeldPlace, u32> = HashMap::with_capacity(count);
        let mut before: Vec<u32> = vec![NONE; count];
        // The piece whose point repeats this one last; one of a piece does at most.
        let mut repeated_by = vec![NONE; count];
        let mut first = Vec::with_capacity(count);
        for v in 0..count {
            let (own, piece) = point(v);
            let mut found = NONE;
            for place in self.places(own) {
                let mut at = last.get(&place).copied().unwrap_or(NONE);
                // The first point that fits: the chain goes from the last to the first.
                while at != NONE {
                    let w = at as usize;
                    let (other, of) = point(w);
                    let is_free = of != piece && repeated_by[w] != piece;
                    if is_free && self.is_same(other, own) {
                        found = found.min(at);
                    }
                    at = before[w];
                }
            }
            if found == NONE {
                first.push(v as u32);
                before[v] = last.insert(self.place(own), v as u32).unwrap_or(NONE);
            } else {
                first.push(found);
                repeated_by[found as usize] = piece;
            }
        }
        first
    }
}
