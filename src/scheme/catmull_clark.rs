//! Catmull and Clark (1978): quads from any polygons.
//!
//! F face centroid, M edge midpoint, P vertex, n its valence:
//! - face point F;
//! - edge point (v₀ + v₁ + F₀ + F₁)/4;
//! - vertex point (mean F + 2 mean M + (n − 3) P)/n.
//!
//! Around a vertex λ = (5 + c + √((9 + c)(1 + c)))/16 (Halstead, Kass and DeRose 1993), and a
//! far corner has (eᵢ + eᵢ₊₁)/(16λ − 4).

use super::{EdgeMask, LimitScheme, Split, SurfaceScheme, VertexMask};

/// The scheme.
pub struct CatmullClark;

impl SurfaceScheme for CatmullClark {
    fn name(&self) -> &'static str {
        "Catmull-Clark"
    }

    fn split(&self) -> Split {
        Split::Quads
    }

    fn has_edge_friend(&self) -> bool {
        true
    }

    fn has_static_refinement(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<&'static dyn LimitScheme> {
        Some(&CatmullClark)
    }
}

impl LimitScheme for CatmullClark {
    fn edge_mask(&self) -> EdgeMask {
        EdgeMask { ends: 0.5, face: 0.25, across: 0.0 }
    }

    fn vertex_mask(&self, valence: usize, faces: usize, weight: f64) -> VertexMask {
        let n = valence as f64;
        VertexMask {
            face: weight / (n * faces as f64),
            midpoint: 2.0 * weight / (n * n),
            neighbour: 0.0,
            own: weight * (n - 3.0) / n,
        }
    }

    fn eigenvalue(&self, c: f64) -> f64 {
        (5.0 + c + ((9.0 + c) * (1.0 + c)).max(0.0).sqrt()) / 16.0
    }

    fn far_corner(&self, c: f64) -> f64 {
        1.0 / (16.0 * self.eigenvalue(c) - 4.0)
    }

    fn corner_faces(&self) -> usize {
        1
    }

    fn crease_ring(&self, inner: f64, far: f64, spokes: f64, fars: f64) -> [f64; 2] {
        [inner / 16.0 + far / 4.0, 0.375 * spokes + 0.25 * fars]
    }
}
