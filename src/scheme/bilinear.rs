//! Bilinear subdivision, as OpenSubdiv's `SCHEME_BILINEAR`: polygons split like Catmull-Clark.
//!
//! - face point: the centroid;
//! - edge point: the midpoint;
//! - vertex point: the vertex.
//!
//! Creases have no effect. The limit is the bilinear patch of each quad, and of each quad that
//! a polygon splits into.

use super::{EdgeMask, LimitScheme, Split, SurfaceScheme, VertexMask};

/// The scheme.
pub struct Bilinear;

impl SurfaceScheme for Bilinear {
    fn name(&self) -> &'static str {
        "bilinear subdivision"
    }

    fn option_names(&self) -> &'static [&'static str] {
        &["bilinear", "linear"]
    }

    fn summary(&self) -> &'static str {
        "Quads from polygons: midpoints, centroids, and vertices as they are"
    }

    fn split(&self) -> Split {
        Split::Quads
    }

    fn has_matrix_pass(&self) -> bool {
        true
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<&'static dyn LimitScheme> {
        Some(&Bilinear)
    }
}

impl LimitScheme for Bilinear {
    fn edge_mask(&self) -> EdgeMask {
        EdgeMask { ends: 1.0, face: 0.0, across: 0.0 }
    }

    fn vertex_mask(&self, _: usize, _: usize, weight: f64) -> VertexMask {
        VertexMask { own: weight, ..VertexMask::default() }
    }

    fn eigenvalue(&self, _: f64) -> f64 {
        0.5
    }

    fn far_corner(&self, _: f64) -> f64 {
        0.0
    }

    fn corner_faces(&self) -> usize {
        1
    }

    fn crease_ring(&self, _: f64, _: f64, _: f64, _: f64) -> [f64; 2] {
        [0.0; 2]
    }
}
