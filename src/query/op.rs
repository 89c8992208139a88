//! Names and definitions of the queries.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::topology::order::EntityKind;

/// A query: for an element of the first kind, elements of the second.
///
/// Between kinds a row holds the *incident* elements: those that the element has, or that
/// have it. Within a kind it holds the *adjacent* ones, without the element itself. The eight
/// queries of RXMesh (Mahmoud et al. 2021, Table 1) are VV VE VF, EV EF, FV FE FF; the table
/// has no EE.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Op {
    /// Vertices that an edge joins to a vertex.
    VV,
    /// Edges at a vertex.
    VE,
    /// Faces at a vertex.
    VF,
    /// Cells at a vertex (solids).
    VC,
    /// The two ends of an edge.
    EV,
    /// Edges that share a vertex with an edge (surfaces).
    EE,
    /// Faces at an edge: more than two of a surface where it is non-manifold.
    EF,
    /// Cells at an edge (solids).
    EC,
    /// Vertices of a face.
    FV,
    /// Edges of a face.
    FE,
    /// Faces that share an edge with a face (surfaces), each once.
    FF,
    /// The one or two cells of a face (solids).
    FC,
    /// Vertices of a cell (solids).
    CV,
    /// Edges of a cell (solids).
    CE,
    /// Faces of a cell (solids).
    CF,
    /// Cells that share a face with a cell (solids).
    CC,
}

impl Op {
    /// Queries of surfaces.
    pub(crate) const SURFACE: [Self; 9] =
        [Self::VV, Self::VE, Self::VF, Self::EV, Self::EE, Self::EF, Self::FV, Self::FE, Self::FF];
    /// Queries of solids.
    pub(crate) const SOLID: [Self; 14] = [
        Self::VV,
        Self::VE,
        Self::VF,
        Self::VC,
        Self::EV,
        Self::EF,
        Self::EC,
        Self::FV,
        Self::FE,
        Self::FC,
        Self::CV,
        Self::CE,
        Self::CF,
        Self::CC,
    ];
    /// All queries, in the order of their numbers.
    pub const ALL: [Self; 16] = [
        Self::VV,
        Self::VE,
        Self::VF,
        Self::VC,
        Self::EV,
        Self::EE,
        Self::EF,
        Self::EC,
        Self::FV,
        Self::FE,
        Self::FF,
        Self::FC,
        Self::CV,
        Self::CE,
        Self::CF,
        Self::CC,
    ];

    /// The queries of a mesh whose elements of the highest dimension are of kind `top`.
    pub(crate) fn of_top(top: EntityKind) -> &'static [Self] {
        if top == EntityKind::Cell { &Self::SOLID } else { &Self::SURFACE }
    }

    /// Refuses a query that such a mesh does not have.
    ///
    /// # Errors
    /// [`Error::Request`] with those that it has.
    pub(crate) fn check_of(self, top: EntityKind) -> Result<()> {
        let ops = Self::of_top(top);
        if ops.contains(&self) {
            return Ok(());
        }
        let mesh = if top == EntityKind::Cell { "solid" } else { "surface" };
        Err(Error::request(format!("a {mesh} has no query {self}"))
            .with_help(format!("queries of a {mesh}: {}", names(ops))))
    }

    /// Kind of the elements that have rows.
    pub fn from(self) -> EntityKind {
        EntityKind::ALL[self as usize / 4]
    }

    /// Kind of the elements in the rows.
    pub fn to(self) -> EntityKind {
        EntityKind::ALL[self as usize % 4]
    }

    /// Kind of the elements that two adjacent ones have in common.
    pub(crate) fn common(self) -> EntityKind {
        match self {
            Self::EE => EntityKind::Vertex,
            Self::VV | Self::FF => EntityKind::Edge,
            _ => EntityKind::Face,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl FromStr for Op {
    type Err = Error;

    /// A query by its name, in any case.
    ///
    /// # Errors
    /// [`Error::Request`] with the names that exist.
    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|op| op.to_string().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            Error::request(format!(
                "no query \"{name}\"; those of surfaces are {}; of solids {}",
                names(&Self::SURFACE),
                names(&Self::SOLID)
            ))
            .with_help("give one of these names")
        })
    }
}

/// Names of queries in one line.
fn names(ops: &[Op]) -> String {
    ops.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
