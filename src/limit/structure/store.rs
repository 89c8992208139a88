//! Structures built so far, by key.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

/// A canonical description of the topology around a cell or face.
pub(crate) type NetKey = Vec<u16>;

/// Longest chain of nets before one repeats; two suffice by theory.
const MAX_STEPS: usize = 6;

/// What was built of each net, `None` for a net that cannot be evaluated; building is lazy and
/// may run in parallel.
#[derive(Debug)]
pub(crate) struct StructureStore<T>(Mutex<FxHashMap<NetKey, Option<Arc<T>>>>);

impl<T> Default for StructureStore<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> StructureStore<T> {
    /// What belongs to a net, built at `depth` of a chain of nets if it is new.
    pub fn find(
        &self,
        key: &NetKey,
        depth: usize,
        build: impl FnOnce() -> Option<T>,
    ) -> Option<Arc<T>> {
        // a poisoned lock only means that another build panicked: the map is whole
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().get(key) {
            return found.clone();
        }
        if depth > MAX_STEPS {
            return None;
        }
        // built outside the lock, as it may look up others; the first to finish wins
        let built = build().map(Arc::new);
        lock().entry(key.clone()).or_insert(built).clone()
    }
}
