//! Sorting.

/// The values in ascending order, each once.
#[must_use]
pub fn sorted_unique<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    values
}
