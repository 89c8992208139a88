//! The inner loops of grids other than of regular quads
//! ([`PatchKernel`](crate::simd::PatchKernel)), written so that the compiler makes vectors
//! of them at the width of the processor at hand.

use super::table::SurfaceTable;
use crate::basis::bspline;

/// Values and first derivatives of the four splines at the samples of an axis,
/// `[order 2][sample][control point 4]`.
pub(super) fn axis_rows(parameters: impl Iterator<Item = f64>) -> [Vec<[f64; 4]>; 2] {
    let parameters: Vec<f64> = parameters.collect();
    [bspline::cubic, bspline::cubic_derivative]
        .map(|basis| parameters.iter().map(|&u| basis(u)).collect())
}

/// Samples whose sums are held at once.
const BLOCK_SAMPLES: usize = 8;

/// A leaf as the product of its table with its `net`, relative to `origin`.
#[inline(always)]
pub(super) fn product(
    table: &SurfaceTable,
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
fn multiply(
    table: &SurfaceTable,
    weights: &[f64],
    net: &[[f64; 3]],
    add: [f64; 3],
    out: &mut [f64],
) {
    let count = table.samples.len();
    let mut first = 0;
    while first < count {
        let mut sums = [[0.0; BLOCK_SAMPLES]; 3];
        let here = BLOCK_SAMPLES.min(count - first);
        if here == BLOCK_SAMPLES {
            for (row, p) in weights.chunks_exact(count).zip(net) {
                let row = &row[first..first + BLOCK_SAMPLES];
                for i in 0..BLOCK_SAMPLES {
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

/// Unit vectors along a × b, NaN where that is 0, for lengths from 1e-75 to 1e75; points of checked
/// meshes keep within them, and [`normal`](super::geometry::normal) takes any.
#[inline(always)]
pub(super) fn unit_normals(a: &[f64], b: &[f64], out: &mut [f64]) {
    for ((a, b), n) in a.chunks_exact(3).zip(b.chunks_exact(3)).zip(out.chunks_exact_mut(3)) {
        let c = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        let area = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        let lengths =
            (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        // the cross product of parallel vectors is rounding
        let scale = if area > 1e-28 * lengths { 1.0 / area.sqrt() } else { f64::NAN };
        for k in 0..3 {
            n[k] = c[k] * scale;
        }
    }
}
