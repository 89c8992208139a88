//! All structures of solids built so far, by key.

use super::structure::{Structure, StructureStore};
use crate::scheme::VertexRule;

/// A shared store of structures under one vertex rule; building is lazy and may run in parallel.
#[derive(Debug, Default)]
pub struct Library {
    vertex_rule: VertexRule,
    pub(super) planar: StructureStore<Structure>,
    pub(super) spatial: StructureStore<Structure>,
}

impl Library {
    /// No structures yet.
    pub fn new(vertex_rule: VertexRule) -> Self {
        Self { vertex_rule, ..Self::default() }
    }

    /// The rule of vertices by which all structures refine.
    pub fn vertex_rule(&self) -> VertexRule {
        self.vertex_rule
    }
}
