//! All structures built so far, by key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::key::Key;
use super::structure::Structure;
use crate::scheme::VertexRule;

/// Longest chain of nets before one repeats; two suffice by theory.
const MAX_STEPS: usize = 6;

/// A shared store of structures under one vertex rule; building is lazy and may run in parallel.
#[derive(Debug, Default)]
pub struct Library {
    vertex_rule: VertexRule,
    pub(super) planar: StructureStore,
    pub(super) spatial: StructureStore,
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

/// Structures of one dimension; `None` for a net that cannot be evaluated.
#[derive(Debug, Default)]
pub(super) struct StructureStore(Mutex<HashMap<Key, Option<Arc<Structure>>>>);

impl StructureStore {
    /// The structure of a net, built at `depth` of a chain of nets if it is new.
    pub fn find(
        &self,
        key: &Key,
        depth: usize,
        build: impl FnOnce() -> Option<Structure>,
    ) -> Option<Arc<Structure>> {
        // A poisoned lock only means that another build panicked: the map is whole.
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().get(key) {
            return found.clone();
        }
        if depth > MAX_STEPS {
            return None;
        }
        // Built outside the lock, as it may look up others; the first to finish wins.
        let built = build().map(Arc::new);
        lock().entry(key.clone()).or_insert(built).clone()
    }
}
