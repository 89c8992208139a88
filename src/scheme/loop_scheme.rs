//! Loop (1987): four triangles from one.
//!
//! - edge point 3/8 (v₀ + v₁) + 1/8 (a + b), a and b across;
//! - vertex point (1 − nβ) P + β Σ neighbors, with Loop's own [`beta`].
//!
//! Around a vertex λ = 3/8 + c/4.

use super::point::{Point, add, scale};
use super::{EdgeMask, LimitScheme, Split, SurfaceScheme, VertexMask};
use crate::numbers::Real;

/// The scheme.
pub struct Loop;

/// Loop's β at a vertex of `n` neighbors: (5/8 − (3/8 + cos(2π/n)/4)²)/n.
pub fn beta(n: usize) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let n = n as f64;
    let c = 0.375 + 0.25 * (std::f64::consts::TAU / n).cos();
    (0.625 - c * c) / n
}

/// Weights of both ends together and of each vertex across.
const EDGE: EdgeMask = EdgeMask { ends: 0.75, face: 0.0, across: 0.125 };

/// Smooth edge point from the ends of the edge and the vertices across.
#[inline(always)]
pub(crate) fn edge_point<T: Real>(ends: [Point<T>; 2], across: [Point<T>; 2]) -> Point<T> {
    let (near, far) = (T::from_f64(EDGE.ends / 2.0), T::from_f64(EDGE.across));
    add(scale(add(ends[0], ends[1]), near), scale(add(across[0], across[1]), far))
}

/// Smooth vertex point at `n` neighbors of this `sum`, with their [`beta`].
#[inline(always)]
pub(crate) fn vertex_point<T: Real>(p: Point<T>, sum: Point<T>, n: usize, beta: f64) -> Point<T> {
    let own = scale(p, T::from_f64(1.0 - n as f64 * beta));
    add(own, scale(sum, T::from_f64(beta)))
}

impl SurfaceScheme for Loop {
    fn name(&self) -> &'static str {
        "Loop"
    }

    fn option_names(&self) -> &'static [&'static str] {
        &["loop"]
    }

    fn summary(&self) -> &'static str {
        "Four triangles from one"
    }

    fn split(&self) -> Split {
        Split::FourTriangles
    }

    fn has_matrix_pass(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<&'static dyn LimitScheme> {
        Some(&Loop)
    }
}

impl LimitScheme for Loop {
    fn edge_mask(&self) -> EdgeMask {
        EDGE
    }

    fn vertex_mask(&self, valence: usize, _: usize, weight: f64) -> VertexMask {
        let beta = beta(valence);
        VertexMask {
            neighbor: weight * beta,
            own: weight * (1.0 - valence as f64 * beta),
            ..VertexMask::default()
        }
    }

    fn eigenvalue(&self, c: f64) -> f64 {
        0.375 + 0.25 * c
    }

    fn far_corner(&self, _: f64) -> f64 {
        0.0
    }

    fn corner_faces(&self) -> usize {
        2
    }

    fn crease_ring(&self, inner: f64, _: f64, spokes: f64, _: f64) -> [f64; 2] {
        [inner / 8.0, 0.375 * spokes]
    }
}
