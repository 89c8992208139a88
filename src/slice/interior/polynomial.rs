//! Polynomials over a trapezoid of pixels: where these are in a part, and attributes there.
//!
//! Their variables go from -1 to 1, one along the rows of pixels and one across each row from the
//! left to the right line. Values at 8 × 8 nodes give the coefficients of products of Chebyshev
//! polynomials. The last ones are left out where they are negligible. Across a row powers stand
//! in for Chebyshev polynomials: a row has the polynomials of one variable that are the sum of
//! the products at its place, and each pixel takes a multiplication and an addition a
//! power.

// lanes index several arrays at once; negated comparisons hold for NaN
#![allow(clippy::needless_range_loop, clippy::neg_cmp_op_on_partial_ord)]

use std::sync::LazyLock;

use super::newton::{LANES, LaneNumbers};
use super::trapezoid::Trapezoid;
use crate::backend::operations::{MAX_POWERS, RegionPolynomial, RegionRuns};

/// Nodes along a side, and coefficients.
pub const NODES: usize = LANES;
const _: () = assert!(NODES == MAX_POWERS);
/// Nodes that extrapolate to the next one.
pub const EXTRAPOLATION_NODES: usize = 3;
/// Coefficients from here on are the last ones.
const LAST: usize = NODES - 2;

/// Pixels so near to a side, in the part's parameters, are left to Newton's method.
pub const MIN_SIDE_DISTANCE: f64 = 1e-6;
/// Bounds of polynomials so much farther inside hold in spite of rounding.
const BOUND_MARGIN: f64 = 1e-7;

/// Polynomials over the pixels of a trapezoid.
#[derive(Debug)]
pub struct RegionFit {
    area: Trapezoid,
    // u, v, w in the part, then the channels
    quantities: Vec<RowPolynomial>,
    // whether u, v, w come near to the sides of the part
    may_leave: [bool; 3],
    certain: [[f64; 2]; 3],
    /// Number of the region among those of all parts.
    pub number: u32,
}

/// A polynomial of two variables, each from -1 to 1: across a row, and along the rows.
#[derive(Debug)]
struct RowPolynomial {
    // [along the rows: Chebyshev polynomial][across: power]
    coefficients: [LaneNumbers; NODES],
    // number of Chebyshev polynomials
    count: usize,
    // number of powers
    powers: usize,
}

/// Polynomials along the pixels of a row; the variable goes from -1 to 1.
#[derive(Debug)]
pub struct RowFit {
    middle: f64,
    half: f64,
    scale: f64,
    // u, v, w in the part, then the channels: coefficients of the powers; for u, v, w only
    // where they may leave
    quantities: Vec<LaneNumbers>,
    // number of powers of each
    powers: Vec<usize>,
    may_leave: [bool; 3],
    certain: [[f64; 2]; 3],
    inside: [u32; 2],
    /// Number of its region.
    pub region: u32,
}

impl RowPolynomial {
    /// A polynomial by its Chebyshev coefficients, `[along the rows][across]`. Last ones that
    /// together are no more than `limit` in either direction are left out.
    #[inline(always)]
    fn new(chebyshev: &[LaneNumbers; NODES], limit: f64) -> Self {
        let (mut across, mut along) = ([0.0; NODES], [0.0; NODES]);
        for row in chebyshev {
            (0..LANES).for_each(|k| across[k] += row[k].abs());
        }
        let powers = needed(&across, limit);
        for (along, row) in along.iter_mut().zip(chebyshev) {
            row[..powers].iter().for_each(|c| *along += c.abs());
        }
        let count = needed(&along, limit);
        let mut coefficients = [[0.0; LANES]; NODES];
        for (own, row) in coefficients.iter_mut().zip(chebyshev).take(count) {
            for (c, powers) in row.iter().zip(&TABLES.chebyshev).take(powers) {
                (0..LANES).for_each(|p| own[p] += c * powers[p]);
            }
        }
        Self { coefficients, count, powers }
    }
}

/// How many numbers from the first on are needed: the others add up to no more than `limit`.
#[inline(always)]
fn needed(sizes: &LaneNumbers, limit: f64) -> usize {
    let (mut count, mut left) = (NODES, 0.0);
    while count > 1 {
        left += sizes[count - 1];
        // a sum that is NaN keeps them
        if !(left <= limit) {
            break;
        }
        count -= 1;
    }
    count
}

impl RegionFit {
    /// Polynomials with these Chebyshev coefficients, `[along the rows][across]`: of u, v, w, then
    /// of the channels, each with what may be left out. Between the `certain` u, v, w a pixel is in
    /// the part for certain.
    #[inline(always)]
    pub fn new(
        area: Trapezoid,
        certain: [[f64; 2]; 3],
        quantities: &[([LaneNumbers; NODES], f64)],
    ) -> Self {
        let may_leave = std::array::from_fn(|d| {
            let all = quantities[d].0.as_flattened();
            let reach = all[1..].iter().map(|c| c.abs()).sum::<f64>();
            let [low, high] = certain[d];
            !(all[0] - reach >= low + BOUND_MARGIN && all[0] + reach <= high - BOUND_MARGIN)
        });
        let mut all = Vec::with_capacity(quantities.len());
        // a closure would not have the caller's vectors
        for (coefficients, limit) in quantities {
            all.push(RowPolynomial::new(coefficients, *limit));
        }
        Self { area, quantities: all, may_leave, certain, number: 0 }
    }

