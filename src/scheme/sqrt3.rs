//! √3-subdivision (Kobbelt 2000): three triangles from one, inner edges flipped.
//!
//! - face point (a + b + c)/3;
//! - vertex point (1 − α) P + α mean neighbours, with Kobbelt's [`alpha`].
//!
//! It has no rule for creases, and no limit is evaluated.

use super::{Split, SurfaceScheme};

/// The scheme.
pub struct Sqrt3;

/// Kobbelt's α at a vertex of `n` neighbours: (4 − 2 cos(2π/n))/9.
pub fn alpha(n: usize) -> f64 {
    (4.0 - 2.0 * (std::f64::consts::TAU / n.max(1) as f64).cos()) / 9.0
}

impl SurfaceScheme for Sqrt3 {
    fn name(&self) -> &'static str {
        "√3"
    }

    fn split(&self) -> Split {
        Split::ThreeTriangles
    }
}
