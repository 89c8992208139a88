//! Bicubic Bézier patches and cubic curves over the plane of the layers.

use crate::basis::bernstein;

/// (first plane axis, second plane axis, height) of a point.
pub type PlanePoint = [f64; 3];

/// Number of the height among a [`PlanePoint`]'s coordinates.
pub const HEIGHT: usize = 2;

/// Bézier points of a curve.
pub type CubicCurvePoints = [PlanePoint; 4];

/// Bézier points `[v][u]` of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BicubicPatch(pub [CubicCurvePoints; 4]);

impl BicubicPatch {
    /// The halves along u (0) or v (1), the lower first.
    pub fn halves(&self, direction: usize) -> [Self; 2] {
        let permuted = if direction == 0 { *self } else { self.transposed() };
        let rows = permuted.0.map(|row| split(&row, 0.5));
        [0, 1].map(|half| {
            let part = Self(rows.map(|row| row[half]));
            if direction == 0 { part } else { part.transposed() }
        })
    }

    /// The patch with u and v exchanged.
    pub fn transposed(&self) -> Self {
        Self(std::array::from_fn(|i| std::array::from_fn(|j| self.0[j][i])))
    }

    /// A side, counted counter-clockwise: 0 from (0, 0) to (1, 0), 1 on to (1, 1), 2, 3 back.
    pub fn side(&self, side: usize) -> CubicCurvePoints {
        let b = &self.0;
        match side {
            0 => b[0],
            1 => std::array::from_fn(|j| b[j][3]),
            2 => std::array::from_fn(|i| b[3][3 - i]),
            _ => std::array::from_fn(|j| b[3 - j][0]),
        }
    }

    /// Heights along the line of constant `at` = u (0) or v (1), as a cubic in the
    /// other parameter.
    pub fn heights_across(&self, fixed: usize, at: f64) -> [f64; 4] {
        let basis = bernstein::cubic(at);
        let b = &self.0;
        std::array::from_fn(|k| match fixed {
            0 => (0..4).map(|i| basis[i] * b[k][i][HEIGHT]).sum(),
            _ => (0..4).map(|j| basis[j] * b[j][k][HEIGHT]).sum(),
        })
    }

    /// Position and derivatives by u and v.
    pub fn at(&self, [u, v]: [f64; 2]) -> [PlanePoint; 3] {
        let (bu, bv) = (bernstein::cubic(u), bernstein::cubic(v));
        let (du, dv) = (quadratic_differences(u), quadratic_differences(v));
        let mut sums = [[0.0; 3]; 3];
        for (j, row) in self.0.iter().enumerate() {
            for d in 0..3 {
                let along: f64 = (0..4).map(|i| bu[i] * row[i][d]).sum();
                let slope: f64 = (0..4).map(|i| du[i] * row[i][d]).sum();
                sums[0][d] += bv[j] * along;
                sums[1][d] += bv[j] * slope;
                sums[2][d] += dv[j] * along;
            }
        }
        sums
    }

    /// Rounds the heights of all Bézier points to multiples of `grid`.
    pub fn round_heights(&mut self, grid: f64) {
        for point in self.0.as_flattened_mut() {
            point[HEIGHT] = round_to(point[HEIGHT], grid);
        }
    }

    /// Lowest and highest Bézier point: the patch lies between them.
    pub fn height_range(&self) -> [f64; 2] {
        range(self.0.as_flattened())
    }
}

/// The nearest multiple of `grid`.
pub fn round_to(height: f64, grid: f64) -> f64 {
    (height / grid).round() * grid
}

/// Lowest and highest of some points.
pub fn range(points: &[PlanePoint]) -> [f64; 2] {
    points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
        [low.min(p[HEIGHT]), high.max(p[HEIGHT])]
    })
}

/// Derivatives of the cubic Bernstein polynomials.
fn quadratic_differences(u: f64) -> [f64; 4] {
    let s = 1.0 - u;
    let [a, b, c] = [3.0 * s * s, 6.0 * s * u, 3.0 * u * u];
    [-a, a - b, b - c, c]
}

/// The parts of a curve before and after `t`.
pub fn split(curve: &CubicCurvePoints, t: f64) -> [CubicCurvePoints; 2] {
    let (mut rest, mut before, mut after) = (*curve, *curve, *curve);
    for k in 0..4 {
        before[k] = rest[0];
        after[3 - k] = rest[3 - k];
        for i in 0..3 - k {
            rest[i] = mix(rest[i], rest[i + 1], t);
        }
    }
    [before, after]
}

/// The part of a curve from `a` to `b`.
pub fn part(curve: &CubicCurvePoints, a: f64, b: f64) -> CubicCurvePoints {
    // the ends stay as they are, bit by bit
    let before = if b == 1.0 { *curve } else { split(curve, b)[0] };
    if a == 0.0 { before } else { split(&before, a / b)[1] }
}

/// The curve run backwards.
pub fn reversed(curve: CubicCurvePoints) -> CubicCurvePoints {
    let [a, b, c, d] = curve;
    [d, c, b, a]
}

/// The straight curve from `a` to `b`, both exact; level if they are.
pub fn line(a: PlanePoint, b: PlanePoint) -> CubicCurvePoints {
    [a, mix(a, b, 1.0 / 3.0), mix(a, b, 2.0 / 3.0), b]
}

/// Position on a curve.
pub fn curve_at(curve: &CubicCurvePoints, t: f64) -> PlanePoint {
    let b = bernstein::cubic(t);
    std::array::from_fn(|d| (0..4).map(|i| b[i] * curve[i][d]).sum())
}

fn mix(a: PlanePoint, b: PlanePoint, t: f64) -> PlanePoint {
    std::array::from_fn(|d| a[d] + t * (b[d] - a[d]))
}