    /// Number of quantities: u, v, w and the channels.
    pub fn quantities(&self) -> usize {
        self.quantities.len()
    }

    /// Adds the region with the channels' polynomials to others; `halves`: of an edge of a cell.
    pub fn append(&self, halves: f64, all: &mut RegionRuns) {
        let first = all.polynomials.len() as u32;
        all.regions.push(self.area.region(halves, first));
        for RowPolynomial { coefficients, count, powers } in &self.quantities[3..] {
            let first = all.coefficients.len() as u32;
            let used = coefficients[..*count].iter().flat_map(|row| &row[..*powers]);
            all.coefficients.extend(used);
            let [count, powers] = [*count, *powers].map(|number| number as u16);
            all.polynomials.push(RegionPolynomial { first, count, powers });
        }
    }
}

impl RowFit {
    /// Memory for the first `count` polynomials of `fit`, at least those of u, v, w.
    pub fn new(fit: &RegionFit, count: usize) -> Self {
        Self {
            middle: 0.0,
            half: 1.0,
            scale: 1.0,
            quantities: vec![[0.0; LANES]; count],
            powers: fit.quantities.iter().map(|own| own.powers).collect(),
            may_leave: [true; 3],
            certain: fit.certain,
            inside: [0; 2],
            region: fit.number,
        }
    }

    /// Restricts the polynomials of `fit` to a row; says which columns, end excluded, are
    /// in its region.
    #[inline(always)]
    pub fn restrict(&mut self, fit: &RegionFit, row: u32) -> [u32; 2] {
        let [left, right] = fit.area.ends(f64::from(row));
        self.middle = 0.5 * (left + right);
        self.half = (0.5 * (right - left)).max(f64::MIN_POSITIVE);
        self.scale = 1.0 / self.half;
        let along = fit.area.along(f64::from(row));
        let mut basis = [1.0; NODES];
        basis[1] = along;
        for k in 2..NODES {
            basis[k] = 2.0 * along * basis[k - 1] - basis[k - 2];
        }
        for (number, (own, quantity)) in self.quantities.iter_mut().zip(&fit.quantities).enumerate()
        {
            if fit.may_leave.get(number) == Some(&false) {
                continue;
            }
            let mut sum = [0.0; LANES];
            for (c, basis) in quantity.coefficients[..quantity.count].iter().zip(&basis) {
                (0..LANES).for_each(|k| sum[k] += basis * c[k]);
            }
            *own = sum;
        }
        let columns = fit.area.columns(row);
        self.bound(fit.may_leave, columns);
        columns
    }

    /// Finds which of u, v, w may leave the part, and the columns that none leaves in.
    #[inline(always)]
    fn bound(&mut self, may_leave: [bool; 3], columns: [u32; 2]) {
        let mut inside = [-1.0_f64, 1.0];
        self.may_leave = may_leave;
        for d in (0..3).filter(|&d| may_leave[d]) {
            let [low, high] =
                [self.certain[d][0] + BOUND_MARGIN, self.certain[d][1] - BOUND_MARGIN];
            let [constant, slope, ref others @ ..] = self.quantities[d];
            let bend = others.iter().map(|x| x.abs()).sum::<f64>();
            let reach = bend + slope.abs();
            self.may_leave[d] = !(constant - reach >= low && constant + reach <= high);
            if !self.may_leave[d] {
                continue;
            }
            if slope == 0.0 {
                inside = [1.0, -1.0];
                continue;
            }
            let [a, b] = [low + bend, high - bend].map(|end| (end - constant) / slope);
            let ends = if slope > 0.0 { [a, b] } else { [b, a] };
            inside = [inside[0].max(ends[0]), inside[1].min(ends[1])];
        }
        if self.may_leave == [false; 3] {
            self.inside = columns;
            return;
        }
        // saturate; empty where they cross
        let first = (self.middle + inside[0] * self.half).ceil() as u32;
        let end = (self.middle + inside[1] * self.half + 1.0).floor() as u32;
        self.inside = [first.max(columns[0]), end.min(columns[1])];
    }

    /// The columns, of some of the row's, that are inside the part for certain.
    #[inline(always)]
    pub fn certain_columns(&self, [first, end]: [u32; 2]) -> [u32; 2] {
        let [low, high] = self.inside;
        let low = low.max(first).min(end);
        [low, high.min(end).max(low)]
    }

