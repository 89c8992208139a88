//! What the fit of a boundary asks of its limit, which is linear in its points.

use super::target::Target;
use crate::error::Result;
use crate::scheme::Stencils;
use crate::surface::limit::GridLimit;

/// The limit of a boundary over its points: control points of a surface, or of a solid with ghosts
/// values on the boundary and vertices inside.
pub trait SkinLimit: Sync {
    /// Limits at vertices.
    fn vertices(&self) -> &Stencils;

    /// Samples of all faces.
    fn samples(&self) -> &SkinSamples;

    /// Limits at the samples, their derivatives and normals, and the volume inside.
    ///
    /// # Errors
    /// As of evaluations.
    fn evaluate(&self, points: &[[f64; 3]]) -> Result<(GridLimit, f64)>;

    /// The volume inside, 0 where the boundary is open.
    ///
    /// # Errors
    /// As of evaluations.
    fn volume(&self, points: &[[f64; 3]]) -> Result<f64>;

    /// Limits at parts of the way along sides of faces, `[side][part]`; a side is the face and its place
    /// there.
    fn along(&self, sides: &[[usize; 2]], parts: &[f64]) -> Stencils;

    /// Takes points on which the limit depends but which are not on the boundary where its points take
    /// them; none of a surface.
    ///
    /// # Errors
    /// Where they cannot follow.
    fn settle(&self, points: &mut [[f64; 3]]) -> Result<()>;

    /// The limit as a target.
    ///
    /// # Errors
    /// As [`Target::of_limit`].
    fn target(&self, points: &[[f64; 3]]) -> Result<Target>;
}

/// Samples of the limit of a boundary: as many for each element of its faces.
pub struct SkinSamples {
    /// Limits, `[element][sample]`.
    pub rows: Stencils,
    /// The face of each element, ascending.
    pub faces: Vec<u32>,
    /// Area of parameters that each sample of an element stands for.
    pub areas: Vec<f64>,
}
