//! Memory that tasks use one after the other.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory that is taken for a while and given back. Large arrays that are made again and again are
/// cleared by the system each time.
#[derive(Debug)]
pub struct SpareMemory<T>(Mutex<Vec<T>>);

impl<T> Default for SpareMemory<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Default> SpareMemory<T> {
    /// Some that nobody else has: what was given back last, or new memory.
    pub fn take(&self) -> T {
        self.all().pop().unwrap_or_default()
    }

    /// Gives back some.
    pub fn give(&self, own: T) {
        self.all().push(own);
    }

    /// Works with some, and gives it back.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut own = self.take();
        let result = work(&mut own);
        self.give(own);
        result
    }

    fn all(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
