//! How a face evaluates.

/// Class of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceClass {
    /// The face is one polynomial patch.
    Regular,
    /// The face has one extraordinary vertex, at this corner.
    Irregular(u8),
    /// Refined before it can be evaluated.
    Refined(FaceReason),
}

impl FaceClass {
    /// Its number in the array `class` of faces, as
    /// [`Class::number`](crate::limit::Class::number) has it of cells.
    pub fn number(self) -> u8 {
        match self {
            Self::Regular => 0,
            Self::Irregular(_) => 2,
            Self::Refined(_) => 3,
        }
    }
}

/// Why a face is refined first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaceReason {
    /// A corner touches a semi-sharp crease or corner.
    SemiSharp,
    /// The face is not a quad, or one at its corners is none.
    NotQuads,
    /// Several extraordinary vertices.
    SeveralExtraordinary,
    /// One extraordinary vertex, isolated further as asked for.
    Isolated,
}
