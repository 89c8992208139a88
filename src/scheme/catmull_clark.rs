//! Catmull and Clark (1978): quads from any polygons.
//!
//! F face centroid, M edge midpoint, P vertex, n its valence:
//! - face point F;
//! - edge point (v₀ + v₁ + F₀ + F₁)/4;
//! - vertex point (mean F + 2 mean M + (n − 3) P)/n.
//!
//! Around a vertex λ = (5 + c + √((9 + c)(1 + c)))/16 (Halstead, Kass and DeRose 1993), and a
//! far corner has (eᵢ + eᵢ₊₁)/(16λ − 4).

use super::point::{Point, add, mean4, scale};
use super::{EdgeMask, LimitScheme, Split, SurfaceScheme, VertexMask};
use crate::numbers::Real;

/// The scheme.
pub struct CatmullClark;

/// Weights of a smooth vertex point over the corners at the vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RingMask {
    /// Weight of the vertex itself.
    pub own: f64,
    /// Weight of the next vertex of every corner, and of the face point of its face.
    pub ring: f64,
}

/// The vertex mask at `n` > 0 corners, (1 − 2/n) P + (Σ neighbors + Σ face points)/n²: the mask of
/// the [module](self) with M = (P + neighbor)/2.
pub(crate) const fn ring_mask(n: usize) -> RingMask {
    let n = n as f64;
    RingMask { own: 1.0 - 2.0 / n, ring: 1.0 / (n * n) }
}

/// The vertex mask at `n` quads over their vertices alone: α of the vertex, β of each vertex along
/// an edge, γ of each across a quad. γ = 1/(4n²), β = 6γ, α = 1 − n(β + γ) (Kuth et al. 2023).
pub(crate) fn quad_mask(n: u32) -> [f64; 3] {
    let n = f64::from(n);
    let (beta, gamma) = (1.5 / (n * n), 0.25 / (n * n));
    [1.0 - n * (beta + gamma), beta, gamma]
}

/// Smooth edge point from the ends of the edge and the face points beside it.
#[inline(always)]
pub(crate) fn edge_point<T: Real>(ends: [Point<T>; 2], faces: [Point<T>; 2]) -> Point<T> {
    mean4([ends[0], ends[1], faces[0], faces[1]])
}

/// Smooth vertex point at `n` corners: `sum` of the next vertex and the face point of each.
#[inline(always)]
pub(crate) fn vertex_point<T: Real>(p: Point<T>, sum: Point<T>, n: usize) -> Point<T> {
    let RingMask { own, ring } = ring_mask(n);
    add(scale(p, T::from_f64(own)), scale(sum, T::from_f64(ring)))
}

/// Smooth vertex point at four corners, P/2 + ((t₀ + t₁) + (t₂ + t₃))/16.
#[inline(always)]
pub(crate) fn vertex_point_4<T: Real>(p: Point<T>, [a, b, c, d]: [Point<T>; 4]) -> Point<T> {
    const MASK: RingMask = ring_mask(4);
    let sum = add(add(a, b), add(c, d));
    add(scale(p, T::from_f64(MASK.own)), scale(sum, T::from_f64(MASK.ring)))
}

/// Factor by which the smooth triangle rule moves an edge point away from the midpoint of its edge,
/// relative to the rule of the [module](self): 4w, where w is the weight of each face point. A
/// triangle has w = 0.47, another face 1/4; an edge takes the mean of its two faces, of `sizes`
/// corners (OpenSubdiv, `Sdc::Scheme::ComputeEdgeVertexMask`).
pub(crate) fn triangle_stretch(sizes: [usize; 2]) -> f64 {
    let [a, b] = sizes.map(|size| if size == 3 { 0.47 } else { 0.25 });
    2.0 * (a + b)
}

impl SurfaceScheme for CatmullClark {
    fn name(&self) -> &'static str {
        "Catmull-Clark"
    }

    fn option_names(&self) -> &'static [&'static str] {
        &["catmull-clark"]
    }

    fn summary(&self) -> &'static str {
        "Quads from polygons"
    }

    fn split(&self) -> Split {
        Split::Quads
    }

    fn has_matrix_pass(&self) -> bool {
        true
    }

    fn has_edge_friend(&self) -> bool {
        true
    }

    fn has_triangle_rule(&self) -> bool {
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
            neighbor: 0.0,
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
