//! What the heat method keeps of a surface.

use super::multigrid::MultigridLevels;
use crate::backend::cuda::driver::buffer::Buffer;

/// What all distances on a surface share.
pub(super) struct Heat {
    /// Time for which heat flows, the longest of all components.
    pub time: f64,
    /// Masses, so much larger in components of shorter times; none if all components have the same.
    pub masses: Option<Buffer<f64>>,
    pub levels: MultigridLevels,
}
