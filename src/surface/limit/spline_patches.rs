//! A surface as spline patches: regular ones, and the irregular remainder.
//!
//! After [`LimitSurface::isolated`] the remainder is what lies around extraordinary
//! vertices at the finest level; a renderer that knows splines only may draw it flat.

use super::leaf::{SurfaceLeaf, SurfaceLeafKind};
use super::net::phantoms;
use super::surface::LimitSurface;
use crate::scheme::FaceShape;
use crate::simd::fill_ends;

/// Number of patches of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PatchCounts {
    /// Number of regular (polynomial) patches.
    pub regular: usize,
    /// Number of patches at an extraordinary vertex.
    pub irregular: usize,
}

impl LimitSurface {
    /// Counts the leaves by kind.
    pub fn patch_counts(&self) -> PatchCounts {
        let is_regular = |leaf: &&SurfaceLeaf| matches!(leaf.kind, SurfaceLeafKind::Regular(_));
        let regular = self.leaves.iter().filter(is_regular).count();
        PatchCounts { regular, irregular: self.leaves.len() - regular }
    }

    /// The control points of a regular leaf's patch, those beyond a boundary filled in,
    /// from the points of all levels ([`LimitSurface::refined_points`]): `[v 4][u 4]` of a
    /// uniform bicubic B-spline, or twelve of a quartic box spline in the order of
    /// [`box_spline::LATTICE`](crate::basis::box_spline::LATTICE). The patch runs over the
    /// leaf's own parameters ([`SurfaceLeaf::affine`]). `None` for an irregular leaf.
    ///
    /// # Panics
    /// If `points` are not the points of all levels.
    pub fn spline_net(&self, leaf: &SurfaceLeaf, points: &[[f64; 3]]) -> Option<Vec<[f64; 3]>> {
        let SurfaceLeafKind::Regular(ends) = leaf.kind else { return None };
        let mut net: Vec<[f64; 3]> = self.net(leaf).iter().map(|&v| points[v as usize]).collect();
        match self.scheme.shape() {
            FaceShape::Quad => {
                fill_ends(net.as_flattened_mut(), 3, ends.axis(0));
                fill_ends(net.as_flattened_mut(), 4 * 3, ends.axis(1));
            }
            FaceShape::Triangle => {
                for [p, q, r, s] in phantoms(ends) {
                    net[p] = std::array::from_fn(|d| net[q][d] + net[r][d] - net[s][d]);
                }
            }
        }
        Some(net)
    }
}
