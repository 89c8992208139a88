//! One tricubic Bézier piece: evaluation, sub-boxes, bounds.

#![allow(clippy::needless_range_loop)] // d numbers the coordinates of several arrays at once

use nalgebra::Vector3;

use crate::numbers::bounds::{self, Bounds};

/// Bézier points `[w][v][u]`.
pub type TricubicPoints = [[f64; 3]; 64];

/// A point and the first derivatives there.
#[derive(Clone, Copy, Debug)]
pub struct TricubicJet {
    /// The point.
    pub point: Vector3<f64>,
    /// Derivatives with respect to u, v and w.
    pub derivatives: [Vector3<f64>; 3],
}

/// Bernstein polynomials and their derivatives at `t`, which may lie outside [0, 1].
#[inline(always)]
pub fn basis(t: f64) -> [[f64; 4]; 2] {
    let s = 1.0 - t;
    let (s2, t2, st) = (s * s, t * t, s * t);
    [
        [s2 * s, 3.0 * s2 * t, 3.0 * s * t2, t2 * t],
        [-3.0 * s2, 3.0 * (s2 - 2.0 * st), 3.0 * (2.0 * st - t2), 3.0 * t2],
    ]
}

/// The piece at `t`: contracted along u, then v, then w.
pub fn jet(points: &TricubicPoints, t: [f64; 3]) -> TricubicJet {
    let [u, v, w] = t.map(basis);
    let mut jet = TricubicJet { point: Vector3::zeros(), derivatives: [Vector3::zeros(); 3] };
    for (k, layer) in points.as_chunks::<16>().0.iter().enumerate() {
        // value, by u, by v
        let mut across = [[0.0; 3]; 3];
        for (j, line) in layer.as_chunks::<4>().0.iter().enumerate() {
            for d in 0..3 {
                let sum = |b: &[f64; 4]| {
                    b[0] * line[0][d] + b[1] * line[1][d] + b[2] * line[2][d] + b[3] * line[3][d]
                };
                let value = sum(&u[0]);
                across[0][d] += v[0][j] * value;
                across[1][d] += v[0][j] * sum(&u[1]);
                across[2][d] += v[1][j] * value;
            }
        }
        for d in 0..3 {
            jet.point[d] += w[0][k] * across[0][d];
            jet.derivatives[0][d] += w[0][k] * across[1][d];
            jet.derivatives[1][d] += w[0][k] * across[2][d];
            jet.derivatives[2][d] += w[1][k] * across[0][d];
        }
    }
    jet
}

/// Bézier points, `[w][v][u][width]`, of the part of a piece between `low` and `high`,
/// which may reach beyond [0, 1].
pub fn restrict<const WIDTH: usize>(
    points: &[[f64; WIDTH]; 64],
    low: [f64; 3],
    high: [f64; 3],
) -> [[f64; WIDTH]; 64] {
    let mut part = *points;
    for d in 0..3 {
        if low[d] == 0.0 && high[d] == 1.0 {
            continue;
        }
        let rows = blossom(low[d], high[d]);
        let stride = 1 << (2 * d);
        for line in (0..64).filter(|i| (i / stride) % 4 == 0) {
            // no closures, which would be called
            let at = [line, line + stride, line + 2 * stride, line + 3 * stride];
            let p = [part[at[0]], part[at[1]], part[at[2]], part[at[3]]];
            for i in 0..4 {
                let r = &rows[i];
                for c in 0..WIDTH {
                    part[at[i]][c] =
                        r[0] * p[0][c] + r[1] * p[1][c] + r[2] * p[2][c] + r[3] * p[3][c];
                }
            }
        }
    }
    part
}

/// A half of a piece, or a half of a half.
#[derive(Clone, Copy, Debug)]
pub struct HalfPiece {
    /// Bézier points of the half.
    pub points: TricubicPoints,
    /// Least corner of the half in the parameters of the whole piece.
    pub origin: [f64; 3],
    /// Edge lengths of the half in the parameters of the whole piece.
    pub size: [f64; 3],
}

impl HalfPiece {
    /// This half in the parameters that `whole` is in.
    pub fn within(self, whole: &Self) -> Self {
        let place = |d: usize| whole.origin[d] + self.origin[d] * whole.size[d];
        Self {
            points: self.points,
            origin: std::array::from_fn(place),
            size: std::array::from_fn(|d| self.size[d] * whole.size[d]),
        }
    }
}

/// The halves of a piece along the axis that it bends most along.
pub fn halves(points: &TricubicPoints) -> [HalfPiece; 2] {
    let axis = most_bent_axis(points);
    let mut size = [1.0; 3];
    size[axis] = 0.5;
    [0.0, 0.5].map(|from| {
        let mut origin = [0.0; 3];
        origin[axis] = from;
        let high = std::array::from_fn(|d| origin[d] + size[d]);
        HalfPiece { points: restrict(points, origin, high), origin, size }
    })
}

/// Rows that take the Bézier points of a cubic on [0, 1] to those on [a, b]: point i
/// is the blossom at a, taken 3 − i times, and b, taken i times.
fn blossom(a: f64, b: f64) -> [[f64; 4]; 4] {
    let mut rows = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..4 {
            let mut p = [0.0; 4];
            p[j] = 1.0;
            for step in 0..3 {
                let t = if step < i { b } else { a };
                for k in 0..3 - step {
                    p[k] = (1.0 - t) * p[k] + t * p[k + 1];
                }
            }
            rows[i][j] = p[0];
        }
    }
    rows
}

/// The box around Bézier points, which holds the piece.
pub fn bounds(points: &[[f64; 3]]) -> Bounds {
    bounds::around(points.iter().copied())
}

/// The axis along which a piece bends most.
pub fn most_bent_axis(points: &TricubicPoints) -> usize {
    let bend = |d: usize| {
        let stride = 1 << (2 * d);
        let lines = (0..64).filter(move |i| (i / stride) % 4 < 2);
        let bends = lines.map(|i| {
            let second =
                |c: usize| points[i][c] - 2.0 * points[i + stride][c] + points[i + 2 * stride][c];
            (0..3).map(|c| second(c) * second(c)).sum::<f64>()
        });
        bends.fold(0.0, f64::max)
    };
    let bends = [bend(0), bend(1), bend(2)];
    (1..3).fold(0, |most, d| if bends[d] > bends[most] { d } else { most })
}
