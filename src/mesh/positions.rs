//! Points at one position: of equal coordinates, and those that several pieces of a mesh repeat
//! where they touch.
//!
//! Programs compute a shared point once in every piece, so its coordinates may differ in the last
//! bits. Points of *different* pieces that are equal, or that lie within rounding of each other,
//! are one vertex. Points of one piece stay apart, so a cut inside a piece stays a cut.
//!
//! Far from the origin, rounding may be more than an edge is long: points are never joined over
//! more than a small part of the shortest edge at either.

use std::collections::HashMap;

use rayon::prelude::*;

/// No point.
const NONE: u32 = u32::MAX;

/// How many units in the last place of the largest coordinate a repeated point may be off, in
/// single and in double precision.
const MAX_OFFSET_ULPS: [f64; 2] = [8.0, 64.0];

/// The shortest edge at a point over how far a repeated point may be off.
const MIN_EDGE_OFFSETS: f64 = 16.0;

/// Powers of two by which tolerances are told apart.
const LEVELS: usize = 32;

/// A box of space in which points are looked up.
pub(super) type GridBox = [i64; 3];

/// A point of a piece, and how far a point that repeats it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeldPoint {
    pub place: [f64; 3],
    pub piece: u32,
    pub tolerance: f64,
}

/// How near points of several pieces are one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeldNearness {
    rounding: f64,
}

impl WeldNearness {
    /// In a mesh with this largest coordinate, some of whose coordinates are stored in single
    /// precision or none.
    pub fn new(largest: f64, is_single: bool) -> Self {
        let [single, double] = MAX_OFFSET_ULPS;
        let units =
            if is_single { single * f64::from(f32::EPSILON) } else { double * f64::EPSILON };
        Self { rounding: units * largest }
    }

    /// The largest coordinate of some points.
    pub fn largest(points: &[[f64; 3]]) -> f64 {
        points.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()))
    }

    /// How far the last bits of a coordinate may be off.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Tolerance within which points repeat one with this shortest edge, infinite if it has none:
    /// then they have to be equal.
    pub fn tolerance(&self, shortest: f64) -> f64 {
        if shortest.is_finite() { self.rounding.min(shortest / MIN_EDGE_OFFSETS) } else { 0.0 }
    }
}

/// Boxes of space of a width.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointGrid {
    pub width: f64,
}

impl PointGrid {
    /// The box that holds a point. Planes between boxes are not where meshes have planes.
    pub fn place(&self, point: [f64; 3]) -> GridBox {
        point.map(|x| (x / self.width + 0.5).floor() as i64)
    }

    /// The boxes that hold what lies within `reach` of a point, each once. `reach` is less than the
    /// width of a box.
    pub fn places(&self, point: [f64; 3], reach: f64) -> impl Iterator<Item = GridBox> + use<> {
        // a little more: distances are rounded
        let reach = 1.001 * reach;
        let low = self.place(point.map(|x| x - reach));
        let high = self.place(point.map(|x| x + reach));
        (0..8).filter_map(move |corner| {
            let upper = |d: usize| corner >> d & 1 == 1;
            let is_new = (0..3).all(|d| !upper(d) || low[d] != high[d]);
            is_new.then(|| [0, 1, 2].map(|d| if upper(d) { high[d] } else { low[d] }))
        })
    }
}

/// Takes the edges of a face for the shortest at its vertices. `local` gives the index of a vertex
/// among `points` and `lengths`; collapsed edges have no length to compare with.
pub(crate) fn shorten(
    lengths: &mut [f64],
    points: &[[f64; 3]],
    face: &[u32],
    local: impl Fn(u32) -> Option<usize>,
) {
    let mut before = face.last().and_then(|&v| local(v));
    for &v in face {
        let own = local(v);
        if let (Some(a), Some(b)) = (before, own) {
            let length = distance(points[a], points[b]);
            if length > 0.0 {
                [a, b].iter().for_each(|&end| lengths[end] = lengths[end].min(length));
            }
        }
        before = own;
    }
}

/// The largest difference of a coordinate.
fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).fold(0.0, |most: f64, d| most.max((a[d] - b[d]).abs()))
}

/// Which earlier point each of `count` points repeats; one that repeats none has its own index.
/// Points come piece by piece. First equal points are joined, then what these make with the nearest
/// earlier one, the first of several; never two of one piece.
pub(crate) fn repeated(count: usize, point: impl Fn(usize) -> WeldPoint + Sync) -> Vec<u32> {
    let mut joined = JoinedPoints::of_equal(count, &point);
    joined.join_near(&point);
    joined.first
}

/// Calls `each` with the points of each position that several of `points` have, ascending; 0 and −0
/// are equal.
pub(super) fn equal_groups(
    points: impl ParallelIterator<Item = u32>,
    place: impl Fn(u32) -> [f64; 3] + Sync,
    mut each: impl FnMut(&[u32]),
) {
    let bits = |v: u32| place(v).map(|x| (x + 0.0).to_bits());
    // a hash is compared sooner than coordinates
    let mut keys: Vec<(u64, u32)> = points.map(|v| (mixed(bits(v)), v)).collect();
    keys.par_sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| (bits(a.1), a.1).cmp(&(bits(b.1), b.1)))
    });
    let same = |a: &(u64, u32), b: &(u64, u32)| a.0 == b.0 && bits(a.1) == bits(b.1);
    let mut group = Vec::new();
    for equal in keys.chunk_by(same).filter(|equal| equal.len() > 1) {
        group.clear();
        group.extend(equal.iter().map(|key| key.1));
        each(&group);
    }
}

