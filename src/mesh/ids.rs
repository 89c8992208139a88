//! Ids in files and creases: indices that cannot be mistaken for one another. Topology and all
//! that follows from it have ids of one kind in arrays, as `u32`.

use std::fmt;

use crate::error::{IdKind, Message};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an array index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($word, " {}"), self.0)
            }
        }
    };
}

impl From<CellId> for Message {
    fn from(id: CellId) -> Self {
        IdKind::Cell.id(id.0)
    }
}

id!(
    /// A vertex: index of its control point.
    VertexId, "vertex"
);
id!(
    /// A cell: its index in the file.
    CellId, "cell"
);
