//! Cached results of walks from several starts, keyed by the first walk.
//!
//! That key describes the net completely. So the other walks follow from it, which of them has the
//! smallest key, and where that one has the control points of the first: cells of equal
//! topology need one walk each, not all.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::structure::NetKey;

/// The walk with the smallest key of those from several starts.
#[derive(Debug)]
pub(crate) struct LeastWalk {
    /// Index of the start that the walk is from.
    pub start: usize,
    /// Key of the walk.
    pub key: Arc<NetKey>,
    /// Number of the key in the memo.
    pub number: u32,
    /// Label in the first walk of each of its control points; empty if it is the first.
    order: Vec<u16>,
}

impl LeastWalk {
    /// What the first walk has at each label, in the order of this walk.
    pub fn arrange<T: Copy>(&self, first: Vec<T>) -> Vec<T> {
        match &self.order[..] {
            [] => first,
            order => order.iter().map(|&label| first[usize::from(label)]).collect(),
        }
    }
}

/// The smallest key's walk for every key of a first walk.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    known: RwLock<KnownWalks>,
}

#[derive(Debug, Default)]
struct KnownWalks {
    by_first: FxHashMap<NetKey, Arc<LeastWalk>>,
    numbers: FxHashMap<Arc<NetKey>, u32>,
}

impl Memo {
    /// What came of walks the first of which had this key, if there were any.
    pub fn get(&self, first: &NetKey) -> Option<Arc<LeastWalk>> {
        // a poisoned lock only means that another insertion panicked: the maps are whole
        self.known.read().unwrap_or_else(PoisonError::into_inner).by_first.get(first).cloned()
    }

    /// Keeps the walk that won, from `start` with `key`; `order`: label in the first walk of each
    /// of its control points.
    pub fn insert(
        &self,
        first: NetKey,
        start: usize,
        key: NetKey,
        order: Vec<u16>,
    ) -> Arc<LeastWalk> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let KnownWalks { by_first, numbers } = &mut *known;
        if let Some(found) = by_first.get(&first) {
            return Arc::clone(found); // another thread walked the same
        }
        let (key, number) = match numbers.get_key_value(&key) {
            Some((key, &number)) => (Arc::clone(key), number),
            None => {
                let (key, number) = (Arc::new(key), numbers.len() as u32);
                numbers.insert(Arc::clone(&key), number);
                (key, number)
            }
        };
        let least = Arc::new(LeastWalk { start, key, number, order });
        by_first.insert(first, Arc::clone(&least));
        least
    }
}
