//! The inner loops of grids, written so that the compiler makes vectors of them at the
//! width of the processor at hand.

use super::grid::Table;
use super::net::Ends;
use crate::basis::bspline;

/// Values and first derivatives of the four splines at the samples of an axis.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    samples: usize,
    // [order 2][control point 4][sample], for u
    along: [[Vec<f64>; 4]; 2],
    // [order 2][sample][control point 4], for v
    rows: [Vec<[f64; 4]>; 2],
}

impl Axis {
    pub fn new(parameters: impl Iterator<Item = f64>) -> Self {
        let parameters: Vec<f64> = parameters.collect();
        let rows = [bspline::cubic, bspline::cubic_derivative]
            .map(|basis| parameters.iter().map(|&u| basis(u)).collect::<Vec<[f64; 4]>>());
        let along = [0, 1].map(|order| {
            [0, 1, 2, 3].map(|i| rows[order].iter().map(|b: &[f64; 4]| b[i]).collect())
        });
        Self { samples: parameters.len(), along, rows }
    }

    /// `[order 2][sample][control point 4]`.
    pub fn rows(&self) -> &[Vec<[f64; 4]>; 2] {
        &self.rows
    }
}

/// Most samples along an edge, three components each.
const ROW: usize = 3 * 64;

/// Rows under way, kept from quad to quad.
pub(super) struct Scratch {
    // [v][u sample, component]
    x: [[f64; ROW]; 4],
    // the origin, again and again
    origin: [f64; ROW],
}

impl Scratch {
    pub fn new() -> Self {
        Self { x: [[0.0; ROW]; 4], origin: [0.0; ROW] }
    }
}

/// What derivatives start from.
const NOTHING: [f64; ROW] = [0.0; ROW];

/// A regular quad, contracted along u, then v; its `net` `[v 4][u 4]` is relative to
/// `origin`, and its missing points are filled in.
#[inline(always)]
pub(super) fn tensor(
    axis: &Axis,
    scratch: &mut Scratch,
    net: &mut [[f64; 3]],
    ends: Ends,
    origin: [f64; 3],
    positions: &mut [f64],
    derivatives: &mut Option<[&mut [f64]; 2]>,
) {
    fill_ends(net, ends);
    let row = 3 * axis.samples;
    let Scratch { x, origin: repeated } = scratch;
    for point in repeated[..row].chunks_exact_mut(3) {
        point.copy_from_slice(&origin);
    }
    contract(axis, 0, net, x);
    combine_rows(&axis.rows[0], x, row, repeated, positions);
    let Some([d_u, d_v]) = derivatives else { return };
    combine_rows(&axis.rows[1], x, row, &NOTHING, d_v);
    contract(axis, 1, net, x);
    combine_rows(&axis.rows[0], x, row, &NOTHING, d_u);
}

/// Fills in the missing points of a net `[v 4][u 4]`: p₋₁ = 2p₀ − p₁.
#[inline(always)]
pub(super) fn fill_ends(net: &mut [[f64; 3]], ends: Ends) {
    if ends == 0 {
        return;
    }
    for (d, stride) in [1, 4].into_iter().enumerate() {
        for side in (0..2).filter(|side| ends >> (2 * d + side) & 1 == 1) {
            for at in (0..16).filter(|at| at / stride % 4 == 3 * side) {
                let inward =
                    |steps| if side == 0 { at + steps * stride } else { at - steps * stride };
                let (p, q) = (net[inward(1)], net[inward(2)]);
                net[at] = std::array::from_fn(|k| 2.0 * p[k] - q[k]);
            }
        }
    }
}

/// Contracts u: `x[v][u sample, component]`.
#[inline(always)]
fn contract(axis: &Axis, order: usize, net: &[[f64; 3]], x: &mut [[f64; ROW]; 4]) {
    let n = axis.samples;
    let [a, b, c, d] = &axis.along[order];
    let (a, b, c, d) = (&a[..n], &b[..n], &c[..n], &d[..n]);
    for (row, points) in x.iter_mut().zip(net.chunks_exact(4)) {
        for (s, out) in row[..3 * n].chunks_exact_mut(3).enumerate() {
            for k in 0..3 {
                out[k] = a[s] * points[0][k]
                    + b[s] * points[1][k]
                    + c[s] * points[2][k]
                    + d[s] * points[3][k];
            }
        }
    }
}

/// Contracts v: whole rows of the output.
#[inline(always)]
fn combine_rows(
    basis: &[[f64; 4]],
    x: &[[f64; ROW]; 4],
    row: usize,
    add: &[f64; ROW],
    out: &mut [f64],
) {
    let [p, q, r, s] = x;
    let (p, q, r, s, add) = (&p[..row], &q[..row], &r[..row], &s[..row], &add[..row]);
    for (out, b) in out.chunks_exact_mut(row).zip(basis) {
        for i in 0..row {
            out[i] = add[i] + (b[0] * p[i] + b[1] * q[i] + b[2] * r[i] + b[3] * s[i]);
        }
    }
}

/// Samples whose sums are held at once.
const BLOCK: usize = 8;

/// A leaf as the product of its table with its `net`, relative to `origin`.
#[inline(always)]
pub(super) fn product(
    table: &Table,
    net: &[[f64; 3]],
    origin: [f64; 3],
    positions: &mut [f64],
    derivatives: &mut Option<[&mut [f64]; 2]>,
) {
    let size = table.controls * table.samples.len();
    multiply(table, &table.weights[..size], net, origin, positions);
    if let Some([d_u, d_v]) = derivatives {
        multiply(table, &table.weights[size..2 * size], net, [0.0; 3], d_u);
        multiply(table, &table.weights[2 * size..3 * size], net, [0.0; 3], d_v);
    }
}

#[inline(always)]
fn multiply(table: &Table, weights: &[f64], net: &[[f64; 3]], add: [f64; 3], out: &mut [f64]) {
    let count = table.samples.len();
    let mut first = 0;
    while first < count {
        let mut sums = [[0.0; BLOCK]; 3];
        let here = BLOCK.min(count - first);
        if here == BLOCK {
            for (row, p) in weights.chunks_exact(count).zip(net) {
                let row = &row[first..first + BLOCK];
                for i in 0..BLOCK {
                    for k in 0..3 {
                        sums[k][i] += row[i] * p[k];
                    }
                }
            }
        } else {
            for (row, p) in weights.chunks_exact(count).zip(net) {
                for (i, w) in row[first..first + here].iter().enumerate() {
                    for k in 0..3 {
                        sums[k][i] += w * p[k];
                    }
                }
            }
        }
        for (i, &sample) in table.samples[first..first + here].iter().enumerate() {
            let out = &mut out[3 * sample as usize..][..3];
            for k in 0..3 {
                out[k] = add[k] + sums[k][i];
            }
        }
        first += here;
    }
}

/// Unit vectors along a × b, NaN where that is 0.
#[inline(always)]
pub(super) fn unit_normals(a: &[f64], b: &[f64], out: &mut [f64]) {
    for ((a, b), n) in a.chunks_exact(3).zip(b.chunks_exact(3)).zip(out.chunks_exact_mut(3)) {
        let c = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        let area = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        let lengths =
            (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        // what is left of parallel vectors is rounding
        let scale = if area > 1e-28 * lengths { 1.0 / area.sqrt() } else { f64::NAN };
        for k in 0..3 {
            n[k] = c[k] * scale;
        }
    }
}
