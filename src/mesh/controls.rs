//! The values that evaluation starts from.

use super::{Attribute, SolidMesh};

/// Positions and attributes of the control points, by reference: of a mesh,
/// or others of the same connectivity.
#[derive(Clone, Copy, Debug)]
pub struct Controls<'a> {
    /// Position of every vertex.
    pub positions: &'a [[f64; 3]],
    /// Attributes of every vertex.
    pub attributes: &'a [Attribute],
}

impl SolidMesh {
    /// The mesh's own control points and attributes.
    pub fn controls(&self) -> Controls<'_> {
        Controls { positions: &self.points, attributes: &self.attributes }
    }
}
