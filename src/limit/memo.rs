//! What came of walks from several starts, by the key of the first one.
//!
//! That key describes the net whole, so that the other walks, and which of them has the
//! smallest key, follow from it: cells of equal topology need one walk each, not all.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::key::Key;

/// The start of the walk with the smallest key, for every key of a first walk.
#[derive(Default)]
pub(crate) struct Memo {
    best: RwLock<HashMap<Key, usize>>,
}

impl Memo {
    /// The start that won where the first walk had this key, if there was one.
    pub fn get(&self, first: &Key) -> Option<usize> {
        // a poisoned lock only means that another insertion panicked: the map is whole
        self.best.read().unwrap_or_else(PoisonError::into_inner).get(first).copied()
    }

    /// Keeps the start that won.
    pub fn insert(&self, first: &Key, best: usize) {
        let mut map = self.best.write().unwrap_or_else(PoisonError::into_inner);
        map.insert(first.clone(), best);
    }
}
