//! Faces of a boundary, covered by patches.

use super::patch_fit::Fit;
use crate::limit::rim::Rim;

/// A face of an element on the boundary of a solid, or of a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Number of the face among all faces of elements.
    pub number: u64,
    /// Sides of the face.
    pub rim: Rim,
    /// Patches that cover it.
    pub fits: Vec<Fit>,
}

impl Face {
    /// The face seen from the other side, if `other`.
    pub fn turned(self, other: bool) -> Self {
        if !other {
            return self;
        }
        let fits = self.fits.into_iter().map(Fit::transposed).collect();
        Self { number: self.number, rim: self.rim.transposed(), fits }
    }
}
