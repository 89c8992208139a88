//! √3-subdivision (Kobbelt 2000): three triangles from one, inner edges flipped.
//!
//! - face point (a + b + c)/3;
//! - vertex point (1 − α) P + α mean neighbors, with Kobbelt's [`alpha`].
//!
//! It has no rule for creases, and no limit is evaluated.

use super::point::{Point, add, scale};
use super::{Split, SurfaceScheme};
use crate::numbers::Real;

/// The scheme.
pub struct Sqrt3;

/// Kobbelt's α at a vertex of `n` neighbors: (4 − 2 cos(2π/n))/9.
pub fn alpha(n: usize) -> f64 {
    (4.0 - 2.0 * (std::f64::consts::TAU / n.max(1) as f64).cos()) / 9.0
}

/// Weights of the vertex and of all `n` neighbors together.
pub(crate) fn vertex_mask(n: usize) -> [f64; 2] {
    if n == 0 {
        return [1.0, 0.0];
    }
    let alpha = alpha(n);
    [1.0 - alpha, alpha]
}

/// Weights at the boundary in the second of two steps (Kobbelt 2000, section 5: cubic splines),
/// in 27ths: of a vertex and of each of its neighbors there.
pub(crate) const LINE: [f64; 2] = [19.0 / 27.0, 4.0 / 27.0];

/// Weights of a, b and the vertex before a for the new point near a on the edge from a to b.
pub(crate) const THIRD: [f64; 3] = [16.0 / 27.0, 10.0 / 27.0, 1.0 / 27.0];

/// Weights of a and b where the boundary ends at a and continues straight.
pub(crate) const END_THIRD: [f64; 2] = [18.0 / 27.0, 9.0 / 27.0];

/// Smooth vertex point at `n` > 0 neighbors of this `sum`.
#[inline(always)]
pub(crate) fn vertex_point<T: Real>(p: Point<T>, sum: Point<T>, n: usize) -> Point<T> {
    let [own, all] = vertex_mask(n);
    let sum = scale(sum, T::from_f64(all / n as f64));
    add(scale(p, T::from_f64(own)), sum)
}

/// Face point.
#[inline(always)]
pub(crate) fn face_point<T: Real>([a, b, c]: [Point<T>; 3]) -> Point<T> {
    scale(add(add(a, b), c), T::from_f64(1.0 / 3.0))
}

impl SurfaceScheme for Sqrt3 {
    fn name(&self) -> &'static str {
        "√3"
    }

    fn option_names(&self) -> &'static [&'static str] {
        &["sqrt3"]
    }

    fn summary(&self) -> &'static str {
        "Three triangles from one, rotated"
    }

    fn split(&self) -> Split {
        Split::ThreeTriangles
    }

    fn has_creases(&self) -> bool {
        false
    }

    fn has_matrix_pass(&self) -> bool {
        true
    }
}
