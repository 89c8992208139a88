//! All structures built so far, by key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::net::Key;
use super::structure::Structure;

/// Longest chain of nets before one repeats; two suffice by theory.
const MAX_STEPS: usize = 6;

/// A shared store of structures; building is lazy and may run in parallel.
#[derive(Debug, Default)]
pub struct Library {
    planar: Mutex<HashMap<Key, Option<Arc<Structure>>>>,
    spatial: Mutex<HashMap<Key, Option<Arc<Structure>>>>,
}

impl Library {
    /// The structure of a planar net; `None` if the net cannot be evaluated.
    pub(super) fn planar(&self, key: &Key, depth: usize) -> Option<Arc<Structure>> {
        find(&self.planar, key, depth, || Structure::planar(key, self, depth))
    }

    /// The structure of a spatial net; `None` if the net cannot be evaluated.
    pub(super) fn spatial(&self, key: &Key, depth: usize) -> Option<Arc<Structure>> {
        find(&self.spatial, key, depth, || Structure::spatial(key, self, depth))
    }
}

fn find(
    store: &Mutex<HashMap<Key, Option<Arc<Structure>>>>,
    key: &Key,
    depth: usize,
    build: impl FnOnce() -> Option<Structure>,
) -> Option<Arc<Structure>> {
    // A poisoned lock only means that another build panicked: the map is whole.
    let lock = || store.lock().unwrap_or_else(PoisonError::into_inner);
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
