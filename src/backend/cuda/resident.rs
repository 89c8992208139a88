//! What an operation has on a device.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What an operation has on a device, for one call at a time.
///
/// Nothing may share out work while it is locked: a thread of rayon's that waits takes up other
/// work, which might lock it again.
pub(super) struct Resident<T>(Mutex<T>);

impl<T> Resident<T> {
    pub fn new(own: T) -> Self {
        Self(Mutex::new(own))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> fmt::Debug for Resident<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resident")
    }
}
