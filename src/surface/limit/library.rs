//! All structures of a surface built so far, by key.

use std::sync::Arc;

use crate::limit::{NetKey, Structure, StructureStore};
use crate::scheme::Scheme;

/// The limit around an extraordinary point of a surface.
#[derive(Debug)]
pub struct ExtraordinaryLimit {
    /// Weights of positions and derivatives away from the point, and at it where they
    /// exist; the point is the origin of the parameters.
    pub structure: Arc<Structure>,
    /// Weights of two vectors that span the tangent plane at the point, turning from u to
    /// v; `None` where there is no tangent plane.
    pub tangents: Option<[Vec<f64>; 2]>,
    // the net as a mesh of its own
    pub(super) key: NetKey,
}

/// Structures of one scheme.
pub(super) struct SurfaceLibrary {
    pub(super) scheme: Scheme,
    pub(super) built: StructureStore<ExtraordinaryLimit>,
}

impl SurfaceLibrary {
    /// No structures yet.
    pub fn new(scheme: Scheme) -> Self {
        Self { scheme, built: StructureStore::default() }
    }
}
