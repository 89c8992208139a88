//! Faces of a boundary, covered by patches.

use super::fit::Fit;
use crate::limit::rim::Rim;

/// A face of an element on the boundary of a solid, or of a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Its number among all.
    pub number: u64,
    /// Its sides.
    pub rim: Rim,
    /// Patches that cover it.
    pub fits: Vec<Fit>,
}

impl Face {
    /// The same seen from the other side, if asked for.
    pub fn turned(self, other: bool) -> Self {
        if !other {
            return self;
        }
        let fits = self.fits.into_iter().map(Fit::transposed).collect();
        Self { number: self.number, rim: self.rim.transposed(), fits }
    }
}