/// A hash of coordinates.
fn mixed(bits: [u64; 3]) -> u64 {
    bits.into_iter().fold(0, |hash: u64, x| {
        let product = (hash.rotate_left(5) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ product >> 32
    })
}

/// Points that are joined so far.
struct JoinedPoints {
    first: Vec<u32>,
    // the next of the points that are joined with a point, in no order
    next: Vec<u32>,
}

impl JoinedPoints {
    /// Of several equal points in each piece the first are joined, the second ones, and so on.
    fn of_equal(count: usize, point: &(impl Fn(usize) -> WeldPoint + Sync)) -> Self {
        let (mut first, mut next): (Vec<u32>, Vec<u32>) =
            ((0..count as u32).collect(), vec![NONE; count]);
        let mut firsts = Vec::new();
        let place = |v: u32| point(v as usize).place;
        equal_groups((0..count as u32).into_par_iter(), place, |equal| {
            firsts.clear();
            let (mut piece, mut seen) = (NONE, 0);
            for &v in equal {
                let own = point(v as usize).piece;
                seen = if own == piece { seen + 1 } else { 0 };
                piece = own;
                match firsts.get(seen) {
                    None => firsts.push(v),
                    Some(&earlier) => {
                        first[v as usize] = earlier;
                        next[v as usize] = next[earlier as usize];
                        next[earlier as usize] = v;
                    }
                }
            }
        });
        Self { first, next }
    }

    fn join_near(&mut self, point: &impl Fn(usize) -> WeldPoint) {
        let count = self.first.len();
        let mut tolerances: Vec<f64> = (0..count).map(|v| point(v).tolerance).collect();
        for v in 0..count {
            let first = self.first[v] as usize;
            tolerances[first] = tolerances[first].min(tolerances[v]);
        }
        // Boxes of 16 tolerances hold few points, however much tolerances differ.
        let top = tolerances.iter().fold(0, |top, &t| top.max(exponent(t)));
        let level = |t: f64| (top - exponent(t)).min(LEVELS as i32 - 1) as usize;
        let width = |level: i32| 2.0_f64.powi(top - level - 1023 + 5);
        // The last point of each box, and for each point the one before it there.
        let mut levels: Vec<(PointGrid, HashMap<GridBox, u32>)> = (0..LEVELS as i32)
            .map(|level| (PointGrid { width: width(level) }, HashMap::new()))
            .collect();
        let mut before: Vec<u32> = vec![NONE; count];
        for v in 0..count {
            let tolerance = tolerances[v];
            if self.first[v] as usize != v || tolerance == 0.0 {
                continue;
            }
            let own = point(v).place;
            let mut nearest = (f64::INFINITY, NONE);
            for (grid, last) in levels.iter().filter(|(_, last)| !last.is_empty()) {
                for place in grid.places(own, tolerance.min(grid.width / 16.0)) {
                    let mut at = last.get(&place).copied().unwrap_or(NONE);
                    while at != NONE {
                        let w = at as usize;
                        let found = (distance(point(w).place, own), at);
                        let is_near = found.0 <= tolerance.min(tolerances[w]) && found < nearest;
                        if is_near && self.are_of_other_pieces([v, w], point) {
                            nearest = found;
                        }
                        at = before[w];
                    }
                }
            }
            if nearest.1 == NONE {
                let (grid, last) = &mut levels[level(tolerance)];
                before[v] = last.insert(grid.place(own), v as u32).unwrap_or(NONE);
            } else {
                let w = nearest.1 as usize;
                self.join(v, w);
                tolerances[w] = tolerances[w].min(tolerance);
            }
        }
    }

    /// The points that are joined with a first one, and itself.
    fn members(&self, first: usize) -> impl Iterator<Item = usize> {
        let next = |&v: &usize| Some(self.next[v]).filter(|&v| v != NONE).map(|v| v as usize);
        std::iter::successors(Some(first), next)
    }

    fn are_of_other_pieces(&self, [v, w]: [usize; 2], point: &impl Fn(usize) -> WeldPoint) -> bool {
        let has = |piece: u32| self.members(w).any(|other| point(other).piece == piece);
        !self.members(v).any(|own| has(point(own).piece))
    }

    /// Joins a first point and the points joined with it to an earlier one.
    fn join(&mut self, v: usize, earlier: usize) {
        let mut at = v;
        loop {
            self.first[at] = earlier as u32;
            match self.next[at] {
                NONE => break,
                next => at = next as usize,
            }
        }
        self.next[at] = self.next[earlier];
        self.next[earlier] = v as u32;
    }
}

/// The biased exponent of a number that is not negative.
fn exponent(number: f64) -> i32 {
    (number.to_bits() >> 52) as i32
}
