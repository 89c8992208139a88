//! Loop (1987): four triangles from one.
//!
//! - edge point 3/8 (v₀ + v₁) + 1/8 (a + b), a and b across;
//! - vertex point (1 − nβ) P + β Σ neighbours, with Loop's own [`beta`].
//!
//! Around a vertex λ = 3/8 + c/4.

use super::{EdgeMask, LimitScheme, Split, SurfaceScheme, VertexMask};

/// The scheme.
pub struct Loop;

/// Loop's β at a vertex of `n` neighbours: (5/8 − (3/8 + cos(2π/n)/4)²)/n.
pub fn beta(n: usize) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let n = n as f64;
    let c = 0.375 + 0.25 * (std::f64::consts::TAU / n).cos();
    (0.625 - c * c) / n
}

impl SurfaceScheme for Loop {
    fn name(&self) -> &'static str {
        "Loop"
    }

    fn split(&self) -> Split {
        Split::FourTriangles
    }

    fn limit(&self) -> Option<&'static dyn LimitScheme> {
        Some(&Loop)
    }
}

impl LimitScheme for Loop {
    fn edge_mask(&self) -> EdgeMask {
        EdgeMask { ends: 0.75, face: 0.0, across: 0.125 }
    }

    fn vertex_mask(&self, valence: usize, _: usize, weight: f64) -> VertexMask {
        let beta = beta(valence);
        VertexMask {
            neighbour: weight * beta,
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