    /// How far eight columns are inside the sides between which a pixel is in the part for certain.
    #[inline(always)]
    pub fn inside(&self, variable: &LaneNumbers) -> LaneNumbers {
        let mut inside = [f64::INFINITY; LANES];
        for d in (0..3).filter(|&d| self.may_leave[d]) {
            let (t, [low, high]) = (self.at(d, variable), self.certain[d]);
            (0..LANES).for_each(|i| inside[i] = inside[i].min((t[i] - low).min(high - t[i])));
        }
        inside
    }

    /// The variable of the polynomials at eight columns.
    #[inline(always)]
    pub fn variable(&self, first: u32) -> LaneNumbers {
        let mut variable = [0.0; LANES];
        for i in 0..LANES {
            let off = f64::from(first + i as u32) - self.middle;
            // rows that end in a corner are as short as rounding
            variable[i] = (off * self.scale).clamp(-1.0, 1.0);
        }
        variable
    }

    /// A quantity at eight columns.
    #[inline(always)]
    pub fn at(&self, quantity: usize, variable: &LaneNumbers) -> LaneNumbers {
        let last = self.powers[quantity] - 1;
        let powers = &self.quantities[quantity];
        let mut value = [powers[last]; LANES];
        for power in powers[..last].iter().rev() {
            (0..LANES).for_each(|i| value[i] = value[i] * variable[i] + power);
        }
        value
    }
}

/// Weights of the nodes before node `j` that extrapolate to it, the latest first.
#[inline(always)]
pub fn before(j: usize) -> [f64; EXTRAPOLATION_NODES] {
    TABLES.before[j]
}

/// Node `i`, from -1 to 1.
#[inline(always)]
pub fn node(i: usize) -> f64 {
    TABLES.nodes[i]
}

/// How large the last coefficients are: across the rows, and along them.
#[inline(always)]
pub fn last(coefficients: &[LaneNumbers; NODES]) -> [f64; 2] {
    let mut last = [0.0; 2];
    for (j, row) in coefficients.iter().enumerate() {
        row[LAST..].iter().for_each(|c| last[0] += c.abs());
        if j >= LAST {
            row.iter().for_each(|c| last[1] += c.abs());
        }
    }
    last
}

/// Chebyshev coefficients of values at the nodes.
#[inline(always)]
pub fn coefficients(values: &[LaneNumbers; NODES]) -> [LaneNumbers; NODES] {
    let table = &TABLES.coefficients;
    let mut coefficients = [[0.0; LANES]; NODES];
    for (values, to_rows) in values.iter().zip(table) {
        let mut row = [0.0; LANES];
        for (value, table) in values.iter().zip(table) {
            (0..LANES).for_each(|k| row[k] += value * table[k]);
        }
        for (own, weight) in coefficients.iter_mut().zip(to_rows) {
            (0..LANES).for_each(|k| own[k] += weight * row[k]);
        }
    }
    coefficients
}

struct ChebyshevTables {
    /// Zeros of the Chebyshev polynomial of degree 8.
    nodes: LaneNumbers,
    /// From values at the nodes to Chebyshev coefficients, `[node][coefficient]`.
    coefficients: [LaneNumbers; NODES],
    /// Coefficients of the powers in Chebyshev polynomials, `[polynomial][power]`.
    chebyshev: [LaneNumbers; NODES],
    /// Weights of nodes before a node that extrapolate to it, the latest first, `[node][back]`.
    before: [[f64; EXTRAPOLATION_NODES]; NODES],
}

static TABLES: LazyLock<ChebyshevTables> = LazyLock::new(|| {
    let angle = |i: usize| std::f64::consts::PI * (i as f64 + 0.5) / NODES as f64;
    let weight = |k: usize| if k == 0 { 1.0 } else { 2.0 } / NODES as f64;
    let coefficients: [LaneNumbers; NODES] =
        std::array::from_fn(|i| std::array::from_fn(|k| weight(k) * (k as f64 * angle(i)).cos()));
    // powers of each Chebyshev polynomial
    let mut chebyshev = [[0.0; NODES]; NODES];
    (chebyshev[0][0], chebyshev[1][1]) = (1.0, 1.0);
    for k in 2..NODES {
        for power in 0..NODES {
            let before = if power > 0 { chebyshev[k - 1][power - 1] } else { 0.0 };
            chebyshev[k][power] = 2.0 * before - chebyshev[k - 2][power];
        }
    }
    let nodes: LaneNumbers = std::array::from_fn(|i| angle(i).cos());
    let before = |j: usize, back: usize| {
        let count = j.min(EXTRAPOLATION_NODES);
        let others = (1..=count).filter(|&other| other != back);
        let weight = others
            .map(|other| (nodes[j] - nodes[j - other]) / (nodes[j - back] - nodes[j - other]));
        if back <= count { weight.product() } else { 0.0 }
    };
    let before = std::array::from_fn(|j| std::array::from_fn(|back| before(j, back + 1)));
    ChebyshevTables { nodes, coefficients, chebyshev, before }
});
