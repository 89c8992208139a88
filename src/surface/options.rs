//! What to refine to, and how.

use serde::{Deserialize, Serialize};

use crate::mesh::CreaseRule;
use crate::scheme::Scheme;

/// How points are computed; see the [module](super).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Refine: the faster of the next two that accepts the mesh; edge-friend numbers vertices
    /// differently.
    Auto,
    /// Refine: level by level on the mesh matrix.
    #[default]
    Matrix,
    /// Refine: level by level in one pass each; Catmull-Clark on oriented manifolds.
    EdgeFriend,
    /// Stencils: all points directly from the control points by one sparse matrix.
    Single,
    /// Stencils: the same with tables of weights that faces share; Catmull-Clark, at levels deep
    /// enough to isolate all features.
    Static,
}

impl Method {
    /// The method that refines by `scheme` where none is asked for: on the mesh matrix, or by one
    /// sparse matrix if the passes over it do not know the masks. Vertices have the same numbers.
    pub fn of(scheme: Scheme) -> Self {
        if scheme.rules().has_matrix_pass() { Self::Matrix } else { Self::Single }
    }

    /// Whether topology is not refined with the points.
    pub fn is_stencils(self) -> bool {
        matches!(self, Self::Single | Self::Static)
    }
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
    /// Rule by which sharpness passes on; `None` as the mesh says.
    pub crease_rule: Option<CreaseRule>,
}
