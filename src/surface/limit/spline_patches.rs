//! A surface as spline patches: regular ones, and the irregular remainder, after
//! [`LimitSurface::isolated`] what lies around extraordinary vertices at the finest level.

use super::leaf::{SurfaceLeaf, SurfaceLeafKind};
use super::surface::LimitSurface;

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
        let regular = self.levels.leaves.iter().filter(is_regular).count();
        PatchCounts { regular, irregular: self.levels.leaves.len() - regular }
    }
}
