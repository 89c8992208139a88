//! Weights of the limit at the places where patches are fitted, shared by all squares that look
//! alike: they depend on the structure of a face, not on its control points.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::patch_fit::PLACES;

/// Maximum number of weights that are kept; further ones are computed again.
const MAX_NUMBERS: usize = 1 << 25;
/// Bytes of these.
pub const MAX_TABLE_BYTES: u64 = (size_of::<f64>() * MAX_NUMBERS) as u64;

/// Weights of the limit at the places of a square.
#[derive(Debug)]
pub struct SquareTable {
    // leaf of the element, and where its weights end
    places: [(u32, u32); PLACES],
    weights: Vec<f64>,
}

impl SquareTable {
    /// From the leaf of every place and the weights of the leaf's net there.
    pub fn new(place: impl Fn(usize) -> (usize, Vec<f64>)) -> Self {
        let mut weights = Vec::new();
        let places = std::array::from_fn(|k| {
            let (leaf, own) = place(k);
            weights.extend(own);
            (leaf as u32, weights.len() as u32)
        });
        weights.shrink_to_fit();
        Self { places, weights }
    }

    /// What `sum` makes of the leaf and the weights of every place.
    pub fn each<T>(&self, sum: impl Fn(usize, &[f64]) -> T) -> [T; PLACES] {
        std::array::from_fn(|k| {
            let start = k.checked_sub(1).map_or(0, |before| self.places[before].1);
            let (leaf, end) = self.places[k];
            sum(leaf as usize, &self.weights[start as usize..end as usize])
        })
    }
}

/// The tables made so far, by shapes of squares. The same place has the same weights, whoever
/// asks for it first.
#[derive(Debug)]
pub struct SquareTables<K> {
    made: RwLock<HashMap<K, Arc<SquareTable>>>,
    numbers: AtomicUsize,
}

impl<K> Default for SquareTables<K> {
    fn default() -> Self {
        Self { made: RwLock::default(), numbers: AtomicUsize::new(0) }
    }
}

impl<K: Eq + Hash> SquareTables<K> {
    /// The table of a square, which `make` makes if there is none yet.
    pub fn find(&self, key: K, make: impl Fn() -> SquareTable) -> Arc<SquareTable> {
        // a poisoned lock only means that another thread panicked: the map is whole
        let made = self.made.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = made.get(&key) {
            return Arc::clone(table);
        }
        drop(made);
        let table = Arc::new(make());
        let numbers = table.weights.len();
        if self.numbers.fetch_add(numbers, Ordering::Relaxed) + numbers <= MAX_NUMBERS {
            let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
            made.insert(key, Arc::clone(&table));
        }
        table
    }
}
