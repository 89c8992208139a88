//! How a face evaluates.

use super::leaf::SurfaceLeafKind;

/// Class of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceClass {
    /// The face is one polynomial patch.
    Regular,
    /// The face has one extraordinary vertex.
    Irregular,
    /// Refined before it can be evaluated.
    Refined,
}

impl FaceClass {
    /// Of a face that is a leaf of this kind, or none.
    pub(super) fn of(kind: Option<SurfaceLeafKind>) -> Self {
        match kind {
            Some(SurfaceLeafKind::Regular(_)) => Self::Regular,
            Some(SurfaceLeafKind::Irregular(..)) => Self::Irregular,
            None => Self::Refined,
        }
    }

    /// Its number in the array `class` of faces, as
    /// [`Class::number`](crate::limit::Class::number) has it of cells.
    pub fn number(self) -> u8 {
        match self {
            Self::Regular => 0,
            Self::Irregular => 2,
            Self::Refined => 3,
        }
    }
}
