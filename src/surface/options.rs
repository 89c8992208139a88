//! What to refine to, and how.

use crate::mesh::CreaseRule;
use crate::scheme::Scheme;

/// How points are computed; see the [module](super).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Level by level on the mesh matrix.
    #[default]
    Matrix,
    /// One sparse matrix for all levels.
    Single,
    /// Level by level, one gather pass each; Catmull-Clark only.
    EdgeFriend,
}

/// What to refine to, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurfaceOptions {
    /// The rules.
    pub scheme: Scheme,
    /// Number of refinements, 0 and up.
    pub levels: usize,
    /// The way.
    pub method: Method,
    /// How sharpness passes on; `None` as the mesh says.
    pub crease_rule: Option<CreaseRule>,
}
