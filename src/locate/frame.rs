//! The best affine approximation of a piece: an estimate of a point's parameters, and a
//! proof of where they cannot be.
//!
//! With A the mean Jacobian of a piece F and c its middle, y(x) = A⁻¹(x − c) + ½ is
//! close to the parameters of x. The Bézier points y(Pᵢ) hold y of the whole piece in
//! their box, which is tight because the tilt is gone: a point outside that box is
//! not in the piece. If moreover ‖A⁻¹ ∂F − I‖ ≤ κ < 1 on a box of parameters, then F
//! is one-to-one there, and Newton's method finds the one solution there is.

#![allow(clippy::needless_range_loop)] // d numbers the coordinates of several arrays at once

use nalgebra::Vector3;

use super::tricubic::{TricubicJet, TricubicPoints, restrict};
use crate::numbers::vector::norm;

/// How far beyond [0, 1] a piece must be one-to-one for Newton's method.
pub const FRAME_MARGIN: f64 = 0.125;
/// The largest κ at which Newton's method is proven to converge, on the box with its margin.
pub const MAX_KAPPA: f64 = 0.6;
/// ‖A‖‖A⁻¹‖ of a thin piece, at least.
const MIN_THIN_CONDITION: f64 = 100.0;

/// See the module's introduction.
#[derive(Clone, Copy, Debug)]
pub struct AffineFrame {
    /// A⁻¹, rows by parameter.
    pub inverse: [[f64; 3]; 3],
    /// y(x) = A⁻¹ x + `offset`.
    pub offset: [f64; 3],
    /// Least y of the Bézier points.
    pub low: [f64; 3],
    /// Largest y of the Bézier points.
    pub high: [f64; 3],
    /// Whether the piece with its margin is so near to affine that Newton's method
    /// decides.
    pub converges: bool,
}

impl AffineFrame {
    /// The frame of a piece; `None` if its mean Jacobian is singular.
    pub fn of(points: &TricubicPoints) -> Option<Self> {
        let frame = Self::untried(points)?;
        Some(Self { converges: frame.converges_on(points), ..frame })
    }

    /// The frame of a piece, not yet checked for convergence.
    pub fn untried(points: &TricubicPoints) -> Option<Self> {
        let inverse = inverse(mean_jacobian(points))?;
        let middle: [f64; 3] =
            std::array::from_fn(|d| points.iter().map(|p| p[d]).sum::<f64>() / 64.0);
        let offset = apply(&inverse, middle).map(|y| 0.5 - y);
        let mut frame =
            Self { inverse, offset, low: [f64::MAX; 3], high: [f64::MIN; 3], converges: false };
        for &p in points {
            let y = frame.guess(p);
            for d in 0..3 {
                frame.low[d] = frame.low[d].min(y[d]);
                frame.high[d] = frame.high[d].max(y[d]);
            }
        }
        Some(frame)
    }

    /// Whether `points`, whose frame it is, let Newton's method converge.
    pub fn converges_on(&self, points: &TricubicPoints) -> bool {
        let extended = restrict(points, [-FRAME_MARGIN; 3], [1.0 + FRAME_MARGIN; 3]);
        departure(&self.inverse, &extended, 1.0 + 2.0 * FRAME_MARGIN) <= MAX_KAPPA
    }

    /// The frame of the piece after its points are moved.
    pub fn moved(self, by: [f64; 3]) -> Self {
        let off = apply(&self.inverse, by);
        Self { offset: std::array::from_fn(|d| self.offset[d] - off[d]), ..self }
    }

    /// y(x): roughly the parameters of x.
    #[inline(always)]
    pub fn guess(&self, x: [f64; 3]) -> [f64; 3] {
        let y = apply(&self.inverse, x);
        std::array::from_fn(|d| y[d] + self.offset[d])
    }

    /// Whether the piece is so much thinner along some way than along another that steps to the
    /// place closest to a point may end early where they are held at a side.
    pub fn is_thin(&self) -> bool {
        let [a, b, c] = self.inverse.map(Vector3::from);
        let longest =
            |all: [Vector3<f64>; 3]| all.map(|v| v.norm()).into_iter().fold(0.0, f64::max);
        // columns of A, but for the determinant
        let columns = [b.cross(&c), c.cross(&a), a.cross(&b)];
        longest([a, b, c]) * longest(columns) > MIN_THIN_CONDITION * a.dot(&columns[0]).abs()
    }

    /// A place of the piece as the frame sees it.
    pub fn of_jet(&self, jet: TricubicJet) -> TricubicJet {
        TricubicJet {
            point: self.guess(jet.point.into()).into(),
            derivatives: jet.derivatives.map(|d| apply(&self.inverse, d.into()).into()),
        }
    }

    /// How much y may change within `distance` of a point.
    pub fn reach(&self, distance: f64) -> [f64; 3] {
        self.inverse.map(|row| distance * norm(row))
    }

    /// Whether no point of the piece is within `distance` of one with guess `y`.
    pub fn excludes(&self, y: [f64; 3], distance: f64) -> bool {
        let reach = self.reach(distance);
        (0..3).any(|d| y[d] < self.low[d] - reach[d] || y[d] > self.high[d] + reach[d])
    }
}

/// The mean of the derivatives by u, v and w, as columns.
fn mean_jacobian(points: &TricubicPoints) -> [[f64; 3]; 3] {
    // the differences along a line add up to its ends
    let mut columns = [[0.0; 3]; 3];
    for (i, p) in points.iter().enumerate() {
        for (d, column) in columns.iter_mut().enumerate() {
            let sign = match i >> (2 * d) & 3 {
                0 => -1.0,
                3 => 1.0,
                _ => continue,
            };
            (0..3).for_each(|c| column[c] += sign * p[c] / 16.0);
        }
    }
    columns
}

/// The inverse of the matrix with these columns; `None` if it is as good as singular.
pub fn inverse(columns: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let [a, b, c] = columns.map(Vector3::from);
    let rows = [b.cross(&c), c.cross(&a), a.cross(&b)];
    let determinant = a.dot(&rows[0]);
    let lengths = a.norm() * b.norm() * c.norm();
    (determinant.abs() > 1e-9 * lengths).then(|| rows.map(|row| (row / determinant).into()))
}

/// κ: the largest row sum of |A⁻¹ ∂F − I|, of the Bézier points of the derivatives.
/// `width`: what the points span of the parameters that A belongs to.
fn departure(inverse: &[[f64; 3]; 3], points: &TricubicPoints, width: f64) -> f64 {
    let mut rows = [0.0; 3];
    for d in 0..3 {
        let stride = 1 << (2 * d);
        let mut largest = [0.0_f64; 3];
        for i in (0..64).filter(|i| i / stride % 4 < 3) {
            let ([a, b, c], [p, q, r]) = (points[i], points[i + stride]);
            let by = [3.0 * (p - a) / width, 3.0 * (q - b) / width, 3.0 * (r - c) / width];
            let y = apply(inverse, by);
            for row in 0..3 {
                let identity = f64::from(u8::from(row == d));
                largest[row] = largest[row].max((y[row] - identity).abs());
            }
        }
        (0..3).for_each(|row| rows[row] += largest[row]);
    }
    rows.into_iter().fold(0.0, f64::max)
}

#[inline(always)]
fn product(row: &[f64; 3], x: [f64; 3]) -> f64 {
    row[0] * x[0] + row[1] * x[1] + row[2] * x[2]
}

#[inline(always)]
pub fn apply(rows: &[[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
    // written out: a closure over rows is called
    let [a, b, c] = rows;
    [product(a, x), product(b, x), product(c, x)]
}
